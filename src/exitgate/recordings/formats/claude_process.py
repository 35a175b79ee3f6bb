"""
What the events of one process of Claude Code add up to: the iteration that a result or a stream shows.

Calls of sub-agents are reported as calls that are not the agent's own; what sub-agents say is left out.
"""

from __future__ import annotations

from msgspec.structs import replace

from exitgate.core.envelopes.calls import fuller_of
from exitgate.core.envelopes.claude import as_events, fits, take
from exitgate.core.envelopes.flat import result_fields
from exitgate.core.envelopes.gathered import Gathered
from exitgate.core.envelopes.members import (
    as_object,
    number_at,
    object_at,
    objects_at,
    text_at,
    texts_in,
    writable,
)
from exitgate.core.envelopes.unwrap import finished
from exitgate.recordings.formats.errors import kind_of_claude
from exitgate.recordings.formats.json_files import objects_on
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.model import FileChange, RecordedIteration, ToolCall, from_unwrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.plans import Plans
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Provenance


#: Characters of what tools gave back that are kept of one process: no memory holds all of a day's.
KEPT = 24_000_000
#: What is before the number in the result of a command that failed.
_EXIT = "Exit code "


class Fold:
    """
    The sum of events in order.

    Args:
        plans: Receives every call of the agent, if there is one.
        keep: Whether single calls are kept.

    `taken` is how many events there were, `results` how many of them were results, `left_out` how many
    calls gave back what is not kept, because it is more than `KEPT`.
    """

    def __init__(self, plans: Plans | None = None, *, keep: bool = True) -> None:
        self.gathered = Gathered()
        self.first: float | None = None
        self.last: float | None = None
        self.duration: float | None = None
        self.results = self.taken = self.left_out = 0
        self._size = 0
        self.error_kind: str | None = None
        self._plans = plans
        self._keep = keep
        self._calls: list[ToolCall] = []
        self._by_id: dict[str, int] = {}
        self._tasks: set[str] = set()

    def take(self, event: Event) -> bool:
        """Add what an event says; False for what is not an event of Claude Code's."""
        if not fits(event):
            return False
        self.taken += 1
        earlier = self.gathered.denials
        kind = event.get("type", "result")
        if kind == "user":
            event = self._bounded(event)
        take(event, self.gathered)
        self._instant(event)
        self.error_kind = kind_of_claude(event, self.gathered.limits) or self.error_kind
        if kind == "result":
            self._result(event, earlier)
        elif kind == "assistant":
            self._called(event)
        elif kind == "user":
            self._answered(event)
        elif kind == "tool_call":
            for one in as_events(event):
                self._called(one)
                self._answered(one)
        elif event.get("subtype") == "task_started":
            self._tasks.add(text_at(event, "tool_use_id") or "")
        elif event.get("subtype") == "task_notification":
            self._over(text_at(event, "tool_use_id"))
        return True

    def _bounded(self, event: Event) -> Event:
        """Return an event without what its calls gave back, once `KEPT` is reached."""
        message = object_at(event, "message")
        blocks = [block for block in objects_at(message, "content") if block.get("type") == "tool_result"]
        self._size += sum(len(texts_in(block.get("content"))) for block in blocks)
        if not blocks or self._size <= KEPT:
            return event
        self.left_out += len(blocks)
        return {**event, "message": {**message, "content": [{**block, "content": ""} for block in blocks]}}

    @property
    def problem(self) -> str:
        """What was left out, in words, or the empty text."""
        if not self.left_out:
            return ""
        return f"its tools gave back more than {KEPT} characters; that of the last {self.left_out} is omitted"

    def _instant(self, event: Event) -> None:
        at = instant(event.get("timestamp"))
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)

    def _result(self, event: Event, earlier: list[dict[str, object]] | None) -> None:
        """A process may report more than once; calls that were refused before stay refused."""
        into = self.gathered
        self.results += 1
        into.set("fields", result_fields(event))
        if earlier and into.denials is not None:
            into.denials = earlier + [one for one in into.denials if one not in earlier]
        took = number_at(event, "duration_ms")
        self.duration = took / 1000 if took is not None else self.duration
        if into.record.get("is_error") is not True:
            self.error_kind = None

    def _called(self, event: Event) -> None:
        own = not event.get("parent_tool_use_id")
        for block in objects_at(object_at(event, "message"), "content"):
            if block.get("type") != "tool_use":
                continue
            id = text_at(block, "id")
            if id is not None and id in self._by_id:
                at = self._by_id[id]
                fuller = fuller_of(self._calls[at].input, writable(block.get("input")))
                self._calls[at] = replace(self._calls[at], input=fuller or self._calls[at].input)
                continue
            if id is not None:
                self._by_id[id] = len(self._calls)
            name, input = text_at(block, "name") or "", writable(block.get("input"))
            self._calls.append(ToolCall(name, input, id=id, own=own))

    def _over(self, id: str | None) -> None:
        """Note that what a call had begun in the background is over."""
        at = self._by_id.get(id or "")
        self._tasks.discard(id or "")
        if at is not None:
            self._calls[at] = replace(self._calls[at], ended=True)

    def _answered(self, event: Event) -> None:
        for block in objects_at(object_at(event, "message"), "content"):
            at = self._by_id.get(text_at(block, "tool_use_id") or "")
            if block.get("type") != "tool_result" or at is None:
                continue
            call = self._calls[at]
            text = str(writable(texts_in(block.get("content"))))
            failed = block.get("is_error") is True
            status = _exit_status(text) if failed else None
            self._calls[at] = replace(
                call,
                result=text,
                is_error=failed,
                exit_status=status,
                background=call.id in self._tasks,
            )
            if self._plans is not None and (call.own or _names_a_file(call.input)):
                self._plans.called(call.name, call.input, text, failed)

    def iteration(self, index: int, provenance: Provenance, format: str) -> RecordedIteration:
        """Return the sum; `format` is one of `exitgate.core.envelopes.plain.FORMATS`."""
        into = self.gathered
        found = finished(into, format, failed=False)
        started, ended = self.times()
        told = into.calls.own is not None
        changed = into.calls.files if told and into.calls.files_changed() is not None else None
        plan = self._plans.plan() if self._plans is not None else None
        files = self._plans.files() if self._plans is not None else {}
        return from_unwrapped(
            index,
            provenance,
            found,
            started_at=started,
            ended_at=ended,
            error_kind=self.error_kind,
            tool_calls=tuple(self._calls) if told and self._keep else None,
            files_changed=None if changed is None else tuple(FileChange(path) for path in sorted(changed)),
            plan=plan,
            files=files,
        )

    def times(self) -> tuple[float | None, float | None]:
        """
        Return the first and the last instant that are reported; the duration reaches back from the last.
        """
        if self.first is None or self.last is None or self.duration is None:
            return self.first, self.last
        return min(self.first, self.last - self.duration), self.last


def _names_a_file(input: object) -> bool:
    """Return whether a call is about a file: what a sub-agent has to do is not a plan of the run."""
    return text_at(as_object(input), "file_path", "notebook_path", "path") is not None


def _exit_status(text: str) -> int | None:
    """Return the exit status that the result of a command that failed begins with."""
    if not text.startswith(_EXIT):
        return None
    digits = text[len(_EXIT) :].partition("\n")[0].strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None


# Where one process of Claude Code ends and the next begins, in a file to which several were appended.
#
# A process begins with another session: where the one before it has its result, or where the new session is
# opened and the old one is not heard of again. One that is heard of again had the other session within it:
# that is a sub-agent's. A session that is resumed stays one process, since a process may open its session
# and report on it more than once. A file of results alone has one for each process; a result that is there
# twice, the same in all it says, is one.

_SYSTEM, _RESULT = "system", "result"
#: What a session is opened with, and what else shows that another one continues.
_OPENS, _SAYS = ("init", "hook_started"), ("assistant", "user", "stream_event", _RESULT)


class Processes:
    """Takes the events of a file in order, and says which begin a process and which are a sub-agent's."""

    def __init__(self, place: Location) -> None:
        self._place = place
        self._session: str | None = None
        self._within: set[str] = set()
        self._returns: dict[str, int] | None = None
        self._result: Event | None = None
        self._others = self._opened = False

    def begins(self, event: Event, line: int) -> bool:
        """Return whether an event on that line begins a process that is not the first."""
        if not fits(event) or event.get("parent_tool_use_id"):
            return False
        session, kind = _session(event), event.get("type", _RESULT)
        begins = kind == _RESULT and self._result not in (None, event) and not self._others
        if not begins and session is not None and self._session not in (None, session):
            begins = self._is_another(session, event, line)
        if begins:
            self._result, self._others, self._opened = None, False, False
            self._session = session
        if session in self._within:
            return False
        if session is not None and not self._opened:
            self._session = session
        if kind == _RESULT:
            self._result = event
        else:
            self._others = True
        self._opened = self._opened or kind in _SAYS or event.get("subtype") == _OPENS[0]
        return begins

    def is_within(self, event: Event) -> bool:
        """Return whether an event is of a session that ran within the one under way."""
        return bool(self._within) and _session(event) in self._within

    def _is_another(self, session: str, event: Event, line: int) -> bool:
        if session in self._within:
            return False
        opens = _opens(event)
        if self._result is not None:
            return opens or event.get("type", _RESULT) in _SAYS
        if not opens or not self._opened:
            return False
        if self._returns is None:
            self._returns = _returns(self._place)
        if self._returns.get(self._session or "", 0) > line:
            self._within.add(session)
            return False
        return True


def _session(event: Event) -> str | None:
    return text_at(event, "session_id", "sessionId")


def _opens(event: Event) -> bool:
    return event.get("type") == _SYSTEM and event.get("subtype") in _OPENS


def _returns(place: Location) -> dict[str, int]:
    """Return session -> the last line at which it continues after another, without being opened again."""
    found: dict[str, int] = {}
    seen: set[str] = set()
    last: str | None = None
    for number, raw in enumerate(place.lines(), 1):
        line = raw.decode("utf-8", "replace").strip()
        for event in objects_on(line) if line else ():
            session = _session(event)
            if session is None or event.get("parent_tool_use_id"):
                continue
            if session != last and session in seen and not _opens(event):
                found[session] = number
            seen.add(session)
            last = session
    return found
