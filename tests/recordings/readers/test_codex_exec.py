"""What `codex exec --json` writes."""

# ruff: noqa: E501 - an event stands on one line, as the program writes it
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.model import AUTH, CRASH, MODEL, FileChange
from exitgate.recordings.replay.dry_run import dry_run

ID = "codex-exec"
STARTED = {"type": "thread.started", "thread_id": "th-1"}
TURN = {"type": "turn.started"}
DONE = {
    "type": "turn.completed",
    "usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7},
}


def item(kind: str, id: str, event: str = "item.completed", **more: Any) -> dict[str, Any]:
    return {"type": event, "item": {"id": id, "type": kind, **more}}


COMMAND = {"command": "zsh -lc pytest", "aggregated_output": "1 failed", "exit_code": 1, "status": "failed"}
EVENTS = [
    STARTED,
    TURN,
    item("reasoning", "i0", text="All is done"),
    item("agent_message", "i1", text="First the tests."),
    item("todo_list", "i2", "item.started", items=[{"text": "a", "completed": False}, {"text": "b", "completed": False}]),
    item("command_execution", "i3", "item.started", command="zsh -lc pytest", aggregated_output="", status="in_progress"),
    item("command_execution", "i3", **COMMAND),
    item("file_change", "i4", changes=[{"path": "/w/a.py", "kind": "update"}], status="completed"),
    item("file_change", "i5", changes=[{"path": "/w/b.py", "kind": "add"}], status="failed"),
    item("command_execution", "i6", command="rm x", aggregated_output="", status="declined"),
    item("todo_list", "i2", "item.updated", items=[{"text": "a", "completed": True}, {"text": "b", "completed": False}]),
    item("agent_message", "i7", text="One is left."),
    DONE,
]  # fmt: skip
USAGE = "error: unexpected argument '-x' found\n\nUsage: codex exec [OPTIONS] [PROMPT]\n\nFor more, try '--help'.\n"


def test_a_process(tmp_path):
    path = written(tmp_path, "run-1.jsonl", lines(EVENTS))
    assert sniffed(path) == ID
    run = one_run(ID, path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("run-1", "process", None)
    (one,) = run.iterations
    assert (one.response, one.output) == ("One is left.", "First the tests.\n\nOne is left.")
    assert one.tool_results == "1 failed"
    assert one.plan == "- [x] a\n- [ ] b\n"
    assert one.files_changed == (FileChange("/w/a.py"),)
    assert [(c.name, c.is_error, c.exit_status) for c in one.tool_calls or ()] == [
        ("command_execution", True, 1), ("file_change", False, None), ("file_change", True, None),
        ("command_execution", True, None),
    ]  # fmt: skip
    assert one.record == {
        "format": "JSON_LINES", "session": "th-1", "turns": 1, "is_error": False, "tokens": 107, "tool_calls": 4,
        "files_changed": 1, "truncated": False, "denials": [{"tool": "command_execution", "input": "rm x"}],
    }  # fmt: skip
    assert (one.provenance.first, one.provenance.last) == (1, 13)
    assert (one.started_at, one.ended_at, one.cost, one.error_kind, one.exit_status) == (None,) * 5
    assert run.end.how is None


def test_a_process_that_never_began(tmp_path):
    path = written(tmp_path, "run-2.jsonl", USAGE)
    assert sniffed(path) == ID
    run = one_run(ID, path)
    (one,) = run.iterations
    assert (one.error_kind, one.response, one.output) == (CRASH, None, None)
    assert one.record["is_error"] is True
    assert str(one.record["error"]).startswith("error: unexpected argument")
    assert (run.end.how, run.end.why) == ("failed", "error: unexpected argument '-x' found")


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("unexpected status 401 Unauthorized: no", AUTH),
        ("stream disconnected", MODEL),
        ("it said 401", MODEL),
    ],
)
def test_a_turn_that_failed(tmp_path, message, kind):
    events = [*EVENTS[:4], {"type": "turn.failed", "error": {"message": message}}]
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(events)))
    assert (run.iterations[0].error_kind, run.end.how, run.end.why) == (kind, "failed", message)
    assert run.iterations[0].record["is_error"] is True


def test_without_its_end_it_was_cut_off(tmp_path):
    run = one_run(ID, written(tmp_path, "a.jsonl", lines(EVENTS[:7])))
    assert run.iterations[0].record["truncated"] is True
    assert run.iterations[0].response == "First the tests."
    silent = one_run(ID, written(tmp_path, "b.jsonl", lines(EVENTS[:2])))
    assert silent.iterations[0].response is None
    assert "before the agent's first message" in silent.iterations[0].not_known["response"]


def test_a_plan_that_is_changed_in_a_way_not_shown_is_not_known(tmp_path):
    shown = {
        "command": "bash -lc cat",
        "aggregated_output": "- [ ] a\n",
        "exit_code": 0,
        "status": "completed",
    }
    events = [STARTED, TURN, item("command_execution", "i1", **{**shown, "command": "cat fix_plan.md"})]
    change = item(
        "file_change", "i2", changes=[{"path": "/w/fix_plan.md", "kind": "update"}], status="completed"
    )
    known = one_run(ID, written(tmp_path, "a.jsonl", lines([*events, DONE])))
    assert known.iterations[0].plan == "- [ ] a\n"
    changed = one_run(ID, written(tmp_path, "b.jsonl", lines([*events, change, DONE])))
    assert changed.iterations[0].plan is None


def test_lines_between_are_told(tmp_path):
    text = lines(EVENTS[:3]) + "Reading prompt from stdin...\n" + lines(EVENTS[3:])
    runs, problems = runs_of(ID, written(tmp_path, "a.jsonl", text))
    assert [problem.line for problem in problems] == [4]
    assert runs[0].iterations[0].response == "One is left."


def test_other_formats_do_not_fit(tmp_path):
    for name, text in (
        ("a.jsonl", '{"type":"error","message":"x"}\n'),
        ("b.jsonl", ""),
        ("c.md", "# How to\n\nUsage: codex exec [OPTIONS]\n"),
        ("d.jsonl", '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"a"}}\n'),
    ):
        assert sniffed(written(tmp_path, name, text)) != ID, name


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes(content):
    any_bytes(ID, "a.jsonl", content)
    any_bytes(ID, "a.jsonl", lines(EVENTS).encode()[:500] + content)


def test_cut_anywhere():
    cut_anywhere(ID, "a.jsonl", lines(EVENTS).encode(), 31)


def test_a_dry_run(tmp_path):
    path = written(tmp_path, "a.jsonl", lines(EVENTS))
    found = dry_run([str(path)], ["recommended"], to_the_end=True)
    assert [(run.reader, run.iterations, run.tokens) for run in found.runs] == [(ID, 1, 107)]
