"""
Copilot CLI's events, `~/.copilot/session-state/<id>/events.jsonl`.

A turn is a `user.message` and what follows. What sub-agents say is left out; their calls are reported as not
the agent's own. Only the end of a session tells its tokens, and only of all its turns together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import texts_in, writable_text
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.core.system.lenient import Amount, read_as, summed
from exitgate.recordings.formats.errors import kind_of_status
from exitgate.recordings.formats.json_files import Lines, id_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.formats.turns import Chat, Turn
from exitgate.recordings.location import Location
from exitgate.recordings.model import TURN, Begin, End, Part, Problem
from exitgate.recordings.probe import Probe

ID = "copilot"
TITLE = "Copilot CLI, events.jsonl: a user message and what follows"
GIVES = capabilities.CHAT | {capabilities.DENIALS}
_START, _PROMPT = "session.start", "user.message"
#: First parts of the types of events.
_FAMILIES = frozenset(
    ("session", "user", "assistant", "system", "tool", "hook", "permission", "subagent", "skill", "abort")
)
_DENIED = "denied"


class _Request(Struct, frozen=True, rename="camel"):
    """A call of a tool that a message asks for."""

    name: str | None = None
    tool_name: str | None = None
    arguments: Any = None
    tool_call_id: str | None = None

    @property
    def tool(self) -> str:
        return (self.name if self.name is not None else self.tool_name) or ""


class _Result(Struct, frozen=True):
    """What a call gave back, or what became of a question whether it may be made."""

    content: Any = None
    kind: str | None = None


class _Error(Struct, frozen=True):
    message: str | None = None


class _Usage(Struct, frozen=True, rename="camel"):
    """Tokens of a model; what came from the cache is among the input."""

    input_tokens: Amount = None
    output_tokens: Amount = None


class _Metrics(Struct, frozen=True):
    usage: _Usage = _Usage()


class _Told(_Request, frozen=True, rename="camel"):
    """What an event tells; events of each type have some of these members."""

    session_id: str | None = None
    start_time: Any = None
    content: str | None = None
    message_id: str | None = None
    model: str | None = None
    parent_tool_call_id: Any = None
    parent_agent_task_id: Any = None
    tool_requests: tuple[_Request, ...] = ()
    result: _Result = _Result()
    error: _Error = _Error()
    success: bool | None = None
    message: str | None = None
    error_type: str | None = None
    status_code: Amount = None
    reason: str | None = None
    model_metrics: dict[str, _Metrics] = {}


class _Event(Struct, frozen=True, rename={"payload": "data"}):
    """A line; `payload` is None where there is no object."""

    type: str = ""
    id: str | None = None
    timestamp: Any = None
    payload: _Told | None = None

    @property
    def told(self) -> _Told:
        return _Told() if self.payload is None else self.payload


def fits(look: Probe) -> bool:
    """Return whether its first lines are such events."""
    events = [read_as(_Event, event) for event in look.events]
    return bool(events) and all(map(_is_event, events)) and any("." in event.type for event in events)


def _is_event(event: _Event) -> bool:
    family = event.type.partition(".")[0] in _FAMILIES
    return family and event.payload is not None and event.id is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each session that starts. Raises OSError when it cannot be read."""
    lines = Lines(place)
    run: _Session | None = None
    for plain in lines.events():
        event = read_as(_Event, plain)
        if run is None or (event.type == _START and run.is_other(event.told)):
            if run is not None:
                yield from run.end()
            run = _Session(place, event, wants)
            yield run.begin(event)
        yield from run.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if run is None:
        yield Problem(place.path, "it has no session")
        run = _Session(place, _Event(), wants)
        yield run.begin(_Event())
    yield from run.end()


class _Session:
    def __init__(self, place: Location, event: _Event, wants: frozenset[str]) -> None:
        self.place = place
        self.session = event.told.session_id
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.task: str | None = None
        self.aborted = ""
        self.failed = ""
        self.tokens: int | None = None
        self.ended_at: float | None = None

    def begin(self, event: _Event) -> Begin:
        at = instant(event.told.start_time) or instant(event.timestamp)
        return Begin(id_of(self.session, self.place), TURN, self.place.path, at)

    def is_other(self, told: _Told) -> bool:
        return told.session_id != self.session

    def take(self, event: _Event, line: int) -> Iterator[Part]:
        told, kind, at = event.told, event.type, instant(event.timestamp)
        if kind == _PROMPT and not told.parent_tool_call_id:
            turn = Turn(told.content, at, line)
            turn.set("session", self.session)
            yield from self.chat.begin(turn)
            task = told.parent_agent_task_id
            self.task = task if isinstance(task, str) else None
            self.aborted = self.failed = ""
        elif self.chat.turn is not None:
            if not kind.startswith("session."):
                self.chat.turn.seen(at, line)
            self._take(kind, told, self.chat.turn)
        if kind == "session.shutdown":
            self._usage(told)
        self.ended_at = at if at is not None else self.ended_at

    def _take(self, kind: str, told: _Told, turn: Turn) -> None:
        own = not told.parent_tool_call_id and told.parent_agent_task_id in (None, self.task)
        if kind == "assistant.message":
            self._said(told, turn, own=own)
        elif kind == "tool.execution_start":
            turn.call(told.tool, told.arguments, told.tool_call_id, own=own)
        elif kind == "tool.execution_complete":
            _answered(told, turn)
        elif kind == "permission.completed":
            if (told.result.kind or "").startswith(_DENIED):
                turn.deny(turn.find(told.tool_call_id))
        elif kind == "session.error":
            self.failed = told.message or told.error_type or kind
            turn.fail(self.failed, kind_of_status(summed(told.status_code)))
        elif kind == "abort":
            self.aborted = told.reason or kind
            turn.record["truncated"] = True
            turn.set("stop_reason", self.aborted)

    def _said(self, told: _Told, turn: Turn, *, own: bool) -> None:
        if own:
            turn.step()
            self.aborted = self.failed = ""
            turn.say(told.content or "", told.message_id)
            turn.set("model", told.model)
        for one in told.tool_requests:
            turn.call(one.tool, one.arguments, one.tool_call_id, own=own)

    def _usage(self, told: _Told) -> None:
        for model in told.model_metrics.values():
            used = summed(model.usage.input_tokens, model.usage.output_tokens)
            self.tokens = used if self.tokens is None else self.tokens + (used or 0)
        if self.chat.turn is not None and self.chat.index == 0:
            self.chat.turn.set("tokens", self.tokens)  # of the session's only turn

    def end(self) -> Iterator[Part]:
        only = self.chat.turn is not None and "tokens" in self.chat.turn.record
        yield from self.chat.end()
        how = "interrupted" if self.aborted else "failed" if self.failed else None
        tokens = None if only else self.tokens
        yield End(how, writable_text(self.aborted or self.failed[:200]), self.ended_at, tokens=tokens)


def _answered(told: _Told, turn: Turn) -> None:
    text = texts_in(told.result.content) or told.error.message or ""
    at = turn.find(told.tool_call_id)
    turn.answer(at, text, error=None if told.success is None else not told.success)
