"""Facts computed from other facts: points, formulas and progress."""

from __future__ import annotations

from exitgate.engine.record import unread_facts
from exitgate.engine.shown import is_finite, number
from exitgate.language.closures import Compilation
from exitgate.model.evidence import Fact
from exitgate.model.value import Unknown, Value

_INFINITY = float("inf")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.facts.signals import Remembered, Signal
    from exitgate.policy.compiled import CompiledPolicy, Derived, PointsRow

    Records = Sequence[Mapping[str, object]]
    Test = Callable[[Records], object]


class PointsLine(Value):
    """A row of a points fact as it came out: `truth` is True, False or `Unknown`."""

    __slots__ = ("row", "truth")

    def __init__(self, row: PointsRow, truth: object) -> None:
        self.row = row
        self.truth = truth


class DerivedFact:
    """One computed fact, compiled once."""

    def __init__(self, derived: Derived, policy: CompiledPolicy) -> None:
        compilation = Compilation(policy.values(), policy.conditions, unread_facts(policy))
        self.name = derived.name
        self._derived = derived
        self._rows: tuple[tuple[PointsRow, Test], ...] = tuple(
            (row, compilation.closure(row.when)) for row in derived.rows
        )
        self._formula: Test | None = (
            compilation.recorded(derived.formula) if derived.formula is not None else None
        )

    def fact(
        self, records: Records, before: Remembered | None = None, ended: bool = True, whole: bool = False
    ) -> Fact:
        """
        Return the fact for the last of `records`.

        `before`, `ended` and `whole` are for progress, as `exitgate.engine.program.Program.derive` says.

        Points: the sum of the rows that are definitely true, within the range; with unknown rows
        the note says how far they could move it, and then which rows say why they count, or would.
        A formula that is unknown or not finite is unknown.
        """
        if self._derived.signals:
            return self._progress(records, before, ended, whole)
        if self._formula is not None:
            return Fact(self.name, clamp_formula(self._formula(records), self._derived))
        lines = self.lines(records)
        known = [line.row.add for line in lines if line.truth is True]
        open_ = [line.row.add for line in lines if line.truth is not True and line.truth is not False]
        value = clamp(_sum(known), self._derived)
        most = clamp(_sum([*known, *(add for add in open_ if add > 0)]), self._derived)
        least = clamp(_sum([*known, *(add for add in open_ if add < 0)]), self._derived)
        bounds = [f"at least {number(least)}"] if least < value else []
        if most > value:
            bounds.append(f"at most {number(most)}")
        reasons = _reasons(lines)
        shown = ", ".join([number(value), *bounds]) if bounds or reasons else ""
        return Fact(self.name, value, note=f"{shown}: {reasons}" if reasons else shown)

    def _progress(self, records: Records, before: Remembered | None, ended: bool, whole: bool) -> Fact:
        from exitgate.facts.extractors.progress import KNOWN, MADE, MOVED, fact_of
        from exitgate.facts.signals import Remembered, movement

        if not ended:
            return Fact(self.name, Unknown("no iteration has ended since the last decision", self.name))
        derived = self._derived
        signals = self._signals()
        before = before or Remembered()
        for record in () if whole else records[:-1]:
            before = before.after(signals, record)
        part = {"bool": MADE, "count": KNOWN}.get(derived.type.kind, MOVED)
        return fact_of(self.name, part, movement(signals, records[-1], before))

    @property
    def is_progress(self) -> bool:
        """Whether it says what moved, and so rests on what was seen before."""
        return bool(self._derived.signals)

    def after(self, before: Remembered | None, record: Mapping[str, object]) -> Remembered:
        """Return what is remembered of its signals once `record` was seen, too."""
        from exitgate.facts.signals import Remembered

        return (before or Remembered()).after(self._signals(), record)

    def _signals(self) -> list[Signal]:
        from exitgate.facts.signals import Signal

        return [Signal(*pair) for pair in zip(self._derived.signals, self._derived.moves, strict=True)]

    def lines(self, records: Records) -> tuple[PointsLine, ...]:
        """Return each row of points with its truth in the last of `records`; none for a formula."""
        return tuple(PointsLine(row, test(records)) for row, test in self._rows)


def _sum(adds: Sequence[float]) -> float:
    """Return the sum of points, added exactly and rounded once; infinite where no float is so large."""
    if all(add.__class__ is int for add in adds):
        return sum(adds)
    from exitgate.model.exact import calculate, recorded

    total: object = 0
    for add in adds:
        total = calculate("add", total, add)
        if total.__class__ is Unknown:
            return _INFINITY if add > 0 else -_INFINITY
    return recorded(total)  # type: ignore[return-value]


def clamp(value: float, fact: Derived) -> float:
    """Return a number within the range of a computed fact, a whole one as such."""
    if fact.low is not None and value < fact.low:
        value = fact.low
    if fact.high is not None and value > fact.high:
        value = fact.high
    return int(value) if isinstance(value, float) and value.is_integer() else value


def clamp_formula(value: object, fact: Derived) -> object:
    """Return what a formula came to: a number within the fact's range, unknown where it is not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if not is_finite(value):
        return Unknown("the formula does not give a finite number", fact.name)
    return clamp(value, fact)


def _reasons(lines: Sequence[PointsLine]) -> str:
    """Return the reasons of the rows that count and of those that are not known, each with its points."""
    counting = [_reason(line.row) for line in lines if line.truth is True and line.row.because]
    open_ = [_reason(line.row) for line in lines if line.truth not in (True, False) and line.row.because]
    told = [", ".join(counting)] if counting else []
    return "; ".join([*told, f"not known: {', '.join(open_)}"] if open_ else told)


def _reason(row: PointsRow) -> str:
    return f"{'+' if row.add > 0 else ''}{number(row.add)} {row.because}"
