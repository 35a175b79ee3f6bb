"""
The session files of Goose before it kept them in a database: JSON lines, the first about the session.

A turn is a user message with words in it and what follows. The tokens that the first line tells are those
of the whole session.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct

from exitgate.core.envelopes.members import texts_in, writable_text
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, amount, read_as, summed
from exitgate.recordings.formats.json_files import Lines, name_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "goose"
TITLE = "Goose, session files: a user message and what follows"
GIVES = capabilities.CHAT
_USER, _AGENT = "user", "assistant"
_ERROR = "error"


class _Request(Struct, frozen=True):
    """A call of a tool, wrapped with its status or not."""

    value: dict[str, Any] = {}
    name: str | None = None
    arguments: Any = None


class _Result(Struct, frozen=True):
    """What a call gave back."""

    status: Any = None
    value: Any = None
    error: str | None = None


class _Block(Struct, frozen=True, rename="camel"):
    """A block of a message."""

    type: str | None = None
    id: str | None = None
    text: str | None = None
    tool_call: _Request = _Request()
    tool_result: _Result = _Result()


class _Line(Struct, frozen=True):
    """A line: about the session, or a message; `content` is None where there is no list."""

    role: Any = UNSET
    type: Any = UNSET
    created: Any = None
    content: tuple[_Block, ...] | None = None
    working_dir: str | None = None
    message_count: Any = UNSET
    description: str | None = None
    accumulated_total_tokens: Amount = None
    total_tokens: Amount = None

    @property
    def is_head(self) -> bool:
        return self.role is UNSET and self.working_dir is not None and self.message_count is not UNSET

    @property
    def is_message(self) -> bool:
        mine = self.role in (_USER, _AGENT) and summed(amount(self.created)) is not None
        return mine and self.content is not None and self.type is UNSET

    @property
    def blocks(self) -> tuple[_Block, ...]:
        return self.content or ()

    @property
    def words(self) -> str:
        return "\n".join(block.text or "" for block in self.blocks if block.type == "text")


def fits(look: Probe) -> bool:
    """Return whether its first line is about a session and others are such messages."""
    events = [read_as(_Line, event) for event in look.events]
    if not events:
        return False
    rest = events[1:] if events[0].is_head else events
    if not rest:
        return events[0].is_head
    return all(event.is_message for event in rest)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    lines = Lines(place)
    chat = Chat(place.path, JSON_LINES, wants)
    head: _Line | None = None
    begun = False
    for plain in lines.events():
        yield from lines.problems()
        event = read_as(_Line, plain)
        if event.is_head:
            head = event
            continue
        at = instant(event.created)
        if not begun:
            begun = True
            yield _begin(head, place, at)
        if event.role == _USER and (prompt := event.words):
            yield from chat.begin(Turn(prompt, at, lines.number))
        elif chat.turn is not None:
            chat.turn.seen(at, lines.number)
            _take(event, chat.turn)
    yield from lines.problems()
    if not begun:
        yield _begin(head, place, None)
        if head is None:
            yield Problem(place.path, "it has no session")
    yield from chat.end()
    yield End(tokens=None if head is None else _tokens(head))


def _tokens(head: _Line) -> int | None:
    total = head.accumulated_total_tokens
    return summed(total if total is not None else head.total_tokens)


def _begin(head: _Line | None, place: Location, at: float | None) -> Begin:
    title = "" if head is None else head.description or ""
    return Begin(name_of(place), TURN, place.path, at, writable_text(title))


def _take(event: _Line, turn: Turn) -> None:
    if event.role == _AGENT:
        turn.step()
        if text := event.words:
            turn.say(text)
    for block in event.blocks:
        if block.type == "toolRequest":
            called = block.tool_call
            asked = read_as(_Request, called.value) if called.value else called
            turn.call(asked.name or "", asked.arguments, block.id)
        elif block.type == "toolResponse":
            result = block.tool_result
            text = result.error or _result_text(result.value)
            turn.answer(turn.find(block.id), text, error=result.status == _ERROR)


def _result_text(value: object) -> str:
    return texts_in(value.get("content") if isinstance(value, dict) else value)
