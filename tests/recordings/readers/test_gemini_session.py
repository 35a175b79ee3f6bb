"""Session files of Gemini CLI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, FileChange, collect
from exitgate.recordings.replay.dry_run import dry_run

PLAN = "- [x] one\n- [ ] two\n"
HEAD: dict[str, Any] = {
    "sessionId": "g-1",
    "projectHash": "ab12",
    "startTime": "2026-02-01T10:00:00.000Z",
    "lastUpdated": "2026-02-01T10:09:00.000Z",
}


def row(kind: str, clock: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": f"m-{clock}", "timestamp": f"2026-02-01T{clock}Z", "type": kind, "content": content, **more}


def tokens(total: int) -> dict[str, int]:
    return {"input": total - 1, "output": 1, "cached": 5, "thoughts": 0, "tool": 0, "total": total}


def used(name: str, status: str, given_back: dict[str, str], **args: Any) -> dict[str, Any]:
    response = {"functionResponse": {"id": "x", "name": name, "response": given_back}}
    return {"id": f"{name}-{len(args)}", "name": name, "args": args, "result": [response], "status": status}


ROWS = [
    row("warning", "10:00:00", "a notice of the program"),
    row("user", "10:00:01", "Work on the list."),
    row(
        "gemini",
        "10:00:10",
        "I begin.",
        model="gem-1",
        tokens=tokens(100),
        thoughts=[{"subject": "s", "description": "all done"}],
        toolCalls=[
            used("write_file", "success", {"output": "ok"}, file_path="fix_plan.md", content=PLAN),
            used(
                "run_shell_command",
                "success",
                {"output": "Command: make\nExit Code: 2\nSignal: 0"},
                command="make",
            ),
            used("replace", "error", {"error": "no match"}, file_path="a.py", old_string="a", new_string="b"),
        ],
    ),
    row("info", "10:00:11", "an update is there"),
    row("gemini", "10:00:20", "One is built.", tokens=tokens(50)),
    row("user", "10:05:00", [{"text": "Go on."}]),
    row("error", "10:05:09", "[API Error: quota]"),
]


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "session-1.json", {**HEAD, "messages": ROWS})
    assert sniffed(path) == "gemini-session"
    run = one_run("gemini-session", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("g-1", TURN, 1769940000.0)
    assert (run.end.how, run.end.ended_at) == (None, 1769940540.0)
    one, two = run.iterations
    assert (one.prompt, one.response) == ("Work on the list.", "One is built.")
    assert one.output == "I begin.\n\nOne is built."
    assert (one.started_at, one.ended_at) == (1769940001.0, 1769940020.0)
    assert one.record == {
        "format": "JSON",
        "session": "g-1",
        "model": "gem-1",
        "tokens": 150,
        "turns": 2,
        "tool_calls": 3,
        "files_changed": 1,
    }
    assert one.cost is None
    assert one.files_changed == (FileChange("fix_plan.md"),)
    assert one.plan == PLAN
    assert one.tool_calls is not None
    assert [(c.name, c.is_error, c.exit_status) for c in one.tool_calls] == [
        ("write_file", False, None),
        ("run_shell_command", False, 2),
        ("replace", True, None),
    ]
    assert one.tool_results == "ok\nCommand: make\nExit Code: 2\nSignal: 0\nno match"
    assert (two.prompt, two.response, two.plan) == ("Go on.", None, PLAN)
    assert two.record["is_error"] is True
    assert two.record["error"] == "[API Error: quota]"


def test_an_error_that_was_got_over_is_none(tmp_path: Path) -> None:
    rows = [row("user", "10:00:00", "x"), row("error", "10:00:01", "e"), row("gemini", "10:00:02", "y")]
    run = one_run("gemini-session", written(tmp_path, "s.json", {**HEAD, "messages": rows}))
    assert "is_error" not in run.iterations[0].record


def test_a_session_of_lines_has_lines(tmp_path: Path) -> None:
    rows = [*ROWS[:3], {"$set": {"lastUpdated": "x"}}, *ROWS[3:]]
    path = written(tmp_path, "session-2.jsonl", lines([HEAD, *rows]))
    assert sniffed(path) == "gemini-session"
    run = one_run("gemini-session", path)
    assert [(i.provenance.first, i.provenance.last) for i in run.iterations] == [(3, 7), (8, 9)]
    assert run.iterations[0].record["format"] == "JSON_LINES"
    assert run.iterations[0].response == "One is built."


def test_what_is_called_gemini_and_is_claudes_is_told_by_its_content(tmp_path: Path) -> None:
    entry = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "sessionId": "s",
        "isSidechain": False,
        "cwd": "/w",
        "timestamp": "2026-02-01T10:00:00Z",
        "message": {"role": "user", "content": "gemini-session"},
    }
    assert sniffed(written(tmp_path, "gemini-session.json", lines([entry, entry]))) != "gemini-session"


def test_a_bad_line_does_not_void_the_rest(tmp_path: Path) -> None:
    body = lines([HEAD, ROWS[1]]) + "{broken\n" + lines(ROWS[2:])
    runs, problems = runs_of("gemini-session", written(tmp_path, "s.jsonl", body))
    assert [problem.line for problem in problems] == [3]
    assert [i.response for i in runs[0].iterations] == ["One is built.", None]


def test_what_nobody_wants_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "s.json", {**HEAD, "messages": ROWS})
    runs, _ = collect(
        registry.load("gemini-session").read(Location(str(path)), frozenset()), "gemini-session"
    )
    one = runs[0].iterations[0]
    assert (one.tool_calls, one.tool_results, one.plan, one.files) == (None, None, None, {})
    assert one.response == "One is built."


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("gemini-session", "s.json", json.dumps({**HEAD, "messages": ROWS}).encode(), 23)
    cut_anywhere("gemini-session", "s.jsonl", lines([HEAD, *ROWS]).encode(), 23)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("gemini-session", "s.json", content)
    any_bytes("gemini-session", "s.jsonl", lines([HEAD]).encode() + content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run(
        [str(written(tmp_path, "s.json", {**HEAD, "messages": ROWS}))], ["recommended"]
    ).results
    assert (found.run.reader, found.run.iterations, found.run.tokens) == ("gemini-session", 2, 150)
