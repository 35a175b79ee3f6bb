"""What a watcher knows of a run: lines of the ledger go in, one after the other. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from exitgate.core.ledger.line import BREAKER, DECISION, EXPIRED, RESET, RUN_START
from exitgate.core.ledger.runs import SUSPENDING, name_of, number_of
from exitgate.core.ledger.typed import LedgerLine, LineBreaker, believable
from exitgate.core.model.decision import CONTINUE
from exitgate.core.model.value import Value
from exitgate.core.state.discover import BREAKER_RUN

#: Iterations whose cells are kept, earlier lines kept for history, other runs listed.
CELLS, EARLIER, OTHERS = 256, 256, 5


class Cell(Struct, frozen=True):
    """One decision of the strip: `exit_class` is None for CONTINUE."""

    iteration: int
    exit_class: str | None
    firm: bool
    warned: bool


class RunState(Value):
    """
    What is known of the run that is watched.

    Args:
        wanted: Name or id of the run asked for, or None for whichever is newest.
        run: Id of the run followed, or None before its first line.
        now: Its newest decision's line, whole; None before it.
        earlier: Its lines before that, slim, oldest first.
        last: Its newest line of any kind.
        cells: Its decisions, one an iteration, oldest first.
        pause: The longest time between two of its lines, in seconds.
        breaker: State of the breaker in the newest line that has one, of any run.
        others: Id of another run -> its newest line, slim; the most recent last.
    """

    __slots__ = ("breaker", "cells", "earlier", "last", "now", "others", "pause", "run", "wanted")

    def __init__(
        self,
        wanted: str | None = None,
        run: str | None = None,
        now: LedgerLine | None = None,
        earlier: tuple[LedgerLine, ...] = (),
        last: LedgerLine | None = None,
        cells: tuple[Cell, ...] = (),
        pause: float = 0.0,
        breaker: LineBreaker | None = None,
        others: Mapping[str, LedgerLine] | None = None,
    ) -> None:
        self.wanted = wanted
        self.run = run
        self.now = now
        self.earlier = earlier
        self.last = last
        self.cells = cells
        self.pause = pause
        self.breaker = breaker
        self.others = others or {}

    def follows(self, line: LedgerLine) -> bool:
        """Return whether a line is of the run watched, or of the one that takes its place."""
        run = line.run
        if run == BREAKER_RUN:
            return False
        if self.wanted is not None and name_of(self.wanted) != self.wanted:
            return run == self.wanted
        if self.wanted is not None and name_of(run) != self.wanted:
            return False
        if self.run is None or run == self.run:
            return True
        if name_of(run) == name_of(self.run):
            return number_of(run) > number_of(self.run)
        return self.wanted is None and self.over

    @property
    def over(self) -> bool:
        """Whether the run is over: an EXIT that does not only suspend it, a reset, an expiry."""
        if self.last is None:
            return False
        return self.last.kind in (RESET, EXPIRED) or self.ended is not None

    @property
    def ended(self) -> str | None:
        """The class of the EXIT that ended the run for good, or None."""
        found = exit_of(self.last)
        return None if found in SUSPENDING else found


def exit_of(line: LedgerLine | None) -> str | None:
    """Return the class of EXIT that a line decides on, or None: for CONTINUE, and for no decision."""
    return None if line is None else line.exit_class


def is_decision(line: LedgerLine) -> bool:
    """Return whether a line is a decision that can be shown: it says CONTINUE, or EXIT and a class."""
    goes_on = line.kind == DECISION and line.decided.verdict == CONTINUE
    return goes_on or line.exit_class is not None


def after_line(sight: RunState, line: LedgerLine) -> RunState:
    """Return what is known after one more line; lines come in the order of the ledger."""
    if line.kind in (DECISION, BREAKER) and line.breaker is not None:
        sight = sight.but(breaker=line.breaker)
    if line.run == BREAKER_RUN:
        return sight
    if not sight.follows(line):
        return sight.but(others=_others(sight, line))
    if line.run != sight.run:
        sight = _turned(sight, line)
    pause = sight.pause if sight.last is None else max(sight.pause, _between(sight.last, line))
    sight = sight.but(last=line, pause=pause)
    if line.kind == RUN_START:
        return sight.but(earlier=(*sight.earlier, _slim(line)))
    if not is_decision(line):
        return sight
    earlier = sight.earlier if sight.now is None else (*sight.earlier, _slim(sight.now))
    return sight.but(now=line, earlier=earlier[-EARLIER:], cells=_cells(sight.cells, line))


def _turned(sight: RunState, line: LedgerLine) -> RunState:
    """Return the sight turned to the run of `line`; the one before is one of the others."""
    others = dict(sight.others)
    others.pop(line.run, None)
    turned = RunState(sight.wanted, line.run, breaker=sight.breaker, others=others)
    return turned if sight.last is None else turned.but(others=_others(turned, sight.last))


def _others(sight: RunState, line: LedgerLine) -> Mapping[str, LedgerLine]:
    run = line.run
    rest = {name: other for name, other in sight.others.items() if name != run}
    kept = list(rest.items())[-OTHERS + 1 :]
    return {**dict(kept), run: _slim(line)}


def _cells(cells: tuple[Cell, ...], line: LedgerLine) -> tuple[Cell, ...]:
    """Return the strip with one more decision; of several on one iteration the latest is."""
    number = line.number
    cell = Cell(number, line.exit_class, not line.decided.unchecked, bool(line.decided.warnings))
    if not number and cell.exit_class is None:
        return cells  # asked before the first iteration, which it let go ahead
    same = bool(cells) and cells[-1].iteration == number
    return (*(cells[:-1] if same else cells), cell)[-CELLS:]


def _between(before: LedgerLine, line: LedgerLine) -> float:
    start, end = believable(before.time), believable(line.time)
    return max(0.0, end - start) if start is not None and end is not None else 0.0


def _slim(line: LedgerLine) -> LedgerLine:
    """Return what history needs of a line, without evidence: a long run is kept in little room."""
    names = ("run", "kind", "iteration", "sequence", "time", "totals")
    return line.with_only(names, ("verdict", "class", "stage", "outcome"))
