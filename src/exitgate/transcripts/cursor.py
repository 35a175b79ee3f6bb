"""Calls of tools in the stream of Cursor's agent, as the events of Claude Code that say the same."""

from __future__ import annotations

from exitgate.transcripts.calls import denial
from exitgate.transcripts.values import count_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.values import Event

#: What the name of a call's member ends with, and the one that has name and arguments of any tool.
_SUFFIX, _ANY = "ToolCall", "function"
_DONE = "completed"
#: Outcomes of a call: one that worked, and those of calls that were not allowed.
_WORKED = "success"
_REFUSED = ("rejected", "permissionDenied")
#: What a call printed, or says of its failure.
_PRINTED = ("stdout", "stderr")
_SAID = ("content", "output", "errorMessage", "error", "message", "reason")
#: Members of arguments under another name than elsewhere.
_NAMES = {"fileText": "content", "streamContent": "content"}
_EXIT = "Exit code {}\n"


def as_events(event: Event) -> tuple[Event, ...]:
    """Return the call, and what came back where it has ended; nothing for an event of another shape."""
    id, name, call = _call(event)
    if id is None:
        return ()
    use = {"type": "tool_use", "id": id, "name": name, "input": _input(call)}
    shared = {"session_id": event.get("session_id"), "parent_tool_use_id": event.get("parent_tool_use_id")}
    made: Event = {"type": "assistant", "message": {"role": "assistant", "content": [use]}, **shared}
    if event.get("subtype") != _DONE:
        return (made,)
    outcome, told = _outcome(call)
    status = count_at(told, "exitCode", "exit_code")
    text = (
        "\n".join(part for name in _PRINTED if (part := text_at(told, name))) or text_at(told, *_SAID) or ""
    )
    back = {
        "type": "tool_result",
        "tool_use_id": id,
        "content": (_EXIT.format(status) if status else "") + text,
        "is_error": bool(status) or outcome not in (_WORKED, ""),
    }
    return made, {"type": "user", "message": {"role": "user", "content": [back]}, **shared}


def refused(event: Event) -> dict[str, object] | None:
    """Return the call that an event says was not allowed, as the record has it; else None."""
    _, name, call = _call(event)
    if event.get("subtype") != _DONE or _outcome(call)[0] not in _REFUSED:
        return None
    return denial(name, _input(call))


def _call(event: Event) -> tuple[str | None, str, Event]:
    """Return id, name of the tool, and what is said of the call."""
    told = object_at(event, "tool_call")
    member = next((name for name in told if isinstance(told[name], dict)), "")
    call = object_at(told, member)
    name = (text_at(call, "name") if member == _ANY else None) or member.removesuffix(_SUFFIX)
    return text_at(event, "call_id"), name, call


def _input(call: Event) -> Event:
    """Return the arguments, under the names that they have elsewhere."""
    given = call.get("args", call.get("arguments"))
    if isinstance(given, str):
        from exitgate.transcripts.json_text import whole

        read = whole(given)
        given = None if read is None else read.value
    return (
        {_NAMES.get(str(name), str(name)): given[name] for name in given} if isinstance(given, dict) else {}
    )


def _outcome(call: Event) -> tuple[str, Event]:
    """Return how a call came out, and what is said of it; the empty text where nothing is."""
    result = object_at(call, "result")
    outcome = next((name for name in result if isinstance(result[name], dict)), "")
    return outcome, object_at(result, outcome)
