"""Codex: the events of `codex exec --json`."""

from __future__ import annotations

from exitgate.core.envelopes.calls import denial
from exitgate.core.envelopes.members import (
    as_object,
    count_at,
    object_at,
    objects_at,
    sum_at,
    text_at,
    texts_in,
)
from exitgate.core.model.json_object import whole_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.gathered import Gathered
    from exitgate.core.envelopes.members import Event


#: Type of event -> members of which a real one has at least one; none are needed where there are none.
_EVENTS: dict[str, tuple[str, ...]] = {
    "thread.started": ("thread_id",),
    "turn.started": (),
    "turn.completed": (),
    "turn.failed": ("error",),
    "item.started": ("item",),
    "item.updated": ("item",),
    "item.completed": ("item",),
    "error": ("message",),
}
#: Members of an item that tell how a call went, not what it was made with.
_WENT = ("aggregated_output", "exit_code", "id", "item_type", "result", "status", "type", "error")
#: The agent's to-do list, and items that are not calls of tools.
_LIST = "todo_list"
_WORDS = ("agent_message", "reasoning", _LIST, "error")


def opens(event: Event) -> bool:
    """Return whether this is the event with which a stream begins."""
    return event.get("type") == "thread.started" and text_at(event, "thread_id") is not None


def fits(event: Event) -> bool:
    """Return whether an object is an event of this format."""
    wanted = _EVENTS.get(text_at(event, "type") or "")
    return wanted is not None and (not wanted or any(name in event for name in wanted))


def take(event: Event, into: Gathered) -> None:
    """Add what an event says."""
    kind = event.get("type")
    into.expects = True
    into.calls.watch()
    if kind == "thread.started":
        into.set("session", text_at(event, "thread_id"))
    elif kind == "turn.started":
        into.ended = False
        into.record["turns"] = (count_at(into.record, "turns") or 0) + 1
    elif kind == "turn.completed":
        into.ended = True
        into.calls.leave_open()
        into.record["is_error"] = False
        into.record.pop("error", None)
        used = sum_at(object_at(event, "usage"), "input_tokens", "output_tokens")
        if used is not None:
            into.usage[f"turn {into.record.get('turns')}"] = used
    elif kind == "turn.failed":
        into.ended = True
        into.fail(_message(event.get("error")))
    elif kind == "error":
        # It tries again after most of these; the turn says how it ended.
        into.set("error", _message(event))
    else:
        if kind == "item.started":
            into.ended = False
        _item(object_at(event, "item"), into, done=kind == "item.completed")


def _message(error: object) -> str | None:
    return text_at(as_object(error) or {"message": error}, "message")


def _input(item: Event) -> Event:
    """Return what a call was made with: the members of its item that are not how it went."""
    return {name: value for name, value in item.items() if name not in _WENT}


def _item(item: Event, into: Gathered, *, done: bool) -> None:
    kind = text_at(item, "type", "item_type")
    id = text_at(item, "id")
    if kind in ("agent_message", "assistant_message"):
        text = text_at(item, "text")
        if text is not None:
            into.messages.say(text, id)
            into.final = text if done else into.final
        return
    if kind == _LIST:
        into.calls.keep_list(id, _input(item), _LIST)
    if kind in _WORDS or kind is None:
        return
    into.calls.call(id, _input(item), tool=text_at(item, "tool") or kind)
    if kind == "file_change":
        into.calls.files.update(p for one in objects_at(item, "changes") if (p := text_at(one, "path")))
    if not done:
        return
    if item.get("status") == "declined":
        into.denials = [*(into.denials or ()), denial(kind, item)]
    given = text_at(item, "aggregated_output") or texts_in(item.get("result"))
    into.calls.answer(id, given, status=whole_of(item.get("exit_code")))
