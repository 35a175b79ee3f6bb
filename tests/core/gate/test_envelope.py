"""Responses in envelopes, through a whole check: sources, forced forms, staleness, what is imported."""

import json
import subprocess
import sys

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import new_run
from exitgate.core.gate.notes import digest_of
from exitgate.core.ledger import read
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Source
from exitgate.core.model.value import Unknown
from exitgate.core.observe.envelope import unwrapped
from exitgate.core.state.request import Request

POLICY = """
policy: small
format: 1
version: 1.0.0
facts:
  said: {extract: output, from: output}
  tooled: {extract: output, from: tool_results}
  denials: {extract: denials, allow: ["Bash(mvn *)"]}
  tools: {extract: tools}
rules:
  - {id: errors, when: result.is_error, exit: failed, stage: after_failure, because: "{result.subtype}"}
  - {id: denied, when: denials.blocking, exit: blocked, because: "denied"}
  - {id: loud, when: output.length > 1000, warn: true, because: long}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "small.yaml").write_text(POLICY)
    return tmp_path


def one(said="Done.", **more):
    told = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s", "result": said}
    return json.dumps({**told, **more})


def respond(place, text):
    (place / ".ralph" / "last-response.md").write_text(text)


def ask(**more):
    more.setdefault("policy", "small.yaml")
    return check(Request(**more))


def value(checked, name):
    return checked.facts[name].value


def test_a_plain_response_is_its_own_output(place):
    respond(place, "Done.\n")
    checked = ask()
    sources = checked.iteration.sources
    assert sources["response"].text == sources["output"].text == "Done.\n"
    assert sources["response"].path.endswith("last-response.md")
    assert sources["tool_results"].text is None
    assert sources["tool_results"].reason == "the response is text without tool results"
    assert {"is_error", "tail", "agent_exit"}.isdisjoint(sources["result"].record)
    assert value(checked, "result.format") == "TEXT"
    assert value(checked, "result.is_error").reason == "the response does not say `is_error`"
    assert (value(checked, "denials.count"), value(checked, "denials.blocking")) == (0, False)


def test_a_response_is_taken_out_of_json(place):
    respond(place, one("Two\nlines"))
    checked = ask()
    response = checked.iteration.sources["response"]
    assert response.text == "Two\nlines"
    assert response.path == ".ralph/last-response.md (out of JSON)"
    assert (value(checked, "output.lines"), value(checked, "said.lines")) == (2, 2)
    assert value(checked, "result.session") == "s"


def test_streams_have_their_tool_results(place):
    call = {
        "type": "assistant",
        "message": {"id": "m", "content": [{"type": "tool_use", "id": "t", "name": "B"}]},
    }
    back = {
        "type": "user",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "abc"}]},
    }
    respond(place, "".join(f"{json.dumps(event)}\n" for event in (call, back)) + one())
    checked = ask()
    assert value(checked, "tooled.length") == 3
    assert (value(checked, "tools.calls"), value(checked, "tools.none")) == (1, False)
    assert value(checked, "result.format") == "JSON_LINES"


def test_from_standard_input(place):
    code = "from exitgate.cli.main import main; raise SystemExit(main())"
    words = [sys.executable, "-c", code, "check", "-", "--policy", "small.yaml", "--format", "json"]
    ran = subprocess.run(words, input=one("Five!"), capture_output=True, text=True, check=False, cwd=place)
    facts = json.loads(ran.stdout)["facts"]
    assert facts["output.length"]["value"] == 5
    line = list(read.lines(".ralph/exitgate"))[-1]
    assert line["sources"]["response"]["path"] == "<standard input> (out of JSON)"


def test_sources_that_the_user_gives_win(place):
    respond(place, one("Done."))
    (place / "out.txt").write_text("longer output")
    (place / "res.json").write_text(one("other", session_id="given"))
    checked = ask(sources={"output": "out.txt", "tool_results": "out.txt", "result": "res.json"})
    assert (value(checked, "said.length"), value(checked, "tooled.length")) == (13, 13)
    assert value(checked, "result.session") == "given"
    assert checked.iteration.sources["response"].text == "Done."


def test_a_given_source_wins_without_a_response_too(place):
    (place / "out.txt").write_text("longer output")
    checked = ask(sources={"output": "out.txt"}, agent_exit=1)
    assert value(checked, "said.length") == 13
    assert isinstance(value(checked, "tooled.length"), Unknown)


def test_without_a_response_only_the_exit_status_is_known(place):
    checked = ask(agent_exit=124)
    record = checked.iteration.sources["result"].record
    assert (record["agent_exit"], "format" in record) == (124, False)
    assert "last-response.md" in value(checked, "said.length").reason


@pytest.mark.parametrize(
    ("form", "body", "length"),
    [("text", one("Done."), len(one("Done."))), ("json", one("Done."), 5), ("jsonl", one("Done.") + "\n", 5)],
)
def test_a_form_can_be_forced(place, form, body, length):
    respond(place, body)
    assert value(ask(input_format=form), "output.length") == length


def test_a_forced_form_that_does_not_fit_is_an_error_and_nothing_is_recorded(place):
    respond(place, "words")
    with pytest.raises(ExitgateError) as caught:
        ask(input_format="json")
    assert caught.value.exit_code == 65
    assert caught.value.diagnostics[0].code == "EP823"
    assert "last-response.md" in caught.value.diagnostics[0].message
    assert list(read.lines(".ralph/exitgate")) == []


def test_an_error_is_a_failure_whatever_it_calls_itself(place):
    respond(place, one("No more until six.", is_error=True))
    checked = ask()
    assert (checked.decision.stage, checked.decision.exit_class) == ("after_failure", "failed")
    assert checked.decision.message == "success"


def test_a_denial_that_is_covered_does_not_block(place):
    def denied(command):
        return one(permission_denials=[{"tool_name": "Bash", "tool_input": {"command": command}}])

    respond(place, denied("mvn clean 2>&1 | tail -4"))
    checked = ask()
    assert (value(checked, "denials.count"), checked.decision.verdict) == (1, "CONTINUE")
    respond(place, denied("npm install"))
    checked = ask()
    assert value(checked, "denials.denied") == ("Bash(npm install)",)
    assert checked.decision.exit_class == "blocked"


def test_staleness_is_told_by_what_was_written_not_by_what_was_said(place):
    respond(place, one("Same words.", uuid="1"))
    first = ask()
    assert not any("unchanged" in note.message for note in first.notes)
    respond(place, one("Same words.", uuid="2"))
    assert not any("unchanged" in note.message for note in ask().notes)
    assert any("unchanged" in note.message for note in ask().notes)
    line = list(read.lines(".ralph/exitgate"))[-1]
    assert line["sources"]["response"]["digest"] == digest_of(one("Same words.", uuid="2"))


def test_a_numbered_check_is_known_again(place):
    respond(place, one("Same words.", uuid="1"))
    first = ask(iteration=1)
    again = ask(iteration=1)
    assert again.line["sequence"] == first.line["sequence"]
    assert again.notes == ()


def test_what_an_earlier_loop_left_behind_is_not_looked_at(place):
    respond(place, one("Old.", is_error=True))
    new_run(Request(policy="small.yaml"))
    checked = ask()
    assert checked.decision.stage == "before_iteration"
    assert all(isinstance(value(checked, name), Unknown) for name in ("said.length", "result.is_error"))


def test_warnings_are_told(place):
    respond(place, one("Done.")[:-20])
    assert any("cut off" in note.message for note in ask().notes)
    respond(place, '{"type":"result" "result":"x"}')
    assert any("treated as text" in note.message for note in ask().notes)


def test_nothing_is_derived_that_nobody_reads():
    plain = unwrapped(Source("response", text="words", path="p"), "auto", None, ())
    assert list(plain) == ["response"]
    wrapped = unwrapped(Source("response", text=one(), path="p"), "auto", 3, ())
    assert list(wrapped) == ["response", "result"]
    assert wrapped["result"].record["agent_exit"] == 3


def test_plain_text_imports_no_parser():
    code = """
import sys
from exitgate.core.observe.envelope import unwrapped
from exitgate.core.model.fact import Source
text = "Done.\\n\\n- one {x}\\n```json\\n[1]\\n```\\nA \\\\n mark.\\n"
found = unwrapped(Source("response", text=text), "auto", 1, ("output", "result", "tool_results"))
assert found["response"].text is text and found["result"].record["tail"]
print(*sorted(name for name in sys.modules if name.startswith("exitgate.core.envelopes.")))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["exitgate.core.envelopes.plain"]


def test_json_imports_nothing_dear():
    code = """
import sys
before = set(sys.modules)
import exitgate.core.envelopes.unwrap as unwrap
unwrap.unwrap('{"type":"result","result":"x"')
unwrap.unwrap('{"type":"assistant","message":{}}\\nx\\n{"a" 1}')
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
    ran = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
                         capture_output=True, text=True, check=True)  # fmt: skip
    assert set(ran.stdout.split()) & {"json", "re", "enum", "typing", "dataclasses", "logging"} == set()
