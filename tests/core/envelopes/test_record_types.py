"""
The record and the calls of an envelope have the types that are promised, whatever is in the events.

`Unwrapped` is a slotted class, because a check cannot wait for `msgspec`; the members of its record and of
its calls are declared here as structs, and every envelope is held to them.
"""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

import copy
import json
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Meta, Struct, UnsetType, convert
from streams import INIT, answer, assistant, call, result, text

from exitgate.core.envelopes.plain import FORMATS
from exitgate.core.envelopes.unwrap import unwrap

Amount = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)] | UnsetType
Count = Annotated[int, Meta(ge=0)] | UnsetType
Text = str | UnsetType
Flag = bool | UnsetType


class Denied(Struct, forbid_unknown_fields=True):
    tool: str
    input: str


class Limit(Struct, forbid_unknown_fields=True):
    status: Text = UNSET
    resets_at: Amount = UNSET


class Record(Struct, forbid_unknown_fields=True):
    format: Literal[FORMATS]  # type: ignore[valid-type]
    is_error: Flag = UNSET
    error: Text = UNSET
    cost: Amount = UNSET
    tokens: Count = UNSET
    turns: Count = UNSET
    tool_calls: Count = UNSET
    files_changed: Count = UNSET
    denials: list[Denied] | UnsetType = UNSET
    limits: list[Limit] | UnsetType = UNSET
    session: Text = UNSET
    stop_reason: Text = UNSET
    subtype: Text = UNSET
    model: Text = UNSET
    truncated: Flag = UNSET
    tail: Text = UNSET
    fields: dict[str, str | bool | int | float] | UnsetType = UNSET


class Call(Struct, forbid_unknown_fields=True):
    tool: str
    input: dict[str, Any]
    result: Text = UNSET
    error: Flag = UNSET
    exit_status: int | UnsetType = UNSET
    ended: Flag = UNSET


CLAUDE = [
    INIT, assistant(text("Looking."), call("t-1", "Edit", file_path="a.py", content="x")), answer("t-1", "ok"),
    {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1795000000}},
    {"type": "system", "subtype": "task_notification", "tool_use_id": "t-1", "session_id": "s-1"},
    result("Done.", total_cost_usd=1.5, usage={"input_tokens": 3}, permission_denials=[{"tool_name": "Bash"}]),
]  # fmt: skip
CODEX = [
    {"type": "thread.started", "thread_id": "th"}, {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "command": "ls", "exit_code": 1,
                                        "aggregated_output": "no", "status": "declined"}},
    {"type": "item.completed", "item": {"id": "j", "type": "file_change", "changes": [{"path": "a", "kind": "add"}]}},
    {"type": "item.completed", "item": {"id": "k", "type": "agent_message", "text": "Done."}},
    {"type": "turn.completed", "usage": {"input_tokens": 5, "output_tokens": 6}},
]  # fmt: skip
GEMINI = [
    {"type": "init", "session_id": "s", "model": "m"}, {"type": "message", "role": "assistant", "content": "Hi."},
    {"type": "tool_use", "tool_id": "t", "tool_name": "ls", "parameters": {"path": "."}},
    {"type": "tool_result", "tool_id": "t", "status": "success", "output": "a"},
    {"type": "result", "status": "success", "stats": {"total_tokens": 7}},
]  # fmt: skip
OPENCODE = [
    {"type": "step_start", "sessionID": "s", "part": {"type": "step-start"}},
    {"type": "tool_use", "sessionID": "s", "part": {"callID": "c", "tool": "bash", "state": {
        "status": "completed", "input": {"command": "ls"}, "output": "a", "metadata": {"exit": 0}}}},
    {"type": "text", "sessionID": "s", "part": {"text": "Done."}},
    {"type": "step_finish", "sessionID": "s", "part": {"reason": "stop", "cost": 0.5, "tokens": {"input": 1}}},
]  # fmt: skip
COPILOT = [
    {"type": "assistant.turn_start", "id": "1", "data": {}},
    {"type": "assistant.message", "id": "2", "data": {"content": "Hi.", "messageId": "m", "toolRequests": [
        {"name": "bash", "toolCallId": "t", "arguments": {"command": "ls"}}]}},
    {"type": "tool.execution_complete", "id": "3", "data": {"toolCallId": "t", "success": True, "result": {"content": "a"}}},
    {"type": "session.error", "id": "4", "data": {"message": "no"}}, {"type": "result", "sessionId": "s", "exitCode": 1},
]  # fmt: skip
ROLES = [
    {"role": "user", "content": "Do it."},
    {"role": "assistant", "content": [text("Doing."), call("t-1")], "stop_reason": "tool_use"},
    {"role": "tool", "tool_call_id": "t-1", "content": "ok"},
]  # fmt: skip
STREAMS = (CLAUDE, CODEX, GEMINI, OPENCODE, COPILOT, ROLES)
VALUES = st.sampled_from(
    [None, True, False, 0, 1, -1, 2.5, 1e300, "", "x", [], {}, [None], ["a"], [{}], {"a": 1}, {"text": "t"}]
)


def spots(value: object) -> list[tuple[Any, Any]]:
    """Return each place in a value: what it is in, and its name or number there."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [spot for key, one in members for spot in ((value, key), *spots(one))]


@given(data=st.data())
def test_record_and_calls_are_of_their_types(data: st.DataObject) -> None:
    events = copy.deepcopy(data.draw(st.sampled_from(STREAMS)))
    for _ in range(data.draw(st.integers(0, 3))):
        place, key = data.draw(st.sampled_from(spots(events)))
        place[key] = copy.deepcopy(data.draw(VALUES))
    body = "\n".join(json.dumps(event) for event in events)
    found = unwrap(body, failed=data.draw(st.booleans()))
    convert(dict(found.record), Record, strict=True)
    convert([dict(one) for one in found.calls or ()], list[Call], strict=True)
