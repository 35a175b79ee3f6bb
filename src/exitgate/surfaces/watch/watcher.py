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

#: Troubles shown at once, and new decisions after which one is not shown any more.
TROUBLES, TOLD_FOR = 3, 5
_INFINITE = float("inf")


class Look(Value):
    """
    What one look at the ledger found.

    Args:
        decisions: New decisions of the run watched, oldest first, each a line of the ledger.
        troubles: What could not be read since the last look.
        ended: Exit code of the EXIT that ended the run, or None. Lines behind it are read by the next look.
    """

    __slots__ = ("decisions", "ended", "troubles")

    def __init__(
        self,
        decisions: tuple[Line, ...] = (),
        troubles: tuple[str, ...] = (),
        ended: int | None = None,
    ) -> None:
        self.decisions = decisions
        self.troubles = troubles
        self.ended = ended


class Watcher:
    """
    Looks at the ledger of `directory` again and again.

    The first look takes what is there: its decisions are not new. So are those of a ledger that is another
    than before, as far as they are not later than all that was seen. `over_before` says that the run was
    over when the first look found it.
    """

    def __init__(self, directory: str, wanted: str | None) -> None:
        self.directory = directory
        self.sight = Sight(wanted)
        self.missing = ""
        self.absent = False
        self._judge = Judge(directory)
        self.over_before = False
        self._mark: Mark | None = None
        self._looked = False
        self._newest = -_INFINITE
        self._waiting: tuple[Line, ...] = ()
        self._troubles: tuple[tuple[str, int], ...] = ()
        self._decided = 0
        self.more = False

    def look(self) -> Look:
        """Take what is new; `more` says that more is there: of a long stretch, or behind an EXIT."""
        if self._waiting:
            return self._take(self._waiting, (), -_INFINITE)
        news, mark = read_on(self.directory, self._mark, self.sight.wanted)
        first, self._mark = not self._looked, mark
        told = news.troubles
        if news.missing and news.missing != self.missing and not first:
            told = (*told, news.missing)
        # What could not be read at first may be old; what was missing is new when it comes.
        self._looked = self._looked or not news.missing or news.absent
        self.missing, self.absent, self.more = news.missing, news.absent, news.more
        self.keep(told)
        if not news.begun:
            return self._take(news.lines, told, -_INFINITE)
        self.sight = Sight(self.sight.wanted, news.run)
        found = self._take(news.lines, told, _INFINITE if first else self._newest)
        self.over_before = first and found.ended is not None
        return found

    def view(self, now: float) -> View:
        """Return what to show at `now`, seconds since the epoch."""
        return view(self.sight, self._judge.of(self.sight), now, self.shown_troubles())

    def shown_troubles(self) -> tuple[str, ...]:
        """Return the newest troubles, and that there is no ledger as long as there is none."""
        told = (text for text, since in self._troubles if self._decided - since < TOLD_FOR)
        rest = tuple(text for text in told if text != self.missing)[-TROUBLES:]
        return (*rest, self.missing) if self.missing else rest

    def keep(self, troubles: Sequence[str]) -> None:
        """Take up troubles, of the ledger or of others, to be shown for a while."""
        new = tuple((text, self._decided) for text in troubles if text != self.missing)
        self._troubles = (*self._troubles, *new)[-TROUBLES:]

    def _take(self, lines: tuple[Line, ...], troubles: tuple[str, ...], known: float) -> Look:
        """Take lines in; those later than `known`, seconds since the epoch, are new."""
        decisions: list[Line] = []
        self._waiting = ()
        for place, line in enumerate(lines):
            mine = self.sight.follows(line)
            self.sight = after(self.sight, line)
            at = instant(line, "time")
            self._newest = max(self._newest, -_INFINITE if at is None else at)
            if mine and is_decision(line) and (known == -_INFINITE or (at is not None and at > known)):
                decisions.append(line)
                if self.sight.ended is not None:
                    self._waiting = lines[place + 1 :]
                    break
        self._decided += len(decisions)
        self.more = self.more or bool(self._waiting)
        told = decisions[-1:] if known < _INFINITE else [self.sight.last]
        ended = self.sight.ended if told and told[0] is self.sight.last else None
        return Look(tuple(decisions), troubles, None if ended is None else CLASS_CODES[ended])
