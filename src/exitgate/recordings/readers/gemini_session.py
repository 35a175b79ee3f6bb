"""
Gemini CLI's session files, `chats/session-*.json`: one object with all messages, or a line for each.

A turn is a message of the user's and what follows. `info` and `warning` rows are notices of the
program's own text. Tokens are those of each call of the model, summed up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import as_object, list_at, texts_in
from exitgate.core.envelopes.plain import JSON, JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.gemini import exit_status_in, response_text
from exitgate.recordings.formats.json_files import Lines, id_of, read_json
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "gemini-session"
TITLE = "Gemini CLI, session files: a user message and what follows"
GIVES = capabilities.CHAT | {capabilities.TOKENS}
_USER, _AGENT, _ERROR = "user", "gemini", "error"
_TYPES = (_USER, _AGENT, _ERROR, "info", "warning")


class _Tokens(Struct, frozen=True):
    """Tokens of one call of the model."""

    total: Amount = None
    input: Amount = None
    output: Amount = None
    thoughts: Amount = None
    tool: Amount = None

    def used(self) -> int | None:
        said = summed(self.total)
        return said if said is not None else summed(self.input, self.output, self.thoughts, self.tool)


class _Call(Struct, frozen=True):
    """A call of a tool, with its result."""

    id: str | None = None
    name: str | None = None
    args: Any = None
    status: str | None = None
    result: Any = None
    timestamp: Any = None


class _Row(Struct, frozen=True, rename="camel"):
    """A message."""

    type: str | None = None
    id: str | None = None
    timestamp: Any = None
    content: Any = None
    model: str | None = None
    tokens: _Tokens = _Tokens()
    tool_calls: tuple[_Call, ...] = ()


class _Head(Struct, frozen=True, rename="camel"):
    """What is said about the session; `messages` is None where there is no list of them."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: Any = None
    last_updated: Any = None
    messages: tuple[_Row, ...] | None = None


def fits(look: Probe) -> bool:
    """Return whether it is a session: its head names session and project, its messages are of these types."""
    messages = list_at(as_object(look.value), "messages")
    if messages is not None and _is_head(look.value):
        return all(map(_is_message, messages))
    events = look.events
    return len(events) > 1 and _is_head(events[0]) and any(_is_message(one) for one in events[1:])


def _is_head(value: object) -> bool:
    head = read_as(_Head, value)
    named = head.session_id is not None and head.project_hash is not None
    return named and isinstance(head.start_time, str)


def _is_message(value: object) -> bool:
    row = read_as(_Row, value)
    return row.type in _TYPES and isinstance(row.timestamp, str)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be read."""
    value, problems = read_json(place)
    whole = read_as(_Head, value)
    if whole.messages is not None:
        yield from problems
        rows = [(row, 0) for row in whole.messages]
        yield from _run(whole, iter(rows), Chat(place.path, JSON, wants), place)
        return
    lines = Lines(place)
    numbered = ((event, lines.number) for event in lines.events())
    head, first = next(numbered, ({}, 0))
    later = ((read_as(_Row, event), line) for event, line in numbered) if first else iter(())
    yield from _run(read_as(_Head, head), later, Chat(place.path, JSON_LINES, wants), place)
    yield from lines.problems()
    if not first:
        yield Problem(place.path, "it has no session")


def _run(head: _Head, rows: Iterator[tuple[_Row, int]], chat: Chat, place: Location) -> Iterator[Part]:
    session = head.session_id
    yield Begin(id_of(session, place), TURN, place.path, instant(head.start_time))
    for row, line in rows:
        at = instant(row.timestamp)
        if row.type == _USER:
            turn = Turn(texts_in(row.content), at, line)
            turn.set("session", session)
            yield from chat.begin(turn)
        elif chat.turn is not None and row.type in _TYPES:
            chat.turn.seen(at, line)
            _take(row, chat.turn)
    yield from chat.end()
    yield End(ended_at=instant(head.last_updated))


def _take(row: _Row, turn: Turn) -> None:
    if row.type == _ERROR:
        turn.fail(texts_in(row.content))
    if row.type != _AGENT:
        return
    turn.step()
    turn.say(texts_in(row.content), row.id)
    turn.set("model", row.model)
    turn.add("tokens", row.tokens.used())
    for one in row.tool_calls:
        at = turn.call(one.name or "", one.args, one.id)
        if one.status is None and one.result is None:
            continue
        text = response_text(one.result)
        turn.answer(at, text, error=one.status != "success", exit_status=exit_status_in(text))
        turn.seen(instant(one.timestamp))
