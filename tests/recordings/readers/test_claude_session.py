"""Session files of Claude Code: what is an iteration, and what is told of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from claude_sessions import SESSION, Session, two_turns
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, runs_of, sniffed, written

from exitgate.core.model import capabilities
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import FileChange, Run, collect
from exitgate.recordings.replay.dry_run import dry_run

ID, STEPS = "claude-session", "claude-session-steps"


def at(second: int) -> float:
    return datetime(2026, 1, 31, 10, second // 60, second % 60, tzinfo=UTC).timestamp()


def run_of(folder: Path, session: Session, *, name: str = f"{SESSION}.jsonl", spaced: bool = False) -> Run:
    path = written(folder, name, session.text(spaced=spaced))
    assert sniffed(path) == ID
    return one_run(ID, path)


@pytest.mark.parametrize("spaced", [False, True])
def test_two_turns(tmp_path, spaced):
    run = run_of(tmp_path, two_turns(), spaced=spaced)
    assert (run.begin.id, run.begin.granularity, run.begin.parent) == (SESSION, "turn", None)
    assert (run.begin.resumed, run.begin.started_at) == (False, at(2))
    assert (run.end.how, run.end.ended_at) == (None, at(20))
    first, second = run.iterations
    assert (first.index, first.prompt, first.response) == (1, "Build the reader", "The reader is there.")
    assert first.output == "I read the plan first.\n\nThe reader is there."
    assert first.tool_results == "     1→- [ ] one\n     2→- [ ] two\n\nThe file has been updated."
    assert (first.started_at, first.ended_at) == (at(2), at(10))
    assert (first.provenance.first, first.provenance.last) == (4, 12)
    assert first.plan == "- [x] one\n- [ ] two"
    assert first.files_changed == (FileChange("/w/fix_plan.md"),)
    assert first.record == {
        "format": "JSON_LINES", "session": SESSION, "model": "mod-1", "stop_reason": "end_turn",
        "is_error": False, "turns": 3, "tool_calls": 2, "tokens": 30, "files_changed": 1,
    }  # fmt: skip
    assert second.prompt == "Now the tests"
    assert second.response == second.output == "One test fails."
    assert second.tool_results == "looked around\nExit code 1\n1 failed"
    assert [(c.name, c.own, c.is_error, c.exit_status) for c in second.tool_calls or ()] == [
        ("Task", True, False, None), ("Write", False, False, None), ("Bash", True, True, 1),
    ]  # fmt: skip
    assert second.files_changed == (FileChange("/w/notes.txt"),)
    assert second.files["/w/notes.txt"] == "n"
    assert (second.record["tool_calls"], second.record["turns"], second.cost) == (2, 3, None)
    assert (second.error_kind, second.exit_status, second.tests) == (None, None, None)


def test_what_nobody_wants_is_not_gathered(tmp_path):
    path = written(tmp_path, "s.jsonl", two_turns().text())
    wants = frozenset((capabilities.RESPONSE, capabilities.OUTPUT))
    (run,), _ = collect(registry.load(ID).read(Location(str(path)), wants), ID)
    whole = one_run(ID, path)
    for one, other in zip(run.iterations, whole.iterations, strict=True):
        assert (one.tool_results, one.tool_calls, one.plan, one.files) == (None, None, None, {})
        kept = ("index", "provenance", "response", "output", "prompt", "started_at", "ended_at")
        assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
        assert {**other.record, **one.record} == other.record


def test_results_that_are_passed_over_still_end_an_iteration(tmp_path):
    session = Session()
    session.user("Go")
    session.calls("m1", "c1", "Bash", command="make")
    session.gave("c1", "ok")
    path = written(tmp_path, "s.jsonl", session.text())
    (run,), _ = collect(registry.load(ID).read(Location(str(path)), frozenset((capabilities.RESPONSE,))), ID)
    assert (run.iterations[0].ended_at, run.iterations[0].provenance.last) == (at(3), 3)
    assert run.end.ended_at == at(3)


def test_steps(tmp_path):
    path = written(tmp_path, "s.jsonl", two_turns().text())
    run = one_run(STEPS, path)
    assert run.begin.granularity == "step"
    assert [one.response for one in run.iterations] == [
        "I read the plan first.", "", "The reader is there.", "", "", "One test fails.",
    ]  # fmt: skip
    assert [one.prompt for one in run.iterations][:2] == ["Build the reader", None]
    assert [one.record["tokens"] for one in run.iterations] == [10] * 6
    assert [one.plan for one in run.iterations][:2] == ["- [ ] one\n- [ ] two", "- [x] one\n- [ ] two"]
    assert sniffed(path) == ID


def test_a_message_written_in_parts_is_one_step(tmp_path):
    session = Session()
    session.user("Go")
    session.calls("m1", "c1", "Read", file_path="a")
    session.gave("c1", "a")
    session.calls("m2", "c3", "Read", file_path="c")
    session.calls("m1", "c2", "Read", file_path="b")
    session.gave("c2", "b")
    run = one_run(STEPS, written(tmp_path, "s.jsonl", session.text()))
    assert [one.record["tool_calls"] for one in run.iterations] == [1, 2]


def test_an_own_word_list_is_no_prompt_of_its_own(tmp_path):
    session = two_turns()
    session.user("/w/x", isMeta=True)
    session.user("<command-name>/cost</command-name>")
    session.user("<local-command-stdout>12 USD, all done</local-command-stdout>")
    session.user("Caveat: these lines", isMeta=True)
    assert len(run_of(tmp_path, session).iterations) == 2


def test_a_command_that_asks_the_agent_is_a_prompt(tmp_path):
    session = Session()
    session.user("<command-message>init is running</command-message>\n<command-name>/init</command-name>")
    session.user([{"type": "text", "text": "Look at the code and describe it"}], isMeta=True)
    session.says("Described.", "m1")
    (one,) = run_of(tmp_path, session).iterations
    assert (one.prompt, one.response) == ("Look at the code and describe it", "Described.")


def test_compaction_ends_nothing_and_its_summary_is_no_word(tmp_path):
    session = Session()
    session.user("Go on")
    session.says("Half of it.", "m1")
    session.add("system", None, subtype="compact_boundary", logicalParentUuid="u002")
    told = {"isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    session.user("All tests pass, all is done. Please continue.", **told)
    session.says("The other half.", "m2")
    (one,) = run_of(tmp_path, session).iterations
    assert one.output == "Half of it.\n\nThe other half."
    assert one.prompt == "Go on"


def test_lines_that_are_there_twice_count_once(tmp_path):
    session = two_turns()
    once = run_of(tmp_path, session)
    session.lines = [line for line in session.lines for _ in range(2)]
    twice = run_of(tmp_path, session)
    assert [i.record for i in twice.iterations] == [i.record for i in once.iterations]
    assert [i.output for i in twice.iterations] == [i.output for i in once.iterations]


def test_a_resumed_session_goes_on_under_its_new_id(tmp_path):
    session = Session(session="01d00000-0000-4000-8000-00000000abcd")
    session.user("Begin")
    session.says("Begun.", "m1")
    session.session = SESSION
    session.user("Go on")
    session.says("Gone on.", "m2")
    run = run_of(tmp_path, session)
    assert (run.begin.id, run.begin.resumed) == (SESSION, True)
    assert [one.record["session"] for one in run.iterations] == [
        "01d00000-0000-4000-8000-00000000abcd",
        SESSION,
    ]


def test_a_second_beginning_is_a_second_run(tmp_path):
    session = Session()
    for text in ("one", "two"):
        session.last = None
        session.user(f"Say {text}")
        session.says(text, f"m-{text}")
    runs, problems = runs_of(ID, written(tmp_path, "s.jsonl", session.text()))
    assert [run.begin.id for run in runs] == [SESSION, f"{SESSION}#2"]
    assert [[one.response for one in run.iterations] for run in runs] == [["one"], ["two"]]
    assert [one.index for run in runs for one in run.iterations] == [1, 1]
    assert problems == ()


def test_a_sub_agents_own_file(tmp_path):
    session = Session(isSidechain=True, agentId="a1b2")
    session.user("look around")
    session.says("Nothing here.", "m1")
    path = written(tmp_path, f"{SESSION}/subagents/agent-a1b2.jsonl", session.text())
    assert sniffed(path) == ID
    run = one_run(ID, path)
    assert (run.begin.id, run.begin.parent) == ("agent-a1b2", SESSION)
    assert [one.response for one in run.iterations] == ["Nothing here."]


def test_a_clock_that_goes_back_ends_no_iteration_before_it_began(tmp_path):
    session = two_turns()
    for line in session.lines[5:]:
        if "timestamp" in line:
            line["timestamp"] = line["timestamp"].replace("T10:", "T09:")
    for one in run_of(tmp_path, session).iterations:
        assert one.started_at is not None
        assert one.ended_at is not None
        assert one.started_at <= one.ended_at


def test_the_text_before_an_edit_makes_a_plan_known(tmp_path):
    session = Session()
    session.user("Go")
    session.calls("m1", "c1", "Edit", file_path="/w/TODO.md", old_string="[ ] b", new_string="[x] b")
    told = {"filePath": "/w/TODO.md", "originalFile": "- [x] a\n- [ ] b\n", "structuredPatch": []}
    session.gave("c1", "updated", toolUseResult=told)
    assert run_of(tmp_path, session).iterations[0].plan == "- [x] a\n- [x] b\n"


def test_to_dos_are_a_plan(tmp_path):
    session = Session()
    session.user("Go", todos=[{"content": "a", "status": "completed"}])
    session.says("Yes.", "m0")
    session.user("And on")
    todos = [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]
    session.calls("m1", "c1", "TodoWrite", todos=todos)
    session.gave("c1", "Todos have been modified")
    assert [one.plan for one in run_of(tmp_path, session).iterations] == ["- [x] a\n", "- [x] a\n- [ ] b\n"]


def test_bad_lines_are_told_by_number_and_the_rest_counts(tmp_path):
    lines = two_turns().text().split("\n")
    lines[4] = lines[4][:80]
    lines.insert(5, "[1, 2")
    lines.insert(6, '{"parentUuid":null,"type":7,"message":[],"uuid":{},"isSidechain":"x","sessionId":1}')
    lines.insert(7, '{"parentUuid":null,"type":"user","message":{"content":[7,{"type":"text","text":5}]}}')
    runs, problems = runs_of(ID, written(tmp_path, "s.jsonl", "\ufeff" + "\r\n".join(lines)))
    assert [problem.line for problem in problems] == [5, 6]
    assert [one.response for one in runs[0].iterations] == ["The reader is there.", "One test fails."]


def test_strange_characters(tmp_path):
    text = two_turns().text().replace("The reader is there.", "A \\u0000 half \\ud83d one \x01 and more")
    runs, problems = runs_of(ID, written(tmp_path, "s.jsonl", text))
    assert problems == ()
    assert runs[0].iterations[0].response == "A \0 half \ufffd one \x01 and more"


def test_a_long_line(tmp_path):
    session = two_turns()
    session.user("Next")
    session.says("x" * 1_500_000, "m9")
    assert len(run_of(tmp_path, session).iterations[2].response or "") == 1_500_000


def test_other_formats_do_not_fit(tmp_path):
    for name, text in (
        ("stream.jsonl", '{"type":"user","session_id":"s","message":{"role":"user","content":"a"}}\n'),
        ("empty.jsonl", ""),
        ("pi.jsonl", '{"type":"session","id":"p","timestamp":"2026-02-01T10:00:00Z","cwd":"/w"}\n'),
        ("notes.md", "- [ ] a\n"),
    ):
        assert sniffed(written(tmp_path, name, text)) != ID


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(content):
    any_bytes(ID, "s.jsonl", content)
    any_bytes(ID, "s.jsonl", two_turns().text().encode()[:700] + content)


def test_cut_anywhere():
    cut_anywhere(ID, "s.jsonl", two_turns().text().encode(), 97)


def test_a_dry_run(tmp_path):
    path = written(tmp_path, f"{SESSION}.jsonl", two_turns().text())
    found = dry_run([str(path)], ["recommended"], to_the_end=True)
    assert [(run.reader, run.iterations, run.granularity) for run in found.runs] == [(ID, 2, "turn")]
    assert [row.verdict for row in found.results[0].rows] == ["CONTINUE", "CONTINUE"]
