"""Events of Copilot CLI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, lines, one_run, runs_of, sniffed, written

from exitgate.recordings.model import USAGE_LIMIT, FileChange
from exitgate.recordings.replay.dry_run import dry_run

TODO = "- [x] one\n- [ ] two\n"


def event(kind: str, second: int, **told: Any) -> dict[str, Any]:
    at = f"2026-02-01T10:{second // 60:02}:{second % 60:02}.000Z"
    return {"type": kind, "data": told, "id": f"e-{kind}-{second}", "timestamp": at, "parentId": None}


def said(second: int, content: str, *requests: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {"messageId": f"m-{second}", "model": "mod-1", "content": content, "toolRequests": list(requests)}
    return event("assistant.message", second, outputTokens=9, **told, **more)


def asked(id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"toolCallId": id, "name": name, "arguments": arguments, "type": "function"}


def came(second: int, id: str, text: str, **more: Any) -> dict[str, Any]:
    return event(
        "tool.execution_complete", second, toolCallId=id, success=True, result={"content": text}, **more
    )


def start(session: str = "c-1", second: int = 0) -> dict[str, Any]:
    return event("session.start", second, sessionId=session, startTime="2026-02-01T10:00:00.000Z")


EVENTS = [
    start(),
    event("system.message", 1, role="system", content="You are a tool."),
    event("user.message", 2, content="Begin.", transformedContent="<x/> Begin.", parentAgentTaskId="task-1"),
    event("assistant.turn_start", 3, turnId="0"),
    said(
        4,
        "I write.",
        asked("t1", "create", path="fix_plan.md", file_text=TODO),
        asked("t2", "bash", command="git push"),
    ),
    event("tool.execution_start", 5, toolCallId="t1", toolName="create", arguments={"path": "fix_plan.md"}),
    event("hook.start", 5, hookType="preToolUse", input={"x": 1}),
    came(6, "t1", "made"),
    event(
        "permission.completed",
        7,
        requestId="r",
        toolCallId="t2",
        result={"kind": "denied-interactively-by-user"},
    ),
    event("tool.execution_complete", 8, toolCallId="t2", success=False, error={"message": "not allowed"}),
    said(9, "sub-agent: everything is done", parentToolCallId="t3"),
    said(10, "One is built."),
    event("assistant.turn_end", 11, turnId="0"),
    event("user.message", 70, content="Go on.", parentAgentTaskId="task-2"),
    said(71, "I go on."),
    event("abort", 72, reason="user_initiated"),
]


def test_a_user_message_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, "events.jsonl", lines(EVENTS))
    assert sniffed(path) == "copilot"
    run = one_run("copilot", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("c-1", "turn", 1769940000.0)
    assert (run.end.how, run.end.why, run.begin.parent) == ("interrupted", "user_initiated", None)
    one, two = run.iterations
    assert (one.prompt, one.response, one.output) == ("Begin.", "One is built.", "I write.\n\nOne is built.")
    assert (one.provenance.first, one.provenance.last) == (3, 13)
    assert (one.started_at, one.ended_at) == (1769940002.0, 1769940011.0)
    assert one.record == {
        "format": "JSON_LINES",
        "session": "c-1",
        "model": "mod-1",
        "turns": 2,
        "tool_calls": 2,
        "files_changed": 1,
        "denials": [{"tool": "bash", "input": "git push"}],
    }
    assert (one.plan, one.files_changed) == (TODO, (FileChange("fix_plan.md"),))
    assert one.tool_results == "made\nnot allowed"
    assert one.tool_calls is not None
    assert [(c.name, c.is_error) for c in one.tool_calls] == [("create", False), ("bash", True)]
    assert (two.record["truncated"], two.record["stop_reason"]) == (True, "user_initiated")


def test_calls_of_sub_agents_are_not_the_agents_own(tmp_path: Path) -> None:
    inner = said(3, "inner", asked("s1", "bash", command="ls"), parentAgentTaskId="another")
    run = one_run(
        "copilot", written(tmp_path, "e.jsonl", lines([*EVENTS[:3], inner, came(4, "s1", "inner result")]))
    )
    (one,) = run.iterations
    assert one.tool_calls is not None
    assert [call.own for call in one.tool_calls] == [False]
    assert (one.record["tool_calls"], one.response, one.tool_results) == (0, None, "")


def shutdown(second: int, **usage: int) -> dict[str, Any]:
    return event("session.shutdown", second, modelMetrics={"mod-1": {"usage": usage}})


def test_tokens_of_a_session_are_those_of_its_only_turn_or_of_the_run(tmp_path: Path) -> None:
    end = shutdown(90, inputTokens=1000, outputTokens=20, cacheReadTokens=900)
    run = one_run("copilot", written(tmp_path, "a.jsonl", lines([*EVENTS[:13], end])))
    assert (run.iterations[0].record["tokens"], run.end.tokens) == (1020, None)
    run = one_run("copilot", written(tmp_path, "b.jsonl", lines([*EVENTS, end])))
    assert ["tokens" in one.record for one in run.iterations] == [False, False]
    assert run.end.tokens == 1020


def test_an_error_of_the_session_has_the_kind_of_its_status(tmp_path: Path) -> None:
    failed = event("session.error", 4, errorType="quota", message="no more today", statusCode=429)
    run = one_run("copilot", written(tmp_path, "a.jsonl", lines([*EVENTS[:3], failed])))
    (one,) = run.iterations
    assert (one.record["is_error"], one.record["error"], one.error_kind) == (
        True,
        "no more today",
        USAGE_LIMIT,
    )
    assert (run.end.how, run.end.why) == ("failed", "no more today")


def test_two_sessions_in_a_file_are_two_runs_and_a_resumed_one_is_one(tmp_path: Path) -> None:
    again = event("session.resume", 80, sessionId="c-1")
    runs, _ = runs_of(
        "copilot", written(tmp_path, "a.jsonl", lines([*EVENTS, start("c-2", 99), *EVENTS[2:]]))
    )
    assert [(run.begin.id, len(run.iterations)) for run in runs] == [("c-1", 2), ("c-2", 2)]
    runs, _ = runs_of("copilot", written(tmp_path, "b.jsonl", lines([*EVENTS, again, *EVENTS[13:]])))
    assert [(run.begin.id, len(run.iterations)) for run in runs] == [("c-1", 3)]


def test_half_characters_and_strange_members_are_read(tmp_path: Path) -> None:
    strange = event("user.message", 3, content="\ud800 x")
    body = lines([start("\ud800"), strange, event("assistant.message", 4, content=["x"], toolRequests=3)])
    runs, problems = runs_of("copilot", written(tmp_path, "a.jsonl", body))
    assert problems == ()
    f"{runs[0].begin.id}{runs[0].iterations[0].prompt}".encode()


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("copilot", "s.jsonl", lines(EVENTS).encode(), 23)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("copilot", "s.jsonl", lines(EVENTS[:3]).encode() + content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(written(tmp_path, "events.jsonl", lines(EVENTS)))], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.how) == ("copilot", 2, "interrupted")
