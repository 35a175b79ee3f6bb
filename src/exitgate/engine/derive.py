"""Facts computed from other facts: points, formulas and progress."""

from __future__ import annotations

from exitgate.engine.record import unread_facts
from exitgate.language.closures import Compilation
from exitgate.model.evidence import Fact
from exitgate.model.value import Unknown, Value
from exitgate.policy.points import clamp_formula, reason, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.facts.signals import Remembered, Signal
    from exitgate.policy.compiled import CompiledPolicy, Derived, PointsRow

    Records = Sequence[Mapping[str, object]]
    Test = Callable[[Records], object]


_MISSING = Unknown("not recorded")


class PointsLine(Value):
    """A row of a points fact as it came out: `truth` is True, False or `Unknown`."""

    __slots__ = ("row", "truth")

    def __init__(self, row: PointsRow, truth: object) -> None:
        self.row = row
        self.truth = truth


def signals_of(policy: CompiledPolicy) -> tuple[Signal, ...]:
    """Return what the entries of progress in the policy watch, each once."""
    pairs = dict.fromkeys(
        pair for fact in policy.derived for pair in zip(fact.signals, fact.moves, strict=True)
    )
    if not pairs:
        return ()
    from exitgate.facts.signals import Signal

    return tuple(Signal(*pair) for pair in pairs)


class DerivedFact:
    """
    One computed fact, compiled once.

    With `strict` it is unknown where only what is unknown makes it definite (`exitgate.language.strict`).
    """

    def __init__(self, derived: Derived, policy: CompiledPolicy, strict: bool = False) -> None:
        settings = policy.values(), policy.conditions, unread_facts(policy)
        compilation = Compilation(*settings)
        test = compilation.closure
        if strict:
            from exitgate.language.strict import Strict

            compilation = strictly = Strict(*settings)
            test = strictly.settled
        self.name = derived.name
        self._derived = derived
        self._rows: tuple[tuple[PointsRow, Test], ...] = tuple((row, test(row.when)) for row in derived.rows)
        self._formula: Test | None = (
            compilation.recorded(derived.formula) if derived.formula is not None else None
        )

    def fact(
        self, records: Records, before: Remembered | None = None, ended: bool = True, whole: bool = False
    ) -> Fact:
        """
        Return the fact for the last of `records`.

        `before`, `ended` and `whole` are for progress, as `exitgate.engine.program.Program.derive` says.

        Points: the sum of the rows that are definitely true, within the range; unknown rows leave it between
        two bounds, unless the policy says that they add nothing. The note says why rows count.
        A formula that is unknown or not finite is unknown.
        """
        if self._derived.signals:
            return self._progress(records, before, ended, whole)
        if self._formula is not None:
            return Fact(self.name, clamp_formula(self._formula(records), self._derived))
        lines = self.lines(records)
        value = total(self._derived, [line.truth for line in lines])
        return Fact(self.name, value, note=_reasons(lines, value))

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

    def surely(self, bare: Mapping[str, object], before: Remembered, doubts: Mapping[str, Unknown]) -> object:
        """
        Return None if progress is as recorded for all values of the unknown, else `Unknown`.

        Args:
            bare: The record to say it of, without what is taken for the unknown.
            before: What the run had seen of the signals before it.
            doubts: Signals of which an earlier value is unknown.
        """
        from exitgate.facts.signals import surely_moved

        moved = [surely_moved(signal, bare, before, doubts.get(signal.name)) for signal in self._signals()]
        unsure = next((one for one in moved if isinstance(one, Unknown)), None)
        if unsure is None or (True in moved and self._derived.type.kind == "bool"):
            return None
        return Unknown(f"another signal could have moved: {unsure.reason}", self.name)

    def doubtful(self, bare: Mapping[str, object]) -> Iterator[tuple[str, Unknown]]:
        """Yield the signals that are unknown in a record, and why."""
        for name in self._derived.signals:
            value = bare.get(name, _MISSING)
            if isinstance(value, Unknown):
                yield name, value

    @property
    def is_progress(self) -> bool:
        """Whether it says what moved, and so rests on what was seen before."""
        return bool(self._derived.signals)

    def after(self, before: Remembered | None, record: Mapping[str, object]) -> Remembered:
        """Return what is remembered of its signals once `record` was seen, too."""
        from exitgate.facts.signals import Remembered

        return (before or Remembered()).after(self._signals(), record)

    def nothing_seen(self) -> Remembered:
        """Return what a run remembers of the signals before its first iteration."""
        from exitgate.facts.signals import Remembered

        return Remembered()

    def _signals(self) -> list[Signal]:
        from exitgate.facts.signals import Signal

        return [Signal(*pair) for pair in zip(self._derived.signals, self._derived.moves, strict=True)]

    def lines(self, records: Records) -> tuple[PointsLine, ...]:
        """Return each row of points with its truth in the last of `records`; none for a formula."""
        return tuple(PointsLine(row, test(records)) for row, test in self._rows)


def _reasons(lines: Sequence[PointsLine], value: object) -> str:
    """Return the reasons of the rows that count, then of those that are not known and could."""
    told = [", ".join(reason(line.row) for line in lines if line.truth is True and line.row.because)]
    if value.__class__ is not Unknown:  # else its own reason names them
        open_ = [line.row for line in lines if line.truth.__class__ is Unknown and line.row.because]
        told += [f"not known: {', '.join(map(reason, open_))}"] if open_ else []
    return "; ".join(filter(None, told))
