"""What a watcher knows of a run: lines of the ledger go in, one after the other. Pure."""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.ledger.line import BREAKER, DECISION, EXPIRED, OF_VALUE, RESET, RUN_START
from exitgate.core.ledger.runs import SUSPENDING, iteration_of, name_of, number_of
from exitgate.core.model.decision import CLASSES, EXIT
from exitgate.core.model.value import Value
from exitgate.core.state.discover import BREAKER_RUN
from exitgate.report.decision.summary import is_unchecked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Line = Mapping[str, object]
    from collections.abc import Mapping


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
        now: Line | None = None,
        earlier: tuple[Line, ...] = (),
        last: Line | None = None,
        cells: tuple[Cell, ...] = (),
        pause: float = 0.0,
        breaker: Line | None = None,
        others: Mapping[str, Line] | None = None,
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

    def follows(self, line: Line) -> bool:
        """Return whether a line is of the run watched, or of the one that takes its place."""
        run = str(line.get("run"))
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
        return self.last.get("kind") in (RESET, EXPIRED) or self.ended is not None

    @property
    def ended(self) -> str | None:
        """The class of the EXIT that ended the run for good, or None."""
        found = exit_of(self.last)
        return None if found in SUSPENDING else found


def exit_of(line: Line | None) -> str | None:
    """Return the class of EXIT that a line decides on, or None: for CONTINUE, and for no decision."""
    if line is None or line.get("kind") != DECISION:
        return None
    decision = part(line, "decision")
    found = decision.get("class")
    return str(found) if decision.get("verdict") == EXIT and found in CLASSES else None


def is_decision(line: Line) -> bool:
    """Return whether a line is a decision that can be shown: it says CONTINUE, or EXIT and a class."""
    verdict = part(line, "decision").get("verdict")
    return line.get("kind") == DECISION and (verdict == "CONTINUE" or exit_of(line) is not None)


def after_line(sight: RunState, line: Line) -> RunState:
    """Return what is known after one more line; lines come in the order of the ledger."""
    breaker = line.get("breaker")
    if line.get("kind") in (DECISION, BREAKER) and isinstance(breaker, dict):
        sight = sight.but(breaker=breaker)
    if str(line.get("run")) == BREAKER_RUN:
        return sight
    if not sight.follows(line):
        return sight.but(others=_others(sight, line))
    if line.get("run") != sight.run:
        sight = _turned(sight, line)
    pause = sight.pause if sight.last is None else max(sight.pause, _between(sight.last, line))
    sight = sight.but(last=line, pause=pause)
    if line.get("kind") == RUN_START:
        return sight.but(earlier=(*sight.earlier, _slim(line)))
    if not is_decision(line):
        return sight
    earlier = sight.earlier if sight.now is None else (*sight.earlier, _slim(sight.now))
    return sight.but(now=line, earlier=earlier[-EARLIER:], cells=_cells(sight.cells, line))


def _turned(sight: RunState, line: Line) -> RunState:
    """Return the sight turned to the run of `line`; the one before is one of the others."""
    others = dict(sight.others)
    others.pop(str(line.get("run")), None)
    turned = RunState(sight.wanted, str(line.get("run")), breaker=sight.breaker, others=others)
    return turned if sight.last is None else turned.but(others=_others(turned, sight.last))


def _others(sight: RunState, line: Line) -> Mapping[str, Line]:
    run = str(line.get("run"))
    rest = {name: other for name, other in sight.others.items() if name != run}
    kept = list(rest.items())[-OTHERS + 1 :]
    return {**dict(kept), run: _slim(line)}


def _cells(cells: tuple[Cell, ...], line: Line) -> tuple[Cell, ...]:
    """Return the strip with one more decision; of several on one iteration the latest is."""
    decision = part(line, "decision")
    number = iteration_of(line)
    cell = Cell(
        number,
        exit_of(line),
        not is_unchecked(decision),
        bool(items(decision, "warnings")),
    )
    if not number and cell.exit_class is None:
        return cells  # asked before the first iteration, which it let go ahead
    same = bool(cells) and cells[-1].iteration == number
    return (*(cells[:-1] if same else cells), cell)[-CELLS:]


def _between(before: Line, line: Line) -> float:
    start, end = instant(before, "time"), instant(line, "time")
    return max(0.0, end - start) if start is not None and end is not None else 0.0


def _slim(line: Line) -> Line:
    """Return what history needs of a line, without evidence: a long run is kept in little room."""
    facts = {
        str(name): {key: plain[key] for key in OF_VALUE if key in plain}
        for name, plain in part(line, "facts").items()
        if isinstance(plain, dict)
    }
    decision = part(line, "decision")
    small = {key: decision[key] for key in ("verdict", "class", "stage", "outcome") if key in decision}
    keys = ("run", "kind", "iteration", "sequence", "time", "totals")
    return {**{key: line.get(key) for key in keys}, "facts": facts, "decision": small}


# Parts of a ledger's line, read without trust: anybody may have written it, any part may be missing.

#: Beyond this no instant, count or amount is believed.
_LARGEST = 1e15
_NOTHING: Mapping[str, object] = {}


def part(line: Line | None, key: str) -> Mapping[str, object]:
    """Return the object below `key`, an empty one for anything else."""
    found = line.get(key) if line is not None else None
    return found if isinstance(found, dict) else _NOTHING


def items(line: Line, key: str) -> tuple[Mapping[str, object], ...]:
    """Return the objects in the list below `key`."""
    found = line.get(key)
    return tuple(one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()


def word(line: Line, key: str) -> str:
    """Return the text below `key`, the empty one for anything else."""
    found = line.get(key)
    return found if isinstance(found, str) else ""


def flag(line: Line, key: str, *, otherwise: bool) -> bool:
    """Return the truth below `key`."""
    found = line.get(key)
    return found if isinstance(found, bool) else otherwise


def instant(line: Line, key: str) -> float | None:
    """Return the number below `key`, or None for anything else and for what no clock shows."""
    found = line.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if -_LARGEST < found < _LARGEST else None


def whole(line: Line, key: str) -> int | None:
    """Return the whole number below `key`, or None."""
    found = instant(line, key)
    return int(found) if found is not None and found.is_integer() else None
