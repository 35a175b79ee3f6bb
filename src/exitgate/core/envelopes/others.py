"""
Events of other runners: Gemini's and opencode's streams, Copilot's events, and bare messages by role.
"""

from __future__ import annotations

from exitgate.core.envelopes.calls import input_of
from exitgate.core.envelopes.members import (
    count_at,
    has_object,
    number_at,
    object_at,
    objects_at,
    objects_in,
    sum_at,
    text_at,
    texts_in,
)
from exitgate.core.model.json_object import whole_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.members import Event


_ROLES = ("assistant", "model", "user", "system", "tool", "developer")
_OWN = ("assistant", "model")
#: States of a call in opencode that has given nothing back yet.
_UNDER_WAY = ("pending", "running")
#: Why a step of opencode ended that another one follows.
_FOR_A_CALL = "tool-calls"


def fits_role(event: Event) -> bool:
    """Return whether an object is a message with a role: ``{role, content}`` or ``{role, message}``."""
    given = event.get("role")
    return given in _ROLES and any(
        isinstance(event.get(name), str | list | dict) for name in ("content", "message", "parts")
    )


def take_role(event: Event, into: Gathered) -> None:
    """Add the text of a message of the agent, the calls in it, and results of tools."""
    message = object_at(event, "message") or event
    content = message.get("content", message.get("parts", event.get("message")))
    own = event.get("role") in _OWN
    id = text_at(message, "id")
    into.calls.watch()
    if own:
        into.set(
            "stop_reason", text_at(message, "stop_reason", "stopReason", "finish_reason", "finishReason")
        )
        into.awaits = bool(message.get("tool_calls"))
        if into.awaits:
            into.calls.lose("its calls are beside the text and are not read")
    if isinstance(content, str):
        if own:
            into.messages.say(content, id)
        elif event.get("role") == "tool":
            into.calls.answer(text_at(message, "tool_call_id"), content)
        return
    for block in objects_in(content):
        kind = block.get("type", "text")
        if kind in ("text", "output_text") and own:
            into.messages.say(text_at(block, "text") or "", id)
        elif kind == "tool_use" and own:
            into.awaits = True
            into.calls.call(text_at(block, "id"), input_of(block), tool=text_at(block, "name"))
        elif kind == "tool_result":
            error = block.get("is_error") is True
            into.calls.answer(text_at(block, "tool_use_id"), texts_in(block.get("content")), error=error)


_GEMINI = ("init", "message", "tool_use", "tool_result", "result", "error")


def fits_gemini(event: Event) -> bool:
    """Return whether an object is an event of Gemini's `stream-json`."""
    kind = event.get("type")
    if kind == "message":
        return event.get("role") in _ROLES and text_at(event, "content") is not None
    wanted = {"init": "session_id", "tool_use": "tool_name", "tool_result": "tool_id", "result": "status"}
    name = wanted.get(text_at(event, "type") or "")
    return name is not None and text_at(event, name) is not None


def take_gemini(event: Event, into: Gathered) -> None:
    """Add what an event of Gemini's stream says."""
    kind = event.get("type")
    into.expects = True
    into.calls.watch()
    into.ended = into.ended and kind not in ("init", "message", "tool_use")
    if kind == "init":
        into.set("session", text_at(event, "session_id"))
        into.set("model", text_at(event, "model"))
    elif kind == "message" and event.get("role") in _OWN:
        if event.get("delta") is True:
            into.messages.say_part(text_at(event, "content") or "")
        else:
            into.messages.say(text_at(event, "content") or "")
    elif kind == "tool_use":
        into.messages.begin(None)
        into.calls.call(text_at(event, "tool_id"), input_of(event), tool=text_at(event, "tool_name"))
    elif kind == "tool_result":
        error = event.get("status") == "error"
        into.calls.answer(text_at(event, "tool_id"), text_at(event, "output") or "", error=error)
    elif kind == "result":
        into.ended = True
        into.record.pop("error", None)
        into.record["is_error"] = event.get("status") != "success"
        into.set("error", text_at(object_at(event, "error"), "message"))
        into.set("tokens", count_at(object_at(event, "stats"), "total_tokens"))


def fits_opencode(event: Event) -> bool:
    """Return whether an object is an event of `opencode run --format json`."""
    named = text_at(event, "sessionID") is not None and text_at(event, "type") is not None
    return named and has_object(event, "part", "error")


def take_opencode(event: Event, into: Gathered) -> None:
    """
    Add what an event of opencode says; costs and tokens of its steps add up.

    Its last step ends for another reason than a call of a tool. An error that a whole step follows is one
    that it got over.
    """
    part, kind = object_at(event, "part"), event.get("type")
    if kind == "step_start":
        into.expects, into.ended = True, False
    into.calls.watch()
    into.set("session", text_at(event, "sessionID"))
    if kind == "text":
        into.messages.say(text_at(part, "text") or "", text_at(part, "id"))
    elif kind in ("tool", "tool_use"):
        state = object_at(part, "state")
        id = text_at(part, "callID", "id") or f"#{len(into.calls.told)}"
        into.calls.call(id, input_of(state), tool=text_at(part, "tool"))
        if state.get("status") not in _UNDER_WAY:
            error = state.get("status") == "error"
            status = whole_of(object_at(state, "metadata").get("exit"))
            into.calls.answer(id, text_at(state, "output") or "", error=error, status=status)
    elif kind == "step_finish":
        reason = text_at(part, "reason")
        into.expects, into.ended = True, reason != _FOR_A_CALL
        into.set("stop_reason", reason)
        into.record["is_error"] = False
        into.record.pop("error", None)
        cost = number_at(part, "cost")
        if cost is not None:
            before = number_at(into.record, "cost") or 0
            into.record["cost"] = before + cost
        used = sum_at(object_at(part, "tokens"), "input", "output", "reasoning")
        if used is not None:
            into.usage[f"step {len(into.usage)}"] = used
    elif kind == "error":
        told = object_at(event, "error")
        into.fail(text_at(object_at(told, "data"), "message") or text_at(told, "message", "name"))


def fits_copilot(event: Event) -> bool:
    """Return whether an object is one of Copilot's events."""
    kind = text_at(event, "type") or ""
    if kind == "result":
        return whole_of(event.get("exitCode")) is not None and text_at(event, "sessionId") is not None
    return "." in kind and has_object(event, "data") and text_at(event, "id") is not None


def take_copilot(event: Event, into: Gathered) -> None:
    """Add what one of Copilot's events says; those of sub-agents say nothing."""
    told = object_at(event, "data") or event
    kind = event.get("type")
    own = not (told.get("parentToolCallId") or told.get("parentAgentTaskId"))
    into.calls.watch()
    if kind in ("session.start", "result"):
        into.set("session", text_at(told, "sessionId"))
    elif kind == "session.error":
        into.fail(text_at(told, "message"))
    elif kind == "assistant.message":
        if own:
            into.record.pop("error", None)
            into.record.pop("is_error", None)
            into.messages.say(text_at(told, "content") or "", text_at(told, "messageId"))
            into.awaits = any(True for _ in objects_at(told, "toolRequests"))
        for one in objects_at(told, "toolRequests"):
            tool = text_at(one, "name", "toolName")
            into.calls.call(text_at(one, "toolCallId"), input_of(one), tool=tool, own=own)
    elif kind == "tool.execution_complete":
        error = told.get("success") is False
        text = texts_in(object_at(told, "result").get("content"))
        into.calls.answer(text_at(told, "toolCallId"), text, error=error, own=own)
    if own:
        _copilot_turn(kind, told, into)


def _copilot_turn(kind: object, told: Event, into: Gathered) -> None:
    """Note where a turn begins and ends; one whose message called a tool continues."""
    if kind == "assistant.turn_start":
        into.expects, into.ended = True, False
    elif kind == "assistant.turn_end":
        into.ended = not into.awaits
    elif kind == "result":
        into.ended = True
        if whole_of(told.get("exitCode")):
            into.fail(None)
    elif kind == "abort":
        into.expects, into.ended = True, False
