"""
The session files of pi, `~/.pi/agent/sessions/*.jsonl`.

A turn is a user message and what follows. Turns are in the order in which they happened: one that a
branch left behind was made and paid for all the same. Summaries of compactions and branches, and commands
that the user ran, are not words of the agent's. Cost and tokens are those of each call of the model, so the
record names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import texts_in
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.errors import kind_of_status, leading_status
from exitgate.recordings.formats.json_files import Ids, Lines, id_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import CRASH, TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "pi"
TITLE = "pi, session files: a user message and what follows"
GIVES = capabilities.CHAT | capabilities.USAGE
_SESSION, _MESSAGE = "session", "message"
_USER, _AGENT, _RESULT = "user", "assistant", "toolResult"
_ROLES = (_USER, _AGENT, _RESULT, "bashExecution", "custom", "branchSummary", "compactionSummary")
_STOP, _LENGTH, _ERROR, _ABORTED = "stop", "length", "error", "aborted"


class _Cost(Struct, frozen=True):
    total: Amount = None


class _Usage(Struct, frozen=True, rename="camel"):
    """Tokens and cost of one call of the model."""

    total_tokens: Amount = None
    input: Amount = None
    output: Amount = None
    cache_read: Amount = None
    cache_write: Amount = None
    cost: _Cost = _Cost()

    def tokens(self) -> int | None:
        said = summed(self.total_tokens)
        return (
            said if said is not None else summed(self.input, self.output, self.cache_read, self.cache_write)
        )


class _Block(Struct, frozen=True):
    """A block of a message."""

    type: str | None = None
    text: str | None = None
    name: str | None = None
    arguments: Any = None
    id: str | None = None


class _Message(Struct, frozen=True, rename="camel"):
    """What was said, by the agent or to it."""

    role: str | None = None
    content: Any = None
    timestamp: Any = None
    usage: _Usage = _Usage()
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    is_error: bool | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None


class _Blocks(Struct, frozen=True):
    content: tuple[_Block, ...] = ()


class _Line(Struct, frozen=True, rename="camel"):
    """A line: the header of a session, or a message; the last two name the session it was branched off."""

    type: str | None = None
    id: str | None = None
    cwd: str | None = None
    timestamp: Any = None
    message: dict[str, Any] = {}
    branched_from: str | None = None
    parent_session: str | None = None


def fits(look: Probe) -> bool:
    """Return whether it begins with a session's header, or its first lines are such messages."""
    events = [read_as(_Line, event) for event in look.events]
    if events and _is_header(events[0]):
        return True
    return bool(events) and sum(map(_is_message, events)) * 2 > len(events)


def _is_header(event: _Line) -> bool:
    if event.type != _SESSION or event.cwd is None:
        return False
    return event.id is not None and isinstance(event.timestamp, str)


def _is_message(event: _Line) -> bool:
    named = event.type == _MESSAGE and event.message.get("role") in _ROLES
    return named and isinstance(event.timestamp, str)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each header. Raises OSError when it cannot be read."""
    lines = Lines(place)
    run: _Session | None = None
    ids = Ids()
    for plain in lines.events():
        event = read_as(_Line, plain)
        if event.type == _SESSION or run is None:
            if run is not None:
                yield from run.end()
            run = _Session(place, event if event.type == _SESSION else _Line(), wants, ids)
        if event.type == _MESSAGE:
            yield from run.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if run is None:
        yield Problem(place.path, "it has no session")
        run = _Session(place, _Line(), wants, ids)
    yield from run.end()


class _Session:
    def __init__(self, place: Location, header: _Line, wants: frozenset[str], ids: Ids) -> None:
        self.place = place
        self.ids = ids
        self.header = header
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.begun = False
        self.stopped: str | None = None
        self.ended_at: float | None = None

    def take(self, event: _Line, line: int) -> Iterator[Part]:
        message = read_as(_Message, event.message)
        at = instant(event.timestamp) or instant(message.timestamp)
        if message.role == _USER:
            yield from self._begin(at)
            yield from self.chat.begin(Turn(texts_in(message.content), at, line))
        elif self.chat.turn is not None:
            self.chat.turn.seen(at, line)
            if message.role == _AGENT:
                self._said(message, read_as(_Blocks, event.message).content, self.chat.turn)
            elif message.role == _RESULT:
                self._answered(message, self.chat.turn)
        self.ended_at = at if at is not None else self.ended_at

    def _begin(self, at: float | None) -> Iterator[Part]:
        if not self.begun:
            self.begun = True
            # The header of a branch is written when it is branched off, later than what it begins with.
            header = self.header
            branched = header.branched_from is not None or header.parent_session is not None
            first = at if at is not None else instant(header.timestamp)
            id, again = self.ids.next(id_of(header.id, self.place))
            yield Begin(id, TURN, self.place.path, first, resumed=branched or again)

    def _said(self, message: _Message, blocks: Sequence[_Block], turn: Turn) -> None:
        turn.step()
        for block in blocks:
            if block.type == "text":
                turn.say(block.text or "")
            elif block.type == "toolCall":
                turn.call(block.name or "", block.arguments, block.id)
        turn.add("tokens", message.usage.tokens())
        turn.add("cost", message.usage.cost.total)
        turn.set("model", message.model)
        self.stopped = message.stop_reason
        turn.set("stop_reason", self.stopped)
        if self.stopped == _STOP:
            turn.record["is_error"] = False
        elif self.stopped == _ERROR:
            error = message.error_message or ""
            turn.fail(error, kind_of_status(leading_status(error)) or CRASH)
        if self.stopped in (_ABORTED, _LENGTH):
            turn.record["truncated"] = True

    @staticmethod
    def _answered(message: _Message, turn: Turn) -> None:
        at = turn.find(message.tool_call_id, message.tool_name)
        turn.answer(at, texts_in(message.content), error=message.is_error)

    def end(self) -> Iterator[Part]:
        yield from self._begin(None)
        yield from self.chat.end()
        how = {_ABORTED: "interrupted", _ERROR: "failed"}.get(self.stopped or "")
        yield End(how, self.stopped or "" if how else "", self.ended_at)
