"""Texts that a caller has at hand count as files with those texts would."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.request import Request

POLICY = """
policy: small
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete}
  - {id: errors, when: result.is_error, exit: failed, stage: after_failure}
  - {id: again, when: output.length unchanged for 2 iterations, warn: true, because: the same length}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / "small.yaml").write_text(POLICY)
    return tmp_path


def ask(texts, **more):
    return check(Request(policy="small.yaml", texts=texts, **more))


def test_a_text_goes_before_the_file_at_the_default_path(place):
    (place / "fix_plan.md").write_text("- [ ] open\n")
    (place / ".ralph").mkdir()
    (place / ".ralph" / "last-response.md").write_text("from the file")
    checked = ask({"response": "from the caller", "plan": "- [x] done\n"})
    assert checked.decision.rule == "done"
    assert checked.iteration.source("response").text == "from the caller"
    assert checked.iteration.source("response").path is None


def test_history_goes_on_over_texts(place):
    for said in ("aaa", "bbb"):
        checked = ask({"response": said, "plan": "- [ ] a\n"})
        assert not checked.decision.warnings
    checked = ask({"response": "ccc", "plan": "- [ ] a\n"})
    assert [one.rule for one in checked.decision.warnings] == ["again"]
    assert checked.iteration.number == 3


def test_an_envelope_is_opened(place):
    told = {"type": "result", "subtype": "error", "is_error": True, "session_id": "s", "result": "no"}
    checked = ask({"response": json.dumps(told)})
    assert checked.decision.exit_class == "failed"
    assert checked.iteration.source("response").text == "no"


def test_an_empty_text_is_readable(place):
    assert ask({"response": ""}).facts["output.length"].value == 0


def test_sources_that_are_made_here_cannot_be_given(place):
    with pytest.raises(ExitgateError) as caught:
        ask({"response": "x", "clock": "noon", "plam": "- [ ] a"})
    told = [(one.code, one.message) for one in caught.value.diagnostics]
    assert [code for code, _ in told] == ["EP812", "EP812"]
    assert "`clock` cannot be given" in told[0][1]


def test_a_text_beyond_every_limit_is_refused(place):
    with pytest.raises(ExitgateError) as caught:
        ask({"response": "x" * 50_000_001})
    assert caught.value.exit_code == 74


@settings(max_examples=12, deadline=None)
@given(st.text(alphabet=st.characters(), max_size=60) | st.just("\ud800 lone \udfff"))
def test_any_text_gives_the_facts_of_a_file_with_it(tmp_path_factory, text):
    place = tmp_path_factory.mktemp("any")
    (place / "response.md").write_bytes(text.encode("utf-8", "surrogatepass"))
    policy = place / "small.yaml"
    policy.write_text(POLICY)
    asked = {"policy": str(policy), "root": str(place), "record": False}
    by_file = check(Request(response=str(place / "response.md"), **asked))
    by_text = check(Request(texts={"response": text}, **asked))
    values = [
        {n: str(f.value) for n, f in one.facts.items() if n.startswith("output")}
        for one in (by_file, by_text)
    ]
    assert values[0] == values[1]
