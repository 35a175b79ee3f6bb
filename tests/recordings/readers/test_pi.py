"""Session files of pi."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.model import AUTH, CRASH, MODEL, USAGE_LIMIT, FileChange
from exitgate.recordings.replay.dry_run import dry_run

PLAN = "- [x] one\n- [ ] two\n"
HEADER: dict[str, Any] = {
    "type": "session",
    "id": "p-1",
    "timestamp": "2026-02-01T10:00:00.000Z",
    "cwd": "/w",
    "provider": "p",
    "modelId": "mod-1",
}


def message(second: int, role: str, **more: Any) -> dict[str, Any]:
    at = f"2026-02-01T10:{second // 60:02}:{second % 60:02}.000Z"
    return {"type": "message", "timestamp": at, "message": {"role": role, **more}}


def words(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text}]


def user(second: int, text: str) -> dict[str, Any]:
    return message(second, "user", content=words(text))


def called(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def said(second: int, content: list[Any], cost: float, reason: str, **more: Any) -> dict[str, Any]:
    usage = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 1, "cost": {"total": cost}}
    return message(
        second, "assistant", content=content, model="mod-1", usage=usage, stopReason=reason, **more
    )


def gave(second: int, id: str, text: str, *, failed: bool = False) -> dict[str, Any]:
    return message(second, "toolResult", toolCallId=id, toolName="x", content=words(text), isError=failed)


EVENTS = [
    HEADER,
    user(1, "Begin."),
    said(
        2,
        [
            {"type": "thinking", "thinking": "done?"},
            *words("I write."),
            called("a", "write", path="fix_plan.md", content=PLAN),
        ],
        0.5,
        "toolUse",
    ),
    gave(3, "a", "written"),
    said(4, [called("b", "edit", path="a.py", oldText="x", newText="y")], 0.25, "toolUse"),
    gave(5, "b", "no match", failed=True),
    {"type": "thinking_level_change", "timestamp": "2026-02-01T10:00:06Z", "thinkingLevel": "off"},
    said(7, words("One is built."), 0.25, "stop"),
    {
        "type": "compaction",
        "timestamp": "2026-02-01T10:00:08Z",
        "summary": "everything is done",
        "tokensBefore": 9,
    },
    message(9, "bashExecution", command="ls", output="everything is done", exitCode=0),
    user(60, "Go on."),
    said(61, words("I go"), 0.125, "aborted", errorMessage="Request was aborted"),
]


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "s.jsonl", lines(EVENTS))
    assert sniffed(path) == "pi"
    run = one_run("pi", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("p-1", "turn", 1769940001.0)
    assert (run.begin.resumed, run.end.how, run.end.why) == (False, "interrupted", "aborted")
    one, two = run.iterations
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I write.\n\nOne is built.")
    assert (one.provenance.first, one.provenance.last) == (2, 10)
    assert (one.started_at, one.ended_at) == (1769940001.0, 1769940009.0)
    assert one.record == {
        "format": "JSON_LINES",
        "model": "mod-1",
        "cost": 1.0,
        "tokens": 348,
        "turns": 3,
        "tool_calls": 2,
        "stop_reason": "stop",
        "is_error": False,
        "files_changed": 1,
    }
    assert (one.plan, one.files_changed) == (PLAN, (FileChange("fix_plan.md"),))
    assert one.tool_results == "written\nno match"
    assert (two.cost, two.record["truncated"], "is_error" in two.record) == (0.125, True, False)


def test_costs_that_grow_from_turn_to_turn_are_each_turns_own(tmp_path: Path) -> None:
    turns = [HEADER]
    for number in range(4):
        turns += [user(number * 10, "x"), said(number * 10 + 1, words("y"), 0.5 + number, "stop")]
    (found,) = dry_run(
        [str(written(tmp_path, "s.jsonl", lines(turns)))], ["recommended"], to_the_end=True
    ).results
    assert found.costs == (0.5, 1.5, 2.5, 3.5)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('401 {"type":"error"}', AUTH),
        ("429 too many", USAGE_LIMIT),
        ("500", MODEL),
        ("4291 lines and a usage limit", CRASH),
        ("", CRASH),
    ],
)
def test_an_error_has_the_kind_of_its_status(tmp_path: Path, error: str, kind: str) -> None:
    events = [HEADER, user(1, "x"), said(2, [], 0.0, "error", errorMessage=error)]
    run = one_run("pi", written(tmp_path, "s.jsonl", lines(events)))
    (one,) = run.iterations
    assert (one.record["is_error"], one.error_kind, run.end.how) == (True, kind, "failed")
    assert one.response == ""


def test_a_branch_begins_with_what_it_took_over(tmp_path: Path) -> None:
    header = {**HEADER, "timestamp": "2026-02-02T00:00:00Z", "branchedFrom": "/x/other.jsonl"}
    run = one_run("pi", written(tmp_path, "s.jsonl", lines([header, *EVENTS[1:]])))
    assert (run.begin.started_at, run.begin.resumed, run.begin.parent) == (1769940001.0, True, None)


def test_a_clock_that_goes_back_does_not_end_a_turn_before_it_began(tmp_path: Path) -> None:
    events = [HEADER, user(30, "x"), said(10, words("y"), 0.1, "stop")]
    (one,) = one_run("pi", written(tmp_path, "s.jsonl", lines(events))).iterations
    assert one.started_at == one.ended_at == 1769940030.0


def test_two_sessions_in_a_file_are_two_runs(tmp_path: Path) -> None:
    runs, _ = runs_of(
        "pi", written(tmp_path, "s.jsonl", lines([*EVENTS, {**HEADER, "id": "p-2"}, *EVENTS[1:]]))
    )
    assert [(run.begin.id, [i.index for i in run.iterations]) for run in runs] == [
        ("p-1", [1, 2]),
        ("p-2", [1, 2]),
    ]


def test_bad_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    body = "\ufeff" + lines(EVENTS[:3]) + "not json\r\n\0\n" + lines(EVENTS[3:]) + '{"type": "mess'
    runs, problems = runs_of("pi", written(tmp_path, "s.jsonl", body))
    assert [problem.line for problem in problems] == [4, 15]
    assert [one.response for one in runs[0].iterations] == ["One is built.", "I go"]


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("pi", "s.jsonl", lines(EVENTS).encode(), 23)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("pi", "s.jsonl", lines(EVENTS[:2]).encode() + content)


def test_a_long_line_is_read(tmp_path: Path) -> None:
    events = [HEADER, user(1, "x" * 1_000_000), said(2, words("y"), 0.1, "stop")]
    (one,) = one_run("pi", written(tmp_path, "s.jsonl", lines(events))).iterations
    assert len(one.prompt or "") == 1_000_000
