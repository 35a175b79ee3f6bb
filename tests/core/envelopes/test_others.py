"""Gemini, opencode, Copilot, and bare messages by role."""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

import json

import pytest
from streams import lines, text

from exitgate.core.envelopes.unwrap import unwrap


def test_geminis_answer():
    stats = {
        "models": {"p": {"tokens": {"total": 90}}, "f": {"tokens": {"total": 10}}},
        "tools": {"totalCalls": 3},
    }
    found = unwrap(json.dumps({"session_id": "g", "response": "It is done.", "stats": stats}, indent=1))
    assert (found.format, found.response) == ("JSON", "It is done.")
    record = found.record
    assert (record["session"], record["tokens"], record["tool_calls"], record["is_error"]) == (
        "g",
        100,
        3,
        False,
    )
    failed = unwrap(
        json.dumps({"session_id": "g", "error": {"type": "Quota", "message": "used up", "code": 429}})
    )
    assert (failed.record["is_error"], failed.record["error"]) == (True, "used up")


def test_geminis_stream():
    said = [
        {"type": "message", "role": "assistant", "content": part, "delta": True}
        for part in ("It is ", "done.")
    ]
    found = unwrap(
        lines(
            {"type": "init", "session_id": "g", "model": "pro"},
            {"type": "message", "role": "user", "content": "say all done"},
            {"type": "message", "role": "assistant", "content": "Looking.", "delta": True},
            {"type": "tool_use", "tool_name": "run", "tool_id": "t", "parameters": {"command": "ls"}},
            {"type": "tool_result", "tool_id": "t", "status": "success", "output": "a b"},
            *said,
            {"type": "result", "status": "success", "stats": {"total_tokens": 77}},
        )
    )
    assert (found.output, found.tool_results) == ("Looking.\n\nIt is done.", "a b")
    assert (found.record["tokens"], found.record["is_error"], found.record["tool_calls"]) == (77, False, 1)


def test_opencode():
    def event(kind: str, **part: object) -> dict:
        return {"type": kind, "timestamp": 1, "sessionID": "ses", "part": part}

    found = unwrap(
        lines(
            event("step_start", id="p0"),
            event("text", id="p1", text="Reading."),
            event("tool_use", callID="c", tool="bash", state={"status": "completed", "input": {"command": "ls"},
                                                              "output": "a b"}),
            event("step_finish", cost=0.25, reason="tool-calls", tokens={"input": 10, "output": 2, "reasoning": 1}),
            event("text", id="p2", text="Done."),
            event("step_finish", cost=0.5, reason="stop", tokens={"input": 20, "output": 3}),
        )
    )  # fmt: skip
    assert (found.output, found.tool_results) == ("Reading.\n\nDone.", "a b")
    record = found.record
    assert (record["cost"], record["tokens"], record["stop_reason"], record["session"]) == (
        0.75,
        36,
        "stop",
        "ses",
    )
    failed = {
        "type": "error",
        "sessionID": "ses",
        "error": {"name": "ApiError", "data": {"message": "no credit"}},
    }
    assert unwrap(lines(failed)).record["error"] == "no credit"


def test_copilot():
    def event(kind: str, **data: object) -> dict:
        return {"type": kind, "id": "e", "timestamp": "t", "data": data}

    found = unwrap(
        lines(
            event("session.start", sessionId="c"),
            event(
                "assistant.message",
                messageId="1",
                content="",
                toolRequests=[{"toolCallId": "t", "name": "bash"}],
            ),
            event("tool.execution_complete", toolCallId="t", success=True, result={"content": "a b"}),
            event("assistant.message", messageId="2", content="sub", parentToolCallId="t"),
            event("assistant.message", messageId="3", content="Done.", toolRequests=[]),
        )
    )
    assert (found.output, found.tool_results, found.record["session"]) == ("Done.", "a b", "c")
    assert found.record["tool_calls"] == 1


@pytest.mark.parametrize(
    "wrap",
    [
        lambda c: {"message": {"content": c}},
        lambda c: {"content": c},
        lambda c: {"message": {"role": "x", "content": c}},
    ],
)
def test_messages_by_role(wrap):
    found = unwrap(
        lines(
            {"role": "user", **wrap("please say <promise>DONE</promise>")},
            {"role": "assistant", **wrap([text("First.")])},
            {"role": "assistant", **wrap("Second: <promise>DONE</promise>")},
        )
    )
    assert found.format == "JSON_LINES"
    assert found.response == found.output == "First.\n\nSecond: <promise>DONE</promise>"
    assert "truncated" not in found.record


def test_a_tool_result_alone_is_nothing_said():
    block = {"type": "tool_result", "tool_use_id": "t", "content": "limit reached"}
    found = unwrap(lines({"type": "user", "message": {"content": [block]}}), failed=True)
    assert (found.response, found.output, found.tool_results) == ("", "", "limit reached")
    assert found.record["tail"] == ""


def test_a_status_in_json():
    found = unwrap(
        '{"status": "COMPLETE", "exit_signal": true, "files-modified": 3, "summary": "All is built."}\n'
    )
    assert (found.format, found.response) == ("JSON", "All is built.")
    assert found.record["fields"] == {
        "STATUS": "COMPLETE", "EXIT_SIGNAL": True, "FILES_MODIFIED": 3, "SUMMARY": "All is built.",
    }  # fmt: skip
    found = unwrap('{"ralph_status": {"exit_signal": false, "nested": {"x": 1}}}')
    assert found.record["fields"] == {"EXIT_SIGNAL": False}


def test_a_status_in_json_inside_a_result():
    inner = json.dumps({"status": "IN_PROGRESS", "exit_signal": False})
    found = unwrap(json.dumps({"type": "result", "is_error": False, "result": inner}))
    assert found.record["fields"] == {"STATUS": "IN_PROGRESS", "EXIT_SIGNAL": False}
    beside = {
        "type": "result",
        "is_error": False,
        "result": "words",
        "structured_output": {"exit_signal": True},
    }
    assert unwrap(json.dumps(beside)).record["fields"] == {"EXIT_SIGNAL": True}
