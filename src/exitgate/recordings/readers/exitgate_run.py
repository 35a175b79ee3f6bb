"""
What `exitgate run` keeps: `runs/NAME.N.jsonl` below the state directory, one run a file.

An iteration is there once its agent has ended, with all that it said; how the plan, git and files were comes
with the decision behind it. One that was cut off in the middle, or that a loop was killed before it decided
on, counts like every other. Iterations of before a run was begun anew by hand are in the later run's file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.model import capabilities
from exitgate.core.model.decision import CLASSES
from exitgate.core.system.lenient import Amount, read_as
from exitgate.recordings.formats.json_files import fitting_lines
from exitgate.recordings.location import Location
from exitgate.recordings.model import (
    PROCESS,
    Begin,
    End,
    Part,
    Problem,
    Provenance,
    RecordedIteration,
    from_unwrapped,
)
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

_FORMAT = 1
_BEGIN, _START, _ITERATION, _DECIDED, _END = "begin", "start", "iteration", "decided", "end"


class _Written(Struct, frozen=True):
    """A text as the line has it: one that is the same as the one before in its place is not written again."""

    text: str | None = None


class _Policy(Struct, frozen=True):
    name: str | None = None
    version: str | None = None


class _Line(Struct, frozen=True, rename={"exit_class": "class"}):
    """A line; those of each kind have some of these members."""

    exitgate_run: Any = None
    run: str | None = None
    kind: str | UnsetType | None = UNSET
    prompt: _Written | UnsetType | None = UNSET
    plan: _Written | None = None
    files: dict[str, _Written] = {}
    git: dict[str, Any] = {}
    circuit: dict[str, Any] = {}
    probes: dict[str, Any] = {}
    policy: _Policy = _Policy()
    text: str | None = None
    started_at: Amount = None
    ended_at: Amount = None
    exit_status: int | None = None
    timed_out: bool | None = None
    moved_to: str | None = None
    exit_class: str | None = None
    why: str | None = None


def fits(look: Probe) -> bool:
    """Return whether the first line of the file is one that `exitgate run` writes."""
    return bool(look.events) and _is_line(look.events[0])


def _is_line(plain: dict[str, Any]) -> bool:
    line = read_as(_Line, plain)
    return line.exitgate_run == _FORMAT and line.run is not None and "kind" in plain


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the one run. Raises OSError when it cannot be read."""
    file = _File(place)
    for found in fitting_lines(place, _is_line, "this line is torn or damaged"):
        if isinstance(found, Problem):
            yield found
        else:
            yield from file.take(found[0], read_as(_Line, found[1]))
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
        self._waiting: tuple[int, _Line] | None = None
        self._count = 0
        self.ended = End()

    def take(self, number: int, line: _Line) -> Iterator[Part]:
        """Yield what is complete with this line."""
        if not self._begun:
            self._see(line)
            yield self._begin(line)
        if line.kind in (_BEGIN, _START, _ITERATION):
            yield from self._finished(_Line())
        if line.kind == _BEGIN:
            self.ended = End()  # taken up again
        elif line.kind == _START or (line.kind == _ITERATION and line.prompt is not UNSET):
            self._prompt = self._text("prompt", line.prompt or None)
        if line.kind == _ITERATION:
            self._waiting = (number, line)
            self.ended = End(ended_at=line.ended_at)
        elif line.kind == _DECIDED:
            if line.moved_to is not None:
                self._waiting = None
            yield from self._finished(line)
        elif line.kind == _END:
            how = line.exit_class if line.exit_class in CLASSES else None
            self.ended = End(how, line.why or "", self.ended.ended_at)

    def done(self) -> Iterator[Part]:
        """Yield what is left; a file without one good line is a run without iterations."""
        if not self._begun:
            yield Begin(self._place.name, PROCESS, self._place.path)
        yield from self._finished(_Line())

    def _begin(self, line: _Line) -> Begin:
        self._begun = True
        title = " ".join(filter(None, (line.policy.name, line.policy.version)))
        return Begin(
            line.run or "",
            PROCESS,
            self._place.path,
            line.started_at,
            f"decided by {title}" if title else "",
            plan=self._plan,
            files=dict(self._files),
            git=line.git or None,
        )

    def _finished(self, decided: _Line) -> Iterator[RecordedIteration]:
        """Yield the iteration that waits, with what was looked at for its decision."""
        if self._waiting is None:
            return
        number, line = self._waiting
        self._waiting = None
        self._see(decided)
        self._count += 1
        yield from_unwrapped(
            self._count,
            Provenance(self._place.path, number, number),
            unwrap(line.text or "", failed=bool(line.exit_status)),
            prompt=self._prompt,
            started_at=line.started_at,
            ended_at=line.ended_at,
            exit_status=line.exit_status,
            timed_out=line.timed_out,
            plan=self._plan,
            files=dict(self._files),
            git=decided.git or None,
            circuit=decided.circuit or None,
            probes=decided.probes,
        )

    def _see(self, line: _Line) -> None:
        """Remember how plan and files were: what the line does not have was missing."""
        self._plan = self._text("plan", line.plan)
        found = {path: self._text(f"file {path}", written) for path, written in line.files.items()}
        self._files = {path: text for path, text in found.items() if text is not None}

    def _text(self, place: str, written: _Written | None) -> str | None:
        """Return a text as it is, or was before in its place."""
        if written is None:
            return None
        if written.text is not None:
            self._texts[place] = written.text
        return self._texts.get(place)
