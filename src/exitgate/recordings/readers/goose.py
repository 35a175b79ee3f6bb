"""
The session files of Goose before it kept them in a database: JSON lines, the first about the session.

A turn is a user message with words in it and what follows. The tokens that the first line tells are those
of the whole session.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import count_at, object_at, objects_at, text_at, texts_in, writable_text
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.json_files import Lines, name_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.model import TURN, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "goose"
TITLE = "Goose, session files: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED,
    )
)  # fmt: skip
_USER, _AGENT = "user", "assistant"
_ERROR = "error"


def fits(look: Probe) -> bool:
    """Return whether its first line is about a session and others are such messages."""
    events = look.events
    if not events:
        return False
    rest = events[1:] if _is_head(events[0]) else events
    if not rest:
        return _is_head(events[0])
    return all(_is_message(event) for event in rest)


def _is_head(event: Event) -> bool:
    return "role" not in event and text_at(event, "working_dir") is not None and "message_count" in event


def _is_message(event: Event) -> bool:
    mine = event.get("role") in (_USER, _AGENT) and count_at(event, "created") is not None
    return mine and isinstance(event.get("content"), list) and "type" not in event


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    lines = Lines(place)
    chat = Chat(place.path, JSON_LINES, wants)
    head: Event = {}
    begun = False
    turn: Turn | None = None
    for event in lines.events():
        yield from lines.problems()
        if _is_head(event):
            head = event
            continue
        at = instant(event.get("created"))
        if not begun:
            begun = True
            yield _begin(head, place, at)
        if event.get("role") == _USER and (prompt := _words(event)):
            if turn is not None:
                yield chat.concluded(turn)
            turn = Turn(prompt, at, lines.number)
        elif turn is not None:
            turn.seen(at, lines.number)
            _take(event, turn)
    yield from lines.problems()
    if not begun:
        yield _begin(head, place, None)
        if not head:
            yield Problem(place.path, "it has no session")
    if turn is not None:
        yield chat.concluded(turn)
    yield End(tokens=count_at(head, "accumulated_total_tokens", "total_tokens"))


def _begin(head: Event, place: Location, at: float | None) -> Begin:
    return Begin(name_of(place), TURN, place.path, at, writable_text(text_at(head, "description") or ""))


def _words(event: Event) -> str:
    words = (block for block in objects_at(event, "content") if block.get("type") == "text")
    return "\n".join(text_at(block, "text") or "" for block in words)


def _take(event: Event, turn: Turn) -> None:
    if event.get("role") == _AGENT:
        turn.step()
        if text := _words(event):
            turn.say(text)
    for block in objects_at(event, "content"):
        id = text_at(block, "id")
        if block.get("type") == "toolRequest":
            called = object_at(block, "toolCall")
            asked = object_at(called, "value") or called
            turn.call(text_at(asked, "name") or "", asked.get("arguments"), id)
        elif block.get("type") == "toolResponse":
            result = object_at(block, "toolResult")
            failed = result.get("status") == _ERROR
            text = text_at(result, "error") or _result_text(result)
            turn.answer(turn.find(id), text, error=failed)


def _result_text(result: Event) -> str:
    value = result.get("value")
    return texts_in(value.get("content") if isinstance(value, dict) else value)
