"""
Copilot CLI's events, `~/.copilot/session-state/<id>/events.jsonl`.

A turn is a `user.message` and what follows. What sub-agents say is left out; their calls are reported as not
the agent's own. Only the end of a session tells its tokens, and only of all its turns together.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import (
    count_at,
    object_at,
    objects_at,
    sum_at,
    text_at,
    texts_in,
    writable_text,
)
from exitgate.core.envelopes.plain import JSON_LINES
from exitgate.core.model import capabilities
from exitgate.recordings.formats.errors import kind_of_status
from exitgate.recordings.formats.json_files import Lines, id_of
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


ID = "copilot"
TITLE = "Copilot CLI, events.jsonl: a user message and what follows"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.FILES, capabilities.TIMES, capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED, capabilities.DENIALS,
    )
)  # fmt: skip
_START, _PROMPT = "session.start", "user.message"
#: First parts of the types of events.
_FAMILIES = frozenset(
    ("session", "user", "assistant", "system", "tool", "hook", "permission", "subagent", "skill", "abort")
)
#: What came from the cache is among the input.
_USAGE = ("inputTokens", "outputTokens")
_DENIED = "denied"


def fits(look: Probe) -> bool:
    """Return whether its first lines are such events."""
    events = look.events
    return bool(events) and all(_is_event(event) for event in events) and any("." in _kind(e) for e in events)


def _kind(event: Event) -> str:
    return text_at(event, "type") or ""


def _is_event(event: Event) -> bool:
    family = _kind(event).partition(".")[0] in _FAMILIES
    return family and isinstance(event.get("data"), dict) and text_at(event, "id") is not None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs: one for each session that starts. Raises OSError when it cannot be read."""
    lines = Lines(place)
    run: _Session | None = None
    for event in lines.events():
        if run is None or (_kind(event) == _START and run.is_other(object_at(event, "data"))):
            if run is not None:
                yield from run.end()
            run = _Session(place, event, wants)
            yield run.begin(event)
        yield from run.take(event, lines.number)
        yield from lines.problems()
    yield from lines.problems()
    if run is None:
        yield Problem(place.path, "it has no session")
        run = _Session(place, {}, wants)
        yield run.begin({})
    yield from run.end()


class _Session:
    def __init__(self, place: Location, event: Event, wants: frozenset[str]) -> None:
        self.place = place
        self.session = text_at(object_at(event, "data"), "sessionId")
        self.chat = Chat(place.path, JSON_LINES, wants)
        self.turn: Turn | None = None
        self.task: str | None = None
        self.aborted = ""
        self.failed = ""
        self.tokens: int | None = None
        self.ended_at: float | None = None

    def begin(self, event: Event) -> Begin:
        at = instant(object_at(event, "data").get("startTime")) or instant(event.get("timestamp"))
        return Begin(id_of(self.session, self.place), TURN, self.place.path, at)

    def is_other(self, told: Event) -> bool:
        return text_at(told, "sessionId") != self.session

    def take(self, event: Event, line: int) -> Iterator[Part]:
        told, kind, at = object_at(event, "data"), _kind(event), instant(event.get("timestamp"))
        if kind == _PROMPT and not told.get("parentToolCallId"):
            if self.turn is not None:
                yield self.chat.concluded(self.turn)
            self.turn = Turn(text_at(told, "content"), at, line)
            self.turn.set("session", self.session)
            self.task = text_at(told, "parentAgentTaskId")
            self.aborted = self.failed = ""
        elif self.turn is not None:
            if not kind.startswith("session."):
                self.turn.seen(at, line)
            self._take(kind, told, self.turn)
        if kind == "session.shutdown":
            self._usage(told)
        self.ended_at = at if at is not None else self.ended_at

    def _take(self, kind: str, told: Event, turn: Turn) -> None:
        own = not told.get("parentToolCallId") and told.get("parentAgentTaskId") in (None, self.task)
        if kind == "assistant.message":
            self._said(told, turn, own=own)
        elif kind == "tool.execution_start":
            turn.call(_tool(told), told.get("arguments"), text_at(told, "toolCallId"), own=own)
        elif kind == "tool.execution_complete":
            _answered(told, turn)
        elif kind == "permission.completed":
            result = object_at(told, "result")
            if (text_at(result, "kind") or "").startswith(_DENIED):
                turn.deny(turn.find(text_at(told, "toolCallId")))
        elif kind == "session.error":
            self.failed = text_at(told, "message") or text_at(told, "errorType") or kind
            turn.fail(self.failed, kind_of_status(count_at(told, "statusCode")))
        elif kind == "abort":
            self.aborted = text_at(told, "reason") or kind
            turn.record["truncated"] = True
            turn.set("stop_reason", self.aborted)

    def _said(self, told: Event, turn: Turn, *, own: bool) -> None:
        if own:
            turn.step()
            self.aborted = self.failed = ""
            turn.say(text_at(told, "content") or "", text_at(told, "messageId"))
            turn.set("model", text_at(told, "model"))
        for one in objects_at(told, "toolRequests"):
            turn.call(_tool(one), one.get("arguments"), text_at(one, "toolCallId"), own=own)

    def _usage(self, told: Event) -> None:
        for model in object_at(told, "modelMetrics").values():
            if isinstance(model, dict):
                used = sum_at(object_at(model, "usage"), *_USAGE)
                self.tokens = used if self.tokens is None else self.tokens + (used or 0)
        if self.turn is not None and self.chat.index == 0:
            self.turn.set("tokens", self.tokens)  # of the session's only turn

    def end(self) -> Iterator[Part]:
        only = self.turn is not None and "tokens" in self.turn.record
        if self.turn is not None:
            yield self.chat.concluded(self.turn)
        how = "interrupted" if self.aborted else "failed" if self.failed else None
        tokens = None if only else self.tokens
        yield End(how, writable_text(self.aborted or self.failed[:200]), self.ended_at, tokens=tokens)


def _tool(told: Event) -> str:
    return text_at(told, "name", "toolName") or ""


def _answered(told: Event, turn: Turn) -> None:
    result = object_at(told, "result")
    text = texts_in(result.get("content")) or text_at(object_at(told, "error"), "message") or ""
    success = told.get("success")
    at = turn.find(text_at(told, "toolCallId"))
    turn.answer(at, text, error=not success if isinstance(success, bool) else None)
