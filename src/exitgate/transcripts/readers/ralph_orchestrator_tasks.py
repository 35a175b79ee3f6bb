"""
The tasks of ralph-orchestrator, as they were at any instant.

All loops of a folder keep one list, in which most tasks name the loop that made them. What the loop itself
counted at that moment wins over the instants in the list, which an agent may have written later.
"""

from __future__ import annotations

import json

from exitgate.model.value import Unknown
from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.ralph_orchestrator_names import is_task, object_of
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.transcripts.place import Place

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

    def add(self, place: Place) -> None:
        """Read a `tasks.jsonl`. Raises OSError."""
        for number, raw in enumerate(place.lines(), 1):
            if not raw.strip():
                continue
            task = object_of(raw)
            if task is None or not is_task(task):
                self.problems.append(Problem(place.path, "this line is not a task", number))
                continue
            created = instant(task.get("created"))
            closed = instant(task.get("closed")) if task.get("status") == _CLOSED else None
            if created is not None and len(self._tasks) < _MOST:
                title = " ".join((text_at(task, "title") or "").split())
                self._tasks.append((created, closed, title, text_at(task, "loop_id") or ""))

    def plan(self) -> str | None:
        """Return the checklist as it is now, None without tasks."""
        return _checklist(self._at(None, ""))

    def told(
        self, at: float | None, loop: str, counted: tuple[int, int] | None, before: int | None = None
    ) -> dict[str, object]:
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
        parts: dict[str, object] = {
            "files": {FILE: json.dumps({"tasks": listed})},
            "plan": _checklist(now),
        }
        facts: dict[str, object] = {}
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
