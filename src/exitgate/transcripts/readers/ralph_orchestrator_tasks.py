"""The tasks of ralph-orchestrator, as they stood at any instant."""

from __future__ import annotations

import json

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.ralph_orchestrator_names import is_task, object_of
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.place import Place

#: Tasks beyond which a list is not kept whole.
_MOST = 20_000
_CLOSED = "closed"
#: Under which name the list is among the files of an iteration.
FILE = "tasks.json"
_ALL_CLOSED = "every task so far is closed, and agents add tasks as they go: that is no finished plan"


class Tasks:
    """Every task with the instants at which it was made and closed."""

    __slots__ = ("_tasks", "problems")

    def __init__(self) -> None:
        self._tasks: list[tuple[float, float | None, str]] = []
        self.problems: list[Problem] = []

    def add(self, place: Place) -> None:
        """Read a `tasks.jsonl`. Raises OSError."""
        for number, raw in enumerate(place.lines(), 1):
            if not raw.strip():
                continue
            task = object_of(raw)
            if task is None or not is_task(task):
                self.problems.append(Problem(place.path, "this line is no task", number))
                continue
            created = instant(task.get("created"))
            closed = instant(task.get("closed")) if task.get("status") == _CLOSED else None
            if created is not None and len(self._tasks) < _MOST:
                title = " ".join((text_at(task, "title") or "").split())
                self._tasks.append((created, closed, title))

    def plan(self, at: float | None) -> str | None:
        """Return the checklist as it stood at an instant, as it stands now for None; None without tasks."""
        lines = [f"- [{'x' if done else ' '}] {title}" for title, done in self._at(at)]
        return "\n".join(lines) + "\n" if lines else None

    def told(self, at: float | None) -> dict[str, object]:
        """
        Return the parts `plan`, `files`, `not_known` of an iteration that ended at an instant.

        Agents add tasks as they go: an open one is work that is left, but a list of closed ones is no
        finished plan. The list itself is the file `tasks.json` in either case.
        """
        now = self._at(at) if at is not None else []
        if not now:
            return {}
        listed = [{"title": title, "closed": done} for title, done in now]
        parts: dict[str, object] = {"files": {FILE: json.dumps({"tasks": listed})}}
        if all(done for _, done in now):
            return {**parts, "not_known": {"plan": _ALL_CLOSED}}
        return {**parts, "plan": self.plan(at)}

    def _at(self, at: float | None) -> list[tuple[str, bool]]:
        return [
            (title, closed is not None and (at is None or closed <= at))
            for created, closed, title in self._tasks
            if at is None or created <= at
        ]
