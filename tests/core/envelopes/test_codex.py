"""Events of `codex exec --json`."""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

from streams import lines

from exitgate.core.envelopes.unwrap import unwrap

STARTED = {"type": "thread.started", "thread_id": "th-1"}
TURN = {"type": "turn.started"}
DONE = {
    "type": "turn.completed",
    "usage": {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 7},
}


def item(kind: str, id: str, event: str = "item.completed", **more: object) -> dict:
    return {"type": event, "item": {"id": id, "type": kind, **more}}


def test_a_turn():
    command = {"command": "pytest", "aggregated_output": "3 passed", "exit_code": 0}
    found = unwrap(
        lines(
            STARTED,
            TURN,
            item("reasoning", "i-0", text="EXIT_SIGNAL: true"),
            item("agent_message", "i-1", text="Running the tests."),
            item("command_execution", "i-2", "item.started", command="pytest", status="in_progress"),
            item("command_execution", "i-2", status="completed", **command),
            item("file_change", "i-3", changes=[{"path": "a.py", "kind": "add"}, {"path": "b.py"}]),
            item("todo_list", "i-4", "item.updated", items=[{"text": "x", "completed": True}]),
            item("agent_message", "i-5", text="All three pass."),
            DONE,
        )
    )
    assert (found.format, found.response) == ("JSON_LINES", "All three pass.")
    assert found.output == "Running the tests.\n\nAll three pass."
    assert found.tool_results == "3 passed"
    assert found.record == {
        "format": "JSON_LINES", "session": "th-1", "turns": 1, "is_error": False, "tokens": 107, "tool_calls": 2,
        "files_changed": 2, "truncated": False,
    }  # fmt: skip


def test_a_turn_that_failed():
    told = {"type": "error", "message": "stream disconnected, retrying"}
    failed = {"type": "turn.failed", "error": {"message": "no quota left"}}
    found = unwrap(lines(STARTED, TURN, told, item("agent_message", "i-1", text="Hm."), failed))
    assert (found.record["is_error"], found.record["error"]) == (True, "no quota left")
    assert "truncated" not in found.record


def test_an_error_on_the_way_is_no_failure_of_the_turn():
    told = {"type": "error", "message": "stream disconnected, retrying"}
    record = unwrap(lines(STARTED, TURN, told, item("agent_message", "i-1", text="Hm."), DONE)).record
    assert (record["is_error"], "error" in record) == (False, False)


def test_a_turn_that_was_killed():
    found = unwrap(lines(STARTED, TURN, item("agent_message", "i-1", text="Half.")))
    assert (found.response, found.record["truncated"]) == ("Half.", True)
    assert "is_error" not in found.record


def test_commands_that_were_declined_are_denials():
    declined = item("command_execution", "i-1", command="rm -rf /", status="declined")
    assert unwrap(lines(STARTED, TURN, declined, DONE)).record["denials"] == [
        {"tool": "command_execution", "input": "rm -rf /"}
    ]


def test_several_turns():
    found = unwrap(lines(STARTED, TURN, DONE, TURN, item("agent_message", "i-1", text="Second."), DONE))
    assert (found.record["turns"], found.record["tokens"], found.response) == (2, 214, "Second.")
    assert unwrap(lines(STARTED, TURN, DONE, TURN)).record["truncated"] is True


def test_an_error_without_any_json_is_plain_text():
    found = unwrap("error: unexpected argument '-a' found\nUsage: codex exec [OPTIONS]\n", failed=True)
    assert found.format == "TEXT"
    assert found.record["tail"] == "error: unexpected argument '-a' found\nUsage: codex exec [OPTIONS]"
