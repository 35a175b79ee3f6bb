"""Session files of Claude Code: what was taken back, broken off, refused, or kept going by a hook."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from claude_sessions import SESSION, Session
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import one_run, runs_of, written

from exitgate.recordings.location import Location
from exitgate.recordings.model import AUTH, MODEL, USAGE_LIMIT
from exitgate.recordings.readers.claude_session import records as chain

ID = "claude-session"


def run_of(folder: Path, session: Session, *, spaced: bool = False):
    return one_run(ID, written(folder, f"{SESSION}.jsonl", session.text(spaced=spaced)))


def turn(session: Session, text: str, **more: object) -> str:
    """Add a prompt with an answer; return the id of the answer."""
    session.user(text, **more)
    return session.says(f"Did: {text}", f"m-{text}")


@pytest.mark.parametrize("spaced", [False, True])
def test_a_prompt_that_was_taken_back_counts_as_never_written(tmp_path, spaced):
    session = Session()
    first = turn(session, "one")
    turn(session, "wrong")
    turn(session, "worse")
    turn(session, "two", parent=first)
    turn(session, "three")
    run = run_of(tmp_path, session, spaced=spaced)
    assert [one.prompt for one in run.iterations] == ["one", "two", "three"]
    assert [one.index for one in run.iterations] == [1, 2, 3]
    assert "wrong" not in "".join(one.output or "" for one in run.iterations)


@pytest.mark.parametrize("spaced", [False, True])
def test_taken_back_twice(tmp_path, spaced):
    session = Session()
    first = turn(session, "one")
    second = turn(session, "two")
    turn(session, "a")
    turn(session, "three", parent=second)
    turn(session, "b", parent=first)
    turn(session, "c")
    run = run_of(tmp_path, session, spaced=spaced)
    assert [one.prompt for one in run.iterations] == ["one", "b", "c"]


def test_calls_side_by_side_are_no_branches(tmp_path):
    session = Session()
    session.user("Go")
    first = session.calls("m1", "c1", "Read", file_path="a")
    session.calls("m1", "c2", "Read", file_path="b")
    session.gave("c1", "A", parent=first)
    session.gave("c2", "B")
    session.says("Both.", "m2")
    turn(session, "next")
    run = run_of(tmp_path, session)
    assert [one.response for one in run.iterations] == ["Both.", "Did: next"]
    assert run.iterations[0].tool_results == "A\nB"


def test_a_parent_that_is_not_there_takes_nothing_back(tmp_path):
    session = Session()
    turn(session, "one", parent="gone")
    turn(session, "two", parent="gone too")
    assert [one.prompt for one in run_of(tmp_path, session).iterations] == ["one", "two"]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(600, 3000), st.integers(1, 4))
def test_in_pieces_of_any_size_the_same_prompts_were_taken_back(seed, piece, recent):
    rng = random.Random(seed)
    session = Session()
    answers = [turn(session, "0")]
    for number in range(1, 12):
        behind = rng.choice(answers) if rng.random() < 0.3 else ""
        answers.append(turn(session, f"{number} " + "x" * rng.randrange(400), parent=behind))
    parents = {str(line["uuid"]): line["parentUuid"] for line in session.lines}
    at, kept = session.last, set()
    while at is not None:
        kept.add(at)
        at = parents[at]
    prompts = [str(line["uuid"]) for line in session.lines if line["type"] == "user"]
    with pytest.MonkeyPatch.context() as patch, __import__("tempfile").TemporaryDirectory() as folder:
        patch.setattr(chain, "_PIECE", piece)
        patch.setattr(chain, "_RECENT", recent)
        path = written(Path(folder), "s.jsonl", session.text())
        assert chain.taken_back(Location(str(path))) == frozenset(p for p in prompts if p not in kept)


def test_a_hook_that_keeps_the_agent_going_begins_an_iteration_each_time(tmp_path):
    session = Session()
    session.user("Work through the list")
    for number in range(1, 4):
        session.says(f"Did task {number}.", f"m{number}")
        if number < 3:
            session.user(f"Stop hook feedback:\n[loop.sh]: Work through the list, pass {number}", isMeta=True)
            session.stops(hookErrors=["Work through the list"])
    session.stops()
    run = run_of(tmp_path, session)
    assert [one.response for one in run.iterations] == ["Did task 1.", "Did task 2.", "Did task 3."]
    assert [one.prompt for one in run.iterations] == [
        "Work through the list",
        "[loop.sh]: Work through the list, pass 1",
        "[loop.sh]: Work through the list, pass 2",
    ]


def test_a_hook_whose_words_are_written_behind_its_stop(tmp_path):
    session = Session()
    session.user("Work")
    session.says("One.", "m1")
    session.stops()
    session.user("Work, again", isMeta=True)
    session.says("Two.", "m2")
    session.stops()
    session.says("Three.", "m3")
    run = run_of(tmp_path, session)
    assert [(one.prompt, one.response) for one in run.iterations] == [
        ("Work", "One."), ("Work, again", "Two."), (None, "Three."),
    ]  # fmt: skip


def test_what_a_person_broke_off(tmp_path):
    session = Session()
    session.user("Go")
    session.says("Let me see.", "m1")
    session.calls("m1", "c1", "Bash", command="sleep 9")
    session.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    run = run_of(tmp_path, session)
    assert [(one.prompt, one.response) for one in run.iterations] == [("Go", "Let me see.")]
    assert run.iterations[0].record["truncated"] is True
    assert run.end.how == "interrupted"
    turn(session, "Go on")
    run = run_of(tmp_path, session)
    assert [one.prompt for one in run.iterations] == ["Go", "Go on"]
    assert "truncated" not in run.iterations[1].record
    assert run.end.how is None


def test_refused_calls_are_denials(tmp_path):
    session = Session()
    session.user("Go")
    session.calls("m1", "c1", "Bash", command="rm -r /")
    session.gave("c1", "The user doesn't want to proceed with this tool use. It was rejected", failed=True)
    session.calls("m2", "c2", "Write", file_path="/etc/x", content="- [ ] a\n")
    session.gave("c2", "Claude requested permissions to write to /etc/x, but not yet.", failed=True)
    session.calls("m3", "c3", "Bash", command="echo")
    session.gave("c3", "The user doesn't want to proceed with this tool use.")
    (one,) = run_of(tmp_path, session).iterations
    assert one.record["denials"] == [
        {"tool": "Bash", "input": "rm -r /"}, {"tool": "Write", "input": "/etc/x"},
    ]  # fmt: skip
    assert one.files_changed is None  # no edit was made, but a command was run
    assert one.plan is None


def failing(session: Session, text: str, **more: object) -> None:
    message = {
        "id": "e",
        "model": "<synthetic>",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
    }
    session.add("assistant", message=message, isApiErrorMessage=True, **more)


@pytest.mark.parametrize(
    ("text", "more", "kind", "how"),
    [
        ("API Error: 401 {}", {}, AUTH, "failed"),
        ("API Error: 429 {}", {}, USAGE_LIMIT, "wait"),
        ("API Error: 529 overloaded", {}, MODEL, "failed"),
        ("You are out of it", {"error": "rate_limit"}, USAGE_LIMIT, "wait"),
        ("Who are you", {"error": "authentication_failed"}, AUTH, "failed"),
        ("It said: API Error: 401", {}, MODEL, "failed"),
        ("Claude AI usage limit reached|1769900000", {}, USAGE_LIMIT, "wait"),
    ],
)
def test_errors_of_the_service_are_no_words_of_the_agents(tmp_path, text, more, kind, how):
    session = Session()
    session.user("Go")
    session.says("Half.", "m1")
    failing(session, text, **more)
    run = run_of(tmp_path, session)
    (one,) = run.iterations
    assert (one.response, one.output, one.error_kind) == ("Half.", "Half.", kind)
    assert (one.record["is_error"], one.record["error"]) == (True, text)
    assert (run.end.how, run.end.why) == (how, text)
    limits = [{"status": "rejected", "resets_at": 1769900000}] if "|" in text else None
    assert one.record.get("limits") == limits


def test_an_error_that_was_got_over_is_none(tmp_path):
    session = Session()
    session.user("Go")
    failing(session, "API Error: 529")
    session.says("All right.", "m1")
    run = run_of(tmp_path, session)
    assert run.iterations[0].record["is_error"] is False
    assert (run.iterations[0].error_kind, run.end.how) == (None, None)
    assert "error" not in run.iterations[0].record


def test_what_the_program_says_in_the_agents_place_without_an_error(tmp_path):
    session = Session()
    turn(session, "one")
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": "No response requested."}]}
    session.add("assistant", message=message)
    (one,) = run_of(tmp_path, session).iterations
    assert one.output == "Did: one"


def test_a_prompt_without_an_answer_is_not_an_empty_answer(tmp_path):
    session = Session()
    session.user("Go")
    (one,) = run_of(tmp_path, session).iterations
    assert (one.prompt, one.response, one.output) == ("Go", None, None)
    assert one.not_known["response"]


def test_costs_of_old_versions_add_up_and_are_no_running_total(tmp_path):
    session = Session()
    for number in range(2):
        session.user("Go")
        for block in ("a", "b"):
            session.says(block, f"m{number}", costUSD=0.25)
    run = run_of(tmp_path, session)
    assert [one.cost for one in run.iterations] == [0.25, 0.25]
    assert all("session" not in one.record for one in run.iterations)


def test_usage_counts_once_a_message_and_the_last_one_told(tmp_path):
    session = Session()
    session.user("Go")
    session.block({"type": "text", "text": "a"}, "m1", tokens=20)
    session.block({"type": "tool_use", "id": "c", "name": "x", "input": {}}, "m1", tokens=30)
    assert run_of(tmp_path, session).iterations[0].record["tokens"] == 30


def test_unknown_kinds_of_lines_and_members(tmp_path):
    session = Session()
    session.plain(type="mode-change", to="plan")
    turn(session, "one")
    session.add("attachment", attachment={"type": "todo", "content": []})
    session.add("system", subtype="away", new={"a": [1]})
    session.user([{"type": "document", "source": {}}])
    session.add(
        "assistant", message={"id": "m", "content": [{"type": "server_tool_use", "input": []}], "x": 1}
    )
    runs, problems = runs_of(ID, written(tmp_path, "s.jsonl", session.text()))
    assert problems == ()
    assert [one.response for one in runs[0].iterations] == ["Did: one"]


def test_progress_is_told_by_its_type_and_not_by_words_in_a_line(tmp_path):
    session = Session()
    turn(session, "one")
    block = {"type": "tool_use", "id": "c", "name": "x", "input": {"type": "progress", "message": 1}}
    message = {"role": "assistant", "id": "m2", "content": [block, {"type": "text", "text": "still here"}]}
    line = {"parentUuid": "a", "message": message, "type": "assistant", "uuid": "u-9", "sessionId": SESSION}
    text = session.text() + json.dumps(line, separators=(",", ":")) + "\n"
    run = one_run(ID, written(tmp_path, "s.jsonl", text))
    assert run.iterations[0].response == "still here"
