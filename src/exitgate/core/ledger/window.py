"""
The newest lines of runs, kept by a process from one check to the next.

They are used as long as the ledger's file is as this process left it: the same file, size and times. After
another's write, or an edit by hand, they are read again.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.line import OF_VALUE, RUN_START
from exitgate.core.model.json_object import JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Run, limit -> its newest lines, and whether no damaged line was in the way.
    Read = Callable[[str, int], tuple[tuple[JsonObject, ...], bool]]


#: Runs whose lines are kept, those last asked about.
RUNS = 64
#: The fact whose evidence is looked at later: the files that changed.
_SHOWN = "git.content"
_OF_DECISION = ("verdict", "class", "stage", "blind", "retry_at")


class SlimLine(JsonObject):
    """A line without evidence and trace; `record` is what was made of it, for the policy it was made for."""

    __slots__ = ("record",)

    def __init__(self, line: JsonObject) -> None:
        super().__init__(line)
        self.record: tuple[object, object] | None = None
        if facts := line.object("facts"):
            self["facts"] = {
                name: fact if name == _SHOWN else _value_of(fact) for name, fact in facts.items()
            }
        if decision := line.object("decision"):
            self["decision"] = {key: decision[key] for key in _OF_DECISION if key in decision}


class _RunLines:
    """Lines of one run, oldest first; `whole` says that there are none before them."""

    def __init__(self, lines: list[SlimLine], whole: bool) -> None:
        self.lines = lines
        self.whole = whole
        self.limit = len(lines)


class Window:
    """The lines that are kept for one ledger; used under its lock."""

    def __init__(self) -> None:
        self._file: tuple[int, ...] | None = None
        self._runs: dict[str, _RunLines] = {}

    def tail(self, descriptor: int, run: str, limit: int, read: Read) -> tuple[JsonObject, ...]:
        """Return the newest `limit` lines of a run, newest last: those kept, else what `read` gives."""
        if self._file != _file(descriptor):
            self._runs.clear()
            self._file = _file(descriptor)
        kept = self._runs.pop(run, None)
        if kept is None or (len(kept.lines) < limit and not kept.whole):
            found, sound = read(run, limit)
            if not sound:
                return found  # what is wrong with it must be told at each check
            kept = _RunLines([SlimLine(line) for line in found], len(found) < limit)
        kept.limit = max(kept.limit, limit)
        self._keep(run, kept)
        return tuple(kept.lines[-limit:])

    def before_append(self, descriptor: int) -> None:
        """Forget what is kept where another has written meanwhile."""
        if self._file != _file(descriptor):
            self._runs.clear()

    def appended(self, descriptor: int, line: JsonObject) -> None:
        """Keep a line that was appended, as it reads."""
        self._file = _file(descriptor)
        run = str(line["run"])
        kept = self._runs.pop(run, None)
        if kept is None and line.get("kind") != RUN_START:
            return
        kept = _RunLines([], True) if kept is None else kept
        kept.lines.append(SlimLine(line))
        if len(kept.lines) > 2 * kept.limit + 2:
            del kept.lines[: -kept.limit]
            kept.whole = False
        self._keep(run, kept)

    def _keep(self, run: str, kept: _RunLines) -> None:
        self._runs[run] = kept
        while len(self._runs) > RUNS:
            del self._runs[next(iter(self._runs))]


def _file(descriptor: int) -> tuple[int, ...]:
    now = os.fstat(descriptor)
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns


def _value_of(fact: object) -> object:
    return {key: fact[key] for key in OF_VALUE if key in fact} if isinstance(fact, dict) else fact
