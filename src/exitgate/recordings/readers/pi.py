"""
The session files of pi, `~/.pi/agent/sessions/*.jsonl`.

A turn is a user message and what follows. Turns are in the order in which they happened: one that a
branch left behind was made and paid for all the same. Summaries of compactions and branches, and commands
that the user ran, are not words of the agent's. Cost and tokens are those of each call of the model, so the
record names no session, whose costs would be taken for running totals.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, objects_at, text_at, texts_in
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import kind_of_status, leading_status
from exitgate.recordings.formats.json_files import Ids, Lines, id_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn, total_of
from exitgate.recordings.model import CRASH, TURN, Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "pi"
TITLE = "pi, session files: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.COST, capabilities.TOKENS,
    )
)  # fmt: skip
_SESSION, _MESSAGE = "session", "message"
_USER, _AGENT, _RESULT = "user", "assistant", "toolResult"
_ROLES = (_USER, _AGENT, _RESULT, "bashExecution", "custom", "branchSummary", "compactionSummary")
_STOP, _LENGTH, _ERROR, _ABORTED = "stop", "length", "error", "aborted"
_TOKENS = ("input", "output", "cacheRead", "cacheWrite")
#: Members of a header that name the session this one was branched off.
_BRANCHED = ("branchedFrom", "parentSession")


def fits(look: Probe) -> bool:
    """Return whether it begins with a session's header, or its first lines are such messages."""
    events = look.events
    if events and _is_header(events[0]):
        return True
    return bool(events) and sum(map(_is_message, events)) * 2 > len(events)


def _is_header(event: Event) -> bool:
    if event.get("type") != _SESSION or text_at(event, "cwd") is None:
        return False
    return text_at(event, "id") is not None and text_at(event, "timestamp") is not None


def _is_message(event: Event) -> bool:
    message = object_at(event, "message")
    named = event.get("type") == _MESSAGE and message.get("role") in _ROLES
    return named and text_at(event, "timestamp") is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each header. Raises OSError when it cannot be read."""
    lines = Lines(place)
    run: _Session | None = None
    ids = Ids()
    for event in lines.events():
        if event.get("type") == _SESSION or run is None:
            if run is not None:
                yield from run.end()
            run = _Session(place, event if event.get("type") == _SESSION else {}, wants, ids)
        if event.get("type") == _MESSAGE:
            yield from run.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if run is None:
        yield Problem(place.path, "it has no session")
        run = _Session(place, {}, wants, ids)
    yield from run.end()


class _Session:
    def __init__(self, place: Location, header: Event, wants: frozenset[str], ids: Ids) -> None:
        self.place = place
        self.ids = ids
        self.header = header
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.turn: Turn | None = None
        self.begun = False
        self.stopped: str | None = None
        self.ended_at: float | None = None

    def take(self, event: Event, line: int) -> Iterator[Part]:
        message = object_at(event, "message")
        at = instant(event.get("timestamp")) or instant(message.get("timestamp"))
        if message.get("role") == _USER:
            yield from self._close(at)
            self.turn = Turn(texts_in(message.get("content")), at, line)
        elif self.turn is not None:
            self.turn.seen(at, line)
            if message.get("role") == _AGENT:
                self._said(message, self.turn)
            elif message.get("role") == _RESULT:
                self._answered(message, self.turn)
        self.ended_at = at if at is not None else self.ended_at

    def _close(self, at: float | None) -> Iterator[Part]:
        if not self.begun:
            self.begun = True
            # The header of a branch is written when it is branched off, later than what it begins with.
            branched = text_at(self.header, *_BRANCHED) is not None
            first = at if at is not None else instant(self.header.get("timestamp"))
            id, again = self.ids.next(id_of(text_at(self.header, "id"), self.place))
            yield Begin(id, TURN, self.place.path, first, resumed=branched or again)
        if self.turn is not None:
            yield self.chat.concluded(self.turn)
            self.turn = None

    def _said(self, message: Event, turn: Turn) -> None:
        turn.step()
        for block in objects_at(message, "content"):
            if block.get("type") == "text":
                turn.say(text_at(block, "text") or "")
            elif block.get("type") == "toolCall":
                turn.call(text_at(block, "name") or "", block.get("arguments"), text_at(block, "id"))
        usage = object_at(message, "usage")
        turn.add("tokens", total_of(usage, "totalTokens", *_TOKENS))
        turn.add("cost", number_at(object_at(usage, "cost"), "total"))
        turn.set("model", text_at(message, "model"))
        self.stopped = text_at(message, "stopReason")
        turn.set("stop_reason", self.stopped)
        if self.stopped == _STOP:
            turn.record["is_error"] = False
        elif self.stopped == _ERROR:
            error = text_at(message, "errorMessage") or ""
            turn.fail(error, kind_of_status(leading_status(error)) or CRASH)
        if self.stopped in (_ABORTED, _LENGTH):
            turn.record["truncated"] = True

    @staticmethod
    def _answered(message: Event, turn: Turn) -> None:
        text, failed = texts_in(message.get("content")), message.get("isError")
        at = turn.find(text_at(message, "toolCallId"), text_at(message, "toolName"))
        turn.answer(at, text, error=failed if isinstance(failed, bool) else None)

    def end(self) -> Iterator[Part]:
        yield from self._close(None)
        how = {_ABORTED: "interrupted", _ERROR: "failed"}.get(self.stopped or "")
        yield End(how, self.stopped or "" if how else "", self.ended_at)
