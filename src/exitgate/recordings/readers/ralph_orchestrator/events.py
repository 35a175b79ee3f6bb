"""Lines of `events-*.jsonl`: where a loop starts and ends, and the reports of its agents in between."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import text_at
from exitgate.core.model.value import Unknown
from exitgate.core.system.lenient import read_as, summed
from exitgate.recordings.formats.json_files import fitting_lines, object_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem
from exitgate.recordings.readers.ralph_orchestrator.logs import (
    EventLine,
    HistoryLine,
    TaskLine,
    class_of,
    is_event,
    is_history,
    is_task,
)

_LOOP = "loop"
_END_TOPIC = "loop.terminate"
_REASON = "## Reason\n"


class Emitted(Struct, frozen=True):
    """
    An event.

    Args:
        line: Where it is, from 1.
        at: Seconds since the epoch, or None.
        topic: Its topic.
        payload: Its text; an object as JSON.
        iteration: The loop's own number of it, or None.
        starts: Whether a loop starts with it.
        ends: How the loop ended, its end with it; else None.
    """

    line: int
    at: float | None
    topic: str
    payload: str
    iteration: int | None
    starts: bool
    ends: End | None

    @property
    def said(self) -> str:
        """The event in the form in which an agent writes one."""
        return f'<event topic="{self.topic}">\n{self.payload}\n</event>'


def emitted(place: Location, problems: list[Problem]) -> Iterator[Emitted]:
    """Yield the events of a file; lines that are none are shown in `problems`. Raises OSError."""
    for found in fitting_lines(place, is_event, "this line is not an event"):
        if isinstance(found, Problem):
            problems.append(found)
            continue
        number, line = found[0], read_as(EventLine, found[1])
        topic, payload, count = line.topic or "", line.payload, summed(line.iteration)
        text = payload if isinstance(payload, str) else json.dumps(payload) if payload is not None else ""
        at = instant(line.ts)
        ends = _end(text, at) if topic == _END_TOPIC else None
        starts = line.hat == _LOOP and count == 0 and ends is None
        yield Emitted(number, at, topic, text, count, starts, ends)


def _end(text: str, at: float | None) -> End:
    reason = text.partition(_REASON)[2].partition("\n")[0].strip() if _REASON in text else text.strip()[:80]
    return End(class_of(reason), reason, at)


# `history.jsonl` of ralph-orchestrator, and the notes that it keeps beside it.

_STARTED, _COMPLETED = "loop_started", "loop_completed"
_KILLED = "another loop was started before this one had ended"
_TITLE = 80
_LIMIT = 4_000_000
#: What a summary says of the whole loop.
_STATUS, _COUNT = "**Status:**", "**Iterations:**"
_SUMMARY = "# Loop Summary"


class History:
    """When loops started and completed, with the reason."""

    __slots__ = ("_lines", "problems")

    def __init__(self) -> None:
        self._lines: list[tuple[str, str, float | None, str]] = []
        self.problems: list[Problem] = []

    def add(self, place: Location) -> None:
        """Read a file. Raises OSError."""
        for found in fitting_lines(place, is_history, "this line does not belong to a history of loops"):
            if isinstance(found, Problem):
                self.problems.append(found)
                continue
            line = read_as(HistoryLine, found[1])
            what = line.what
            said = (what.reason if what.prompt is None else what.prompt) or ""
            self._lines.append((place.path, what.kind or "", instant(line.ts), said))

    def end(self, begin: float, following: float | None) -> End | None:
        """Return how the loop that began at `begin` completed, before another began at `following`."""
        for _, kind, at, said in self._lines:
            within = at is not None and at >= begin and (following is None or at < following)
            if kind == _COMPLETED and within:
                return End(class_of(said), said, at)
        return None

    def parts(self) -> Iterator[Part]:
        """Yield a run without iterations for each loop: all that a history tells."""
        number = 0
        running = False
        for path, kind, at, said in self._lines:
            if kind not in (_STARTED, _COMPLETED):
                continue
            if kind == _STARTED:
                if running:
                    yield End("interrupted", _KILLED)
                number += 1
                title = " ".join(said.split())[:_TITLE]
                yield Begin(f"loop-{number}", PROCESS, path, at, title)
                running = True
                continue
            if not running:
                number += 1
                yield Begin(f"loop-{number}", PROCESS, path)
            yield End(class_of(said), said, at)
            running = False
        if running:
            yield End()
        yield from self.problems


def read_note(place: Location) -> Iterator[Part]:
    """Yield a run without iterations that holds a note or state file as it is. Raises OSError."""
    text = place.text(_LIMIT)
    value = object_of(text.encode("utf-8", "replace")) or {}
    started = instant(value.get("started"))
    title = " ".join((text_at(value, "prompt") or "").split())[:_TITLE]
    yield Begin(place.name, PROCESS, place.path, started, title, files={place.path: text})
    why = ""
    if text.lstrip().startswith(_SUMMARY):
        lines = text.split("\n")
        said = [_after(lines, mark) for mark in (_STATUS, _COUNT)]
        why = f"{said[0]}; {said[1]} iterations" if said[1] else said[0]
    yield End(why=why)


def _after(lines: list[str], mark: str) -> str:
    return next((line[len(mark) :].strip() for line in lines if line.startswith(mark)), "")


# The tasks of ralph-orchestrator, as they were at any instant.
#
# All loops of a folder keep one list, in which most tasks name the loop that made them. What the loop
# itself counted at that moment wins over the instants in the list, which an agent may have written later.

#: Tasks beyond which a list is not kept whole.
_MOST = 20_000
_CLOSED = "closed"
_NO_TASKS = "the list of tasks had no task of this loop at that moment"
#: Under which name the list is among the files of an iteration.
FILE = "tasks.json"
#: Fact that a list of closed tasks leaves open.
_COMPLETE = "tasks.complete"
#: Fact that policies take for a measure of the work.
_DONE = "tasks.done"
_STANDS = "agents maintain this list beside their work: no closed task does not mean no work"
_ALL_CLOSED = "every task so far is closed, but agents add tasks as they go: this is not a finished plan"


class Tasks:
    """Every task with the instants at which it was made and closed."""

    __slots__ = ("_tasks", "problems")

    def __init__(self) -> None:
        self._tasks: list[tuple[float, float | None, str, str]] = []
        self.problems: list[Problem] = []

    def add(self, place: Location) -> None:
        """Read a `tasks.jsonl`. Raises OSError."""
        for found in fitting_lines(place, is_task, "this line is not a task"):
            if isinstance(found, Problem):
                self.problems.append(found)
                continue
            task = read_as(TaskLine, found[1])
            created = instant(task.created)
            closed = instant(task.closed) if task.status == _CLOSED else None
            if created is not None and len(self._tasks) < _MOST:
                title = " ".join((task.title or "").split())
                self._tasks.append((created, closed, title, task.loop_id or ""))

    def plan(self) -> str | None:
        """Return the checklist as it is now, None without tasks."""
        return _checklist(self._at(None, ""))

    def told(
        self, at: float | None, loop: str, counted: tuple[int, int] | None, before: int | None = None
    ) -> dict[str, Any]:
        """
        Return the parts `plan`, `files`, `facts`, `not_known` of an iteration that ended at an instant.

        Args:
            at: The instant.
            loop: What the ids of its loop's tasks end with.
            counted: How many tasks the loop said then to be closed and open, or None.
            before: How many were closed an iteration ago, or None.

        Agents add tasks as they go: an open one is work that is left, but a list of closed ones is not a
        finished plan. The list itself is the file `tasks.json` in either case.
        """
        now = self._at(at, loop) if at is not None else []
        if counted is not None:
            now = _as_counted(now if _share(now) == counted else self._at(at, ""), counted)
        if not now:
            return {"not_known": {"plan": _NO_TASKS}}
        listed = [{"title": title, "closed": done} for title, done in now]
        parts: dict[str, Any] = {
            "files": {FILE: json.dumps({"tasks": listed})},
            "plan": _checklist(now),
        }
        facts: dict[str, Any] = {}
        if all(done for _, done in now):
            facts[_COMPLETE] = Unknown(_ALL_CLOSED, _COMPLETE)
        if before is not None and _share(now)[0] <= before:
            facts[_DONE] = Unknown(_STANDS, _DONE)
        return {**parts, "facts": facts} if facts else parts

    def _at(self, at: float | None, loop: str) -> list[tuple[str, bool]]:
        """Return the tasks at an instant, None for now: without an owner or of a loop, "" for all loops."""
        return [
            (title, closed is not None and (at is None or closed <= at))
            for created, closed, title, made_by in self._tasks
            if (at is None or created <= at) and (not loop or not made_by or made_by.endswith(loop))
        ]


def _checklist(tasks: Sequence[tuple[str, bool]]) -> str | None:
    lines = [f"- [{'x' if done else ' '}] {title}" for title, done in tasks]
    return "\n".join(lines) + "\n" if lines else None


def _share(tasks: Sequence[tuple[str, bool]]) -> tuple[int, int]:
    done = sum(done for _, done in tasks)
    return done, len(tasks) - done


def _as_counted(tasks: Sequence[tuple[str, bool]], counted: tuple[int, int]) -> list[tuple[str, bool]]:
    """Return as many closed and open tasks as were counted, with their titles as far as those are known."""
    found: list[tuple[str, bool]] = []
    for done, count in zip((True, False), counted, strict=True):
        titles = [title for title, closed in tasks if closed is done][: min(count, _MOST)]
        titles += [f"task {number}" for number in range(len(titles) + 1, min(count, _MOST) + 1)]
        found += [(title, done) for title in titles]
    return found
