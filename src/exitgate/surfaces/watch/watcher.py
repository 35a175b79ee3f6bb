"""A watcher: reads the ledger on, knows what is new, and says when the run has ended."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.model.verdict import CLASS_CODES
from exitgate.surfaces.watch.follow import read_on
from exitgate.surfaces.watch.judged import Judge
from exitgate.surfaces.watch.parts import instant
from exitgate.surfaces.watch.sight import Sight, after, is_decision
from exitgate.surfaces.watch.view import view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.surfaces.watch.follow import Mark
    from exitgate.surfaces.watch.rows import View

    Line = dict[str, object]

#: Troubles shown at once.
TROUBLES = 3


class Look(Value):
    """
    What one look at the ledger found.

    Args:
        decisions: New decisions of the run watched, oldest first, each a line of the ledger.
        troubles: What could not be read since the last look.
        changed: Whether anything is to be drawn anew.
        ended: Exit code of the EXIT that ended the run, or None. Lines behind it are read by the next look.
    """

    __slots__ = ("changed", "decisions", "ended", "troubles")

    def __init__(
        self,
        decisions: tuple[Line, ...] = (),
        troubles: tuple[str, ...] = (),
        changed: bool = False,
        ended: int | None = None,
    ) -> None:
        self.decisions = decisions
        self.troubles = troubles
        self.changed = changed
        self.ended = ended


class Watcher:
    """
    Looks at the ledger of `directory` again and again.

    The first look takes what is there: its decisions are not new. So are those of a ledger that is another
    than before, as far as they are not later than all that was seen.
    """

    def __init__(self, directory: str, wanted: str | None) -> None:
        self.directory = directory
        self.sight = Sight(wanted)
        self.missing = ""
        self._judge = Judge(directory)
        self._mark: Mark | None = None
        self._looked = False
        self._newest: float | None = None
        self._waiting: tuple[Line, ...] = ()
        self._troubles: tuple[str, ...] = ()
        self.more = False

    def look(self) -> Look:
        """Take what is new; of more than one reading holds, or behind an EXIT, `more` says that it waits."""
        if self._waiting:
            return self._take(self._waiting, (), self._looked, False)
        news, mark = read_on(self.directory, self._mark, self.sight.wanted)
        first, self._mark = not self._looked, mark
        gone = news.missing != self.missing
        self._looked, self.missing, self.more = True, news.missing, news.more
        told = (*news.troubles, *((news.missing,) if gone and news.missing and not first else ()))
        self._troubles = (*self._troubles, *told)[-TROUBLES:]
        lines, fresh = news.lines, not first
        if news.begun and not first and self._newest is not None:
            newest = self._newest
            lines = tuple(line for line in lines if (instant(line, "time") or 0.0) > newest)
        if news.begun and first:
            fresh = False
        return self._take(lines, told, fresh, gone)

    def view(self, now: float) -> View:
        """Return what to show at `now`, seconds since the epoch."""
        return view(self.sight, self._judge.of(self.sight), now, self.shown_troubles())

    def shown_troubles(self) -> tuple[str, ...]:
        """Return the newest troubles, and that there is no ledger as long as there is none."""
        if self.missing and self.missing not in self._troubles:
            return (*self._troubles, self.missing)
        return self._troubles

    def keep(self, troubles: Sequence[str]) -> None:
        """Take up troubles of others, to be shown with those of the ledger."""
        self._troubles = (*self._troubles, *troubles)[-TROUBLES:]

    def _take(self, lines: tuple[Line, ...], troubles: tuple[str, ...], fresh: bool, gone: bool) -> Look:
        decisions: list[Line] = []
        ended: int | None = None
        self._waiting = ()
        for place, line in enumerate(lines):
            mine = self.sight.follows(line)
            self.sight = after(self.sight, line)
            at = instant(line, "time")
            if at is not None:
                self._newest = at if self._newest is None else max(self._newest, at)
            if fresh and mine and is_decision(line):
                decisions.append(line)
                if self.sight.ended is not None:
                    ended = CLASS_CODES[self.sight.ended]
                    self._waiting = lines[place + 1 :]
                    break
        if not fresh and self.sight.ended is not None:
            ended = CLASS_CODES[self.sight.ended]
        self.more = self.more or bool(self._waiting)
        return Look(tuple(decisions), troubles, bool(lines or troubles or gone), ended)
