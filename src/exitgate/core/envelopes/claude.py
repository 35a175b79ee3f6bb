"""
Claude Code: the result object, `stream-json` lines, and lines of its session files.

Cursor's agent and Amp write the same shapes, Cursor its calls in lines of their own. Lines of sub-agents say
nothing of their own: only the files they write are counted.
"""

from __future__ import annotations

from exitgate.core.envelopes.calls import denial, input_of
from exitgate.core.envelopes.flat import refused_in
from exitgate.core.envelopes.members import (
    as_object,
    count_at,
    first_object,
    flag_at,
    list_at,
    number_at,
    object_at,
    objects_at,
    sum_at,
    text_at,
    texts_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.members import Event


#: Type of event -> members of which a real one has at least one.
_EVENTS = {
    "system": ("subtype",),
    "assistant": ("message",),
    "user": ("message",),
    "stream_event": ("event",),
    "rate_limit_event": ("rate_limit_info",),
    "tool_call": ("tool_call",),
    "thinking": ("subtype",),
    "result": ("subtype", "is_error", "result", "session_id", "total_cost_usd"),
}
#: Members that tell a result object without a type from any other object that has a `result`.
_OF_RESULT = ("sessionId", "session_id", "is_error", "metadata", "permission_denials", "total_cost_usd")
_TOKENS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
#: Name of the model in messages that the program itself writes.
_SYNTHETIC = "<synthetic>"
_ERROR = "error"
#: From here on a status of the service is an error.
_REFUSED = 400
#: `terminal_reason` of a turn that the program or the service broke off, and of one that ended by itself.
_BROKEN = ("api_error", "model_error", "prompt_too_long", "image_error", "blocking_limit")
_ENDED = ("completed", "success")
#: How a subtype and a reason begin where a limit, or somebody, ended the turn before the agent did.
_CUT = ("error_max", "max", "abort")


def opens(event: Event) -> bool:
    """Return whether this is the event with which a stream begins."""
    return event.get("type") == "system" and text_at(event, "session_id") is not None


def concludes(event: Event) -> bool:
    """Return whether this is a result with all that a real one has."""
    given = flag_at(event, "is_error") is not None and text_at(event, "session_id") is not None
    return event.get("type") == "result" and given and text_at(event, "subtype") is not None


def fits(event: Event) -> bool:
    """Return whether an object is of these shapes."""
    kind = event.get("type")
    if isinstance(kind, str):
        return any(name in event for name in _EVENTS.get(kind, ()))
    if "type" in event:
        return False
    return text_at(event, "result") is not None and any(name in event for name in _OF_RESULT)


def take(event: Event, into: Gathered) -> None:
    """Add what an event says."""
    kind = event.get("type", "result")
    if kind == "tool_call":
        _tool_call(event, into)
        return
    own = not event.get("parent_tool_use_id") and event.get("isSidechain") is not True
    if kind == "result":
        _result(event, into)
    elif kind == "assistant":
        _assistant(event, into, own=own)
    elif kind == "user":
        _user(event, into, own=own)
    elif kind == "system" and event.get("subtype") == "task_started":
        into.calls.begin_task(text_at(event, "tool_use_id"))
    elif kind == "system" and event.get("subtype") == "task_notification":
        into.calls.end(text_at(event, "tool_use_id"))
    elif kind == "stream_event" and own:
        _piece(object_at(event, "event"), into)
    elif kind == "rate_limit_event":
        from exitgate.core.envelopes.limits import of_claude

        into.limits.append(of_claude(object_at(event, "rate_limit_info")))
    if own and kind != "user":
        into.set("session", text_at(event, "session_id", "sessionId"))
        into.set("model", text_at(event, "model"))
    # Lines of a session file have no result; those of a stream that have none were cut off.
    live = kind in ("system", "stream_event") or "parent_tool_use_id" in event
    into.expects = into.expects or live or (kind == "assistant" and "session_id" in event)


def _result(event: Event, into: Gathered) -> None:
    into.ended = True
    subtype = text_at(event, "subtype")
    text = text_at(event, "result")
    into.final = text if text is not None else into.final
    into.set("subtype", subtype)
    # An error may well call itself a success: the flag counts, the subtype only without it.
    given, named = flag_at(event, "is_error"), bool(subtype and subtype.startswith(_ERROR))
    is_error = named if given is None else given
    status = count_at(event, "api_error_status")
    why = text_at(event, "terminal_reason")
    is_error = is_error or (status or 0) >= _REFUSED or why in _BROKEN
    into.stopped = (subtype or "").startswith(_CUT) or (why or "").startswith(_CUT)
    into.record["is_error"] = is_error
    before = text_at(into.record, "error")
    into.record.pop("error", None)
    if is_error:
        error = text or _errors(event) or before or (why if why not in _ENDED else None)
        into.fail(_with_status(error, status))
    into.set("stop_reason", text_at(event, "stop_reason"))
    into.set("cost", number_at(event, "total_cost_usd", "cost_usd", "total_cost"))
    into.set("turns", count_at(event, "num_turns"))
    into.set("tokens", sum_at(object_at(event, "usage"), *_TOKENS))
    if into.record.get("model") is None:
        into.set("model", _dearest(object_at(event, "modelUsage")))
    if (refused := refused_in(event)) is not None:
        into.denials = refused
    told = object_at(event, "metadata")
    into.set("session", text_at(told, "session_id"))
    into.set("files_changed", count_at(told, "files_changed"))


def _with_status(told: str | None, status: int | None) -> str | None:
    """Return the text of an error with the status that the service answered with."""
    if not status or str(status) in (told or ""):
        return told
    return f"{told} (status {status})" if told else f"status {status}"


def _errors(event: Event) -> str | None:
    """Return the texts of `errors`, a list of texts or objects, or of `error`."""
    several = list_at(event, "errors")
    if several is not None:
        found = [texts_in([one]) for one in several]
        found += [text for one in objects_at(event, "errors") if (text := text_at(one, "message"))]
        return "\n".join(text for text in found if text) or None
    return text_at(event, "error") or text_at(object_at(event, "error"), "message")


def _dearest(usage: Event) -> str | None:
    """Return the model that most was spent on."""
    spent = {name: number_at(object_at(usage, name), "costUSD") or 0 for name in usage}
    return max(spent, key=lambda name: spent[name]) if spent else None


def _assistant(event: Event, into: Gathered, *, own: bool) -> None:
    message = object_at(event, "message")
    id, said = text_at(message, "id"), message.get("content")
    into.calls.watch()
    synthetic = event.get("isApiErrorMessage") is True or message.get("model") == _SYNTHETIC
    if own and (synthetic or text_at(event, "error") is not None):
        # What the program says in the agent's place is not a word of the agent's.
        into.fail(texts_in(said) or text_at(event, "error"))
        return
    if own:
        into.ended = False
        into.set("model", text_at(message, "model"))
        if into.awaits:
            into.record.pop("stop_reason", None)  # that of a message before
        into.set("stop_reason", text_at(message, "stop_reason"))
        into.awaits = any(block.get("type") == "tool_use" for block in objects_at(message, "content"))
        usage = sum_at(object_at(message, "usage"), *_TOKENS)
        if id is not None and usage is not None:
            into.usage[id] = usage
    if isinstance(said, str) and own:
        into.messages.say(said, id)
    for block in objects_at(message, "content"):
        kind = block.get("type")
        if kind == "text" and own:
            into.messages.say(text_at(block, "text") or "", id)
        elif kind == "tool_use":
            into.calls.call(text_at(block, "id"), input_of(block), tool=text_at(block, "name"), own=own)


def _user(event: Event, into: Gathered, *, own: bool) -> None:
    into.calls.watch()
    for block in objects_at(object_at(event, "message"), "content"):
        if block.get("type") == "tool_result":
            id, error = text_at(block, "tool_use_id"), block.get("is_error") is True
            into.calls.answer(id, texts_in(block.get("content")), error=error, own=own)


def _tool_call(event: Event, into: Gathered) -> None:
    """Add a call of Cursor's agent, and what came back."""
    for one in as_events(event):
        take(one, into)
    if (denied := refused(event)) is not None:
        into.denials = [*(into.denials or ()), denied]


def _piece(event: Event, into: Gathered) -> None:
    """Add a piece of a message that is being written."""
    kind = event.get("type")
    if kind == "message_start":
        into.messages.begin(text_at(object_at(event, "message"), "id"))
    elif kind == "content_block_start" and object_at(event, "content_block").get("type") == "text":
        into.messages.begin_block()
    elif kind == "content_block_delta":
        delta = object_at(event, "delta")
        if delta.get("type") == "text_delta":
            into.messages.say_part(text_at(delta, "text") or "")
    elif kind == "message_delta":
        into.set("stop_reason", text_at(object_at(event, "delta"), "stop_reason"))


# Calls of tools in the stream of Cursor's agent, as the events of Claude Code that say the same.

#: What the name of a call's member ends with, and the one that has name and arguments of any tool.
_SUFFIX, _ANY = "ToolCall", "function"
_DONE = "completed"
#: Outcomes of a call: one that worked, and those of calls that were not allowed.
_WORKED = "success"
_CURSOR_REFUSED = ("rejected", "permissionDenied")
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
    if event.get("subtype") != _DONE or _outcome(call)[0] not in _CURSOR_REFUSED:
        return None
    return denial(name, _input(call))


def _call(event: Event) -> tuple[str | None, str, Event]:
    """Return id, name of the tool, and what is said of the call."""
    member, call = first_object(object_at(event, "tool_call"))
    name = (text_at(call, "name") if member == _ANY else None) or member.removesuffix(_SUFFIX)
    return text_at(event, "call_id"), name, call


def _input(call: Event) -> Event:
    """Return the arguments, under the names that they have elsewhere."""
    given = call.get("args", call.get("arguments"))
    if isinstance(given, str):
        from exitgate.core.envelopes.json_text import whole

        read = whole(given)
        given = None if read is None else read.value
    return {_NAMES.get(str(name), str(name)): value for name, value in as_object(given).items()}


def _outcome(call: Event) -> tuple[str, Event]:
    """Return how a call came out, and what is said of it; the empty text where nothing is."""
    return first_object(object_at(call, "result"))
