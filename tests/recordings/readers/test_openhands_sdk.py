"""OpenHands' SDK: JSON lines, lists, folders of event files."""

from __future__ import annotations

import json
from pathlib import Path

import openhands_sdk_samples as samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.discovery import discover
from exitgate.recordings.model import Problem
from exitgate.recordings.replay.dry_run import dry_run

READER = "openhands-sdk"


def folder_of(base: Path, events: list[dict[str, object]]) -> Path:
    """Write each event as a file of its own, as the SDK's file store does."""
    for number, event in enumerate(events):
        written(base / "events", f"event-{number:05d}-{event['id']}.json", event)
    written(base, "base_state.json", {"id": "conversation", "agent": {"kind": "Agent"}})
    return base / "events"


def test_every_part_of_json_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "conv.jsonl", lines(samples.conversation()))
    assert sniffed(path) == READER
    run = one_run(READER, path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("conv", "step", 1767348000.25)
    look, plan, end = run.iterations
    assert (look.index, look.response, look.output, look.prompt) == (1, "I look.", "I look.", "Add a port.")
    assert look.tool_calls is not None
    call = look.tool_calls[0]
    assert (call.name, call.id) == ("terminal", "c1")
    assert call.input == {"command": "make test", "is_input": False}
    assert (call.result, call.is_error, call.exit_status) == ("boom", False, 2)
    assert (look.started_at, look.ended_at) == (1767348004.25, 1767348005.25)
    assert look.record == {"format": "JSON", "cost": 0.01, "tokens": 100, "tool_calls": 1}
    assert (look.provenance.file, look.provenance.first, look.provenance.last) == (str(path), 5, 6)
    assert plan.record["cost"] == pytest.approx(0.02)
    assert plan.record["tokens"] == 250  # with what the condenser used
    assert [change.path for change in plan.files_changed or ()] == ["/w/PLAN.md"]
    assert plan.plan == "- [ ] port\n"
    assert (end.response, end.output) == ("The port is added.", "So.\n\nThe port is added.")
    assert end.tool_calls == ()
    assert (run.end.how, run.end.why, run.end.ended_at) == ("complete", "finished", 1767348012.25)
    assert (run.end.cost, run.end.tokens) == (None, None)


def test_a_folder_of_event_files_is_one_run(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "abc", samples.conversation())
    written(folder, "notes.txt", "mine")
    assert sniffed(folder) == READER
    found = list(discover([str(tmp_path)]))
    assert [(one.place.name, one.reader) for one in found if one.reader] == [("events", READER)]
    assert [one.place.name for one in found if not one.reader] == ["base_state.json", "notes.txt"]
    run = one_run(READER, folder)
    assert run.begin.id == "abc"
    assert [one.response for one in run.iterations] == ["I look.", "A plan.", "The port is added."]
    assert run.iterations[1].provenance.file.endswith("event-00007-e7.json")


def test_event_files_are_read_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (9, 10, 100):
        written(
            tmp_path, f"event-{number}-x.json", samples.action(number % 60, f"say {number}", f"c{number}")
        )
    run = one_run(READER, tmp_path)
    assert [one.response for one in run.iterations] == ["say 9", "say 10", "say 100"]


def test_a_list_of_events(tmp_path: Path) -> None:
    path = written(tmp_path, "trajectory.json", json.dumps(samples.conversation(), indent=2))
    assert sniffed(path) == READER
    assert len(one_run(READER, path).iterations) == 3


@pytest.mark.parametrize(
    ("last", "how", "why"),
    [
        (samples.state(20, "execution_status", "stuck"), "stuck", "stuck"),
        (samples.state(20, "agent_status", "error"), "failed", "error"),
        (samples.state(20, "execution_status", "waiting_for_confirmation"), "blocked",
         "waiting_for_confirmation"),
        (samples.state(20, "full_state", {"execution_status": "idle"}), None, "idle"),
        (samples.event(20, "PauseEvent", "user"), "interrupted", "paused"),
        (samples.event(20, "ConversationErrorEvent", code="MaxIterationsReached", detail="500"), "exhausted",
         "MaxIterationsReached: 500"),
        (samples.event(20, "ConversationErrorEvent", code="LLMError", detail=""), "failed", "LLMError"),
    ],
)  # fmt: skip
def test_how_it_ended_is_the_conversations_word(
    tmp_path: Path, last: dict[str, object], how: str | None, why: str
) -> None:
    path = written(tmp_path, "c.jsonl", lines([*samples.conversation()[:9], last]))
    run = one_run(READER, path)
    assert (run.end.how, run.end.why) == (how, why)


def test_what_was_used_behind_the_last_step_is_told_as_the_sum(tmp_path: Path) -> None:
    events = [*samples.conversation(), samples.stats(13, 0.09, 900)]
    run = one_run(READER, written(tmp_path, "c.jsonl", lines(events)))
    assert sum(one.cost or 0 for one in run.iterations) == pytest.approx(0.04)
    assert (run.end.cost, run.end.tokens) == (pytest.approx(0.09), 900)


def test_calls_of_one_answer_get_their_own_results(tmp_path: Path) -> None:
    one, two = samples.action(1, "Both.", "c1", command="a"), samples.action(2, "", "c2", command="b")
    two["llm_response_id"] = one["llm_response_id"]
    events = [one, two, samples.observed(3, "of b", "e2", "c2"), samples.observed(4, "of a", "e1", "c1")]
    run = one_run(READER, written(tmp_path, "c.jsonl", lines(events)))
    assert [(i.response, i.tool_results) for i in run.iterations] == [("Both.", "of a"), ("", "of b")]


def test_an_observation_without_its_action_is_a_step_of_which_nothing_was_said(tmp_path: Path) -> None:
    events = [samples.observed(1, "out", "gone", "c9", exit_code=-1), *samples.conversation()[4:6]]
    run = one_run(READER, written(tmp_path, "c.jsonl", lines(events)))
    lost, look = run.iterations
    assert (lost.response, lost.tool_results) == (None, "out")
    assert lost.not_known == {"response": "the transcript does not have it"}
    assert lost.tool_calls is not None
    assert lost.tool_calls[0].exit_status is None
    assert look.response == "I look."


def test_errors_refusals_lists_and_condensed_histories(tmp_path: Path) -> None:
    events = [
        samples.action(1, "Try.", "c1", command="x"),
        samples.event(2, "AgentErrorEvent", "agent", tool_name="terminal", tool_call_id="c1",
                      error="no such"),
        samples.action(3, "Push.", "c2", command="git push"),
        samples.event(4, "UserRejectObservation", "user", tool_name="terminal", tool_call_id="c2",
                      action_id="e3", rejection_reason="not now"),
        samples.event(5, "Condensation", forgotten_event_ids=["e1"], summary="everything is done, all pass"),
        samples.action(6, "Listed.", "c3", "task_tracker", kind="TaskTrackerAction", command="plan",
                       task_list=[{"title": "push", "notes": "", "status": "in_progress"}]),
        samples.event(7, "MessageEvent", "agent",
                      llm_message={"role": "assistant", "content": samples.text("Hm.")}),
        samples.event(8, "SomethingNew", "agent", text="?"),
    ]  # fmt: skip
    run = one_run(READER, written(tmp_path, "c.jsonl", lines(events)))
    failed, refused, listed, said = run.iterations
    assert failed.error_kind == "tool"
    assert failed.tool_results == "no such"
    assert refused.record["denials"] == [{"tool": "terminal", "input": "git push"}]
    assert listed.plan == "- [ ] push\n"
    assert said.response == "Hm."
    assert not any("everything is done" in (one.output or "") for one in run.iterations)


def test_the_same_event_twice_and_a_bad_line(tmp_path: Path) -> None:
    events = samples.conversation()
    text = lines(events[:6]) + "Terminated: 15\n" + "[1, 2\n" + lines(events[4:])
    path = written(tmp_path, "c.jsonl", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert sniffed(path) == READER
    runs, problems = runs_of(READER, path)
    assert [one.response for one in runs[0].iterations] == ["I look.", "A plan.", "The port is added."]
    assert [(one.line, one.message) for one in problems] == [
        (7, "not JSON; skipped"),
        (8, "not JSON; skipped"),
    ]


def test_a_file_that_cannot_be_read_does_not_void_the_folder(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "abc", samples.conversation())
    (folder / "event-00099-gone.json").symlink_to(tmp_path / "nowhere")
    runs, problems = runs_of(READER, folder)
    assert len(runs[0].iterations) == 3
    assert problems == (Problem(str(folder / "event-00099-gone.json"), "No such file or directory"),)


def test_a_policy_walks_over_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "abc", samples.conversation())
    found = dry_run([str(folder)], ["recommended"])
    assert [(one.run.id, one.run.reader, one.run.iterations) for one in found.results] == [("abc", READER, 3)]


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes(content: bytes) -> None:
    any_bytes(READER, "x.jsonl", content)
    any_bytes(READER, "x.jsonl", lines(samples.conversation()[:6]).encode() + content)


def test_cut_off_anywhere() -> None:
    cut_anywhere(READER, "x.jsonl", lines(samples.conversation()).encode(), 29)
