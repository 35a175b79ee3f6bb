"""
What `exitgate run` keeps: `runs/NAME.N.jsonl` below the state directory, one run a file.

An iteration is there once its agent has ended, with all that it said; how the plan, git and files were comes
with the decision behind it. One that was cut off in the middle, or that a loop was killed before it decided
on, counts like every other. Iterations of before a run was begun anew by hand are in the later run's file.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, text_at
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.model import capabilities
from exitgate.core.model.decision import CLASSES
from exitgate.recordings.formats.json_files import object_of
from exitgate.recordings.model import (
    PROCESS,
    Begin,
    End,
    Problem,
    Provenance,
    RecordedIteration,
    from_unwrapped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part
    from exitgate.recordings.probe import Probe


ID = "exitgate-run"
TITLE = "the record of `exitgate run`: one process of an agent per iteration"
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.GIT, capabilities.CIRCUIT, capabilities.FILES,
        capabilities.TIMES, capabilities.EXIT_STATUS, capabilities.TOOL_CALLS, capabilities.COST,
        capabilities.TOKENS, capabilities.DENIALS,
    )
)  # fmt: skip

_MARK, _FORMAT = "exitgate_run", 1
_BEGIN, _START, _ITERATION, _DECIDED, _END = "begin", "start", "iteration", "decided", "end"


def fits(look: Probe) -> bool:
    """Return whether the first line of the file is one that `exitgate run` writes."""
    return bool(look.events) and _is_line(look.events[0])


def _is_line(event: Event) -> bool:
    return event.get(_MARK) == _FORMAT and isinstance(event.get("run"), str) and "kind" in event


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    file = _File(place)
    for number, raw in enumerate(place.lines(), 1):
        if not raw.strip():
            continue
        event = object_of(raw)
        if event is None or not _is_line(event):
            yield Problem(place.path, "this line is torn or damaged", number)
        else:
            yield from file.take(number, event)
    yield from file.done()
    yield file.ended


class _File:
    """The run of one file, as far as it was read: one iteration waits for its decision."""

    def __init__(self, place: Location) -> None:
        self._place = place
        self._begun = False
        self._texts: dict[str, str] = {}
        self._plan: str | None = None
        self._files: dict[str, str] = {}
        self._prompt: str | None = None
        self._waiting: tuple[int, Event] | None = None
        self._count = 0
        self.ended = End()

    def take(self, number: int, event: Event) -> Iterator[Part]:
        """Yield what is complete with this line."""
        kind = event.get("kind")
        if not self._begun:
            self._see(event)
            yield self._begin(event)
        if kind == _BEGIN:
            yield from self._finished({})
            self.ended = End()  # taken up again
        elif kind == _START:
            yield from self._finished({})
            self._prompt = self._text("prompt", event.get("prompt"))
        elif kind == _ITERATION:
            yield from self._finished({})
            if "prompt" in event:
                self._prompt = self._text("prompt", event.get("prompt"))
            self._waiting = (number, event)
            self.ended = End(ended_at=number_at(event, "ended_at"))
        elif kind == _DECIDED:
            if text_at(event, "moved_to") is not None:
                self._waiting = None
            yield from self._finished(event)
        elif kind == _END:
            self.ended = _end(event, self.ended.ended_at)

    def done(self) -> Iterator[Part]:
        """Yield what is left; a file without one good line is a run without iterations."""
        if not self._begun:
            yield Begin(self._place.name, PROCESS, self._place.path)
        yield from self._finished({})

    def _begin(self, event: Event) -> Begin:
        self._begun = True
        policy = object_at(event, "policy")
        title = " ".join(filter(None, (text_at(policy, "name"), text_at(policy, "version"))))
        return Begin(
            str(event["run"]),
            PROCESS,
            self._place.path,
            number_at(event, "started_at"),
            f"decided by {title}" if title else "",
            plan=self._plan,
            files=dict(self._files),
            git=object_at(event, "git") or None,
        )

    def _finished(self, decided: Event) -> Iterator[RecordedIteration]:
        """Yield the iteration that waits, with what was looked at for its decision."""
        if self._waiting is None:
            return
        number, event = self._waiting
        self._waiting = None
        self._see(decided)
        self._count += 1
        status = event.get("exit_status")
        known = isinstance(status, int) and not isinstance(status, bool)
        yield from_unwrapped(
            self._count,
            Provenance(self._place.path, number, number),
            unwrap(text_at(event, "text") or "", failed=bool(known and status)),
            prompt=self._prompt,
            started_at=number_at(event, "started_at"),
            ended_at=number_at(event, "ended_at"),
            exit_status=status if known else None,
            timed_out=timed_out if isinstance(timed_out := event.get("timed_out"), bool) else None,
            plan=self._plan,
            files=dict(self._files),
            git=object_at(decided, "git") or None,
            circuit=object_at(decided, "circuit") or None,
        )

    def _see(self, event: Event) -> None:
        """Remember how plan and files were: what the line does not have was missing."""
        self._plan = self._text("plan", event.get("plan"))
        files = object_at(event, "files")
        found = {path: self._text(f"file {path}", written) for path, written in files.items()}
        self._files = {path: text for path, text in found.items() if text is not None}

    def _text(self, place: str, written: object) -> str | None:
        """Return a text: one that is the same as the one before in its place is not written again."""
        if not isinstance(written, dict):
            return None
        text = written.get("text")
        if isinstance(text, str):
            self._texts[place] = text
        return self._texts.get(place)


def _end(event: Event, ended_at: float | None) -> End:
    how = text_at(event, "class")
    return End(how if how in CLASSES else None, text_at(event, "why") or "", ended_at)
