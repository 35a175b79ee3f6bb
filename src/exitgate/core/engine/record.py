"""From facts to the record that conditions read."""

from __future__ import annotations

from exitgate.core.language.evaluation.closures import Compilation
from exitgate.core.model.decision import Warned
from exitgate.core.model.display import shown
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown, Value
from exitgate.core.policy.points import clamp_formula, reason, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.core.facts.extractors.progress import Movement, Remembered, Signal
    from exitgate.core.model.fact import Fact
    from exitgate.core.policy.compiled import CompiledPolicy, Derived, PointsRow

    Records = Sequence[Mapping[str, object]]
    Test = Callable[[Records], object]


#: The agent is known to have failed.
FAILED = "run.failed"


class Record(dict[str, object]):
    """
    The values of one iteration by fact name; a fact it does not hold was not recorded.

    `stand_ins` names the facts that were unknown and took the value the policy declares under
    `unreadable:`. Conditions read them, but they were not observed: a record of nothing but
    stand-ins is still blind. `remembered` is what the run had seen of the signals of progress before
    the iteration, or None: what other values would have meant is found with it, too; `whole` says that it
    holds all that earlier records tell of them. So many of the records before it as `apart` says are not a
    history of the policy's own breaker: it was closed since. In one that is a `look`, no iteration ended:
    only time moved the breaker.
    """

    __slots__ = ("apart", "look", "remembered", "stand_ins", "whole")

    def __init__(
        self,
        values: Mapping[str, object],
        stand_ins: frozenset[str] = frozenset(),
        remembered: Remembered | None = None,
        apart: int = 0,
        look: bool = False,
        whole: bool = False,
    ) -> None:
        super().__init__(values)
        self.look = look
        self.whole = whole
        self.apart = apart
        self.stand_ins = stand_ins
        self.remembered = remembered

    def with_values(self, values: Mapping[str, object]) -> Record:
        """Return this record with `values` added or put in place of its own."""
        return Record({**self, **values}, self.stand_ins, self.remembered, self.apart, self.look, self.whole)


def record_of(facts: Iterable[Fact], policy: CompiledPolicy) -> tuple[Record, tuple[Warned, ...]]:
    """
    Return the record of one iteration and a warning for each stand-in.

    Args:
        facts: Of one iteration, as extracted.
        policy: Its `unreadable` values take the place of unknown facts, and of those that no
            extractor gave at all.
    """
    values = {fact.name: fact.value for fact in facts}
    stand_ins: list[str] = []
    warnings: list[Warned] = []
    for name, stand_in in policy.unreadable.items():
        found = values.get(name, _MISSING)
        if isinstance(found, Unknown):
            values[name] = stand_in
            stand_ins.append(name)
            spec = policy.facts.get(name)
            text = shown(stand_in, spec.type if spec is not None else None)
            warnings.append(Warned(f"`{name}` is unknown ({found.reason}); the policy treats it as {text}"))
    return Record(values, frozenset(stand_ins)), tuple(warnings)


def read_facts(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts read from what the agent said or did; computed ones are not read from anything."""
    derived = {fact.name for fact in policy.derived}
    return tuple(n for n, spec in policy.facts.items() if spec.read and n not in derived)


def unread_facts(policy: CompiledPolicy) -> frozenset[str]:
    """Return every other fact of the policy: `nothing is known` passes over them."""
    return frozenset(policy.facts).difference(read_facts(policy))


def is_blind(record: Mapping[str, object], read: Iterable[str]) -> bool:
    """
    Return True when none of the facts `read` is known in `record`; stand-ins do not count.

    An agent that is known to have failed is a decision on that, not on nothing: failures have a bound of
    their own.
    """
    get = record.get
    if get(FAILED) is True:
        return False
    for name in read:
        if get(name, _MISSING).__class__ is not Unknown and name not in getattr(record, "stand_ins", ()):
            return False
    return True


_MISSING = Unknown("not recorded")


# Facts computed from other facts: points, formulas and progress.

_NOT_THERE = Unknown("not recorded")


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
    from exitgate.core.facts.extractors.progress import Signal

    return tuple(Signal(*pair) for pair in pairs)


class DerivedFact:
    """
    One computed fact, compiled once.

    With `strict` it is unknown where only what is unknown makes it definite
    (`exitgate.core.language.evaluation.unknowns`).
    """

    def __init__(self, derived: Derived, policy: CompiledPolicy, strict: bool = False) -> None:
        settings = policy.values(), policy.conditions, unread_facts(policy)
        compilation = Compilation(*settings)
        test = compilation.closure
        if strict:
            from exitgate.core.language.evaluation.unknowns import Strict

            compilation = strictly = Strict(*settings)
            test = strictly.settled
        self.name = derived.name
        self._derived = derived
        #: What it watches, and how that moves: facts of progress with the same come from one movement.
        self.watched = derived.signals, derived.moves
        self._signals: tuple[Signal, ...] | None = None
        self._rows: tuple[tuple[PointsRow, Test], ...] = tuple((row, test(row.when)) for row in derived.rows)
        self._formula: Test | None = (
            compilation.recorded(derived.formula) if derived.formula is not None else None
        )

    def fact(
        self, records: Records, before: Remembered | None = None, ended: bool = True, whole: bool = False
    ) -> Fact:
        """
        Return the fact for the last of `records`.

        `before`, `ended` and `whole` are for progress, as `exitgate.core.engine.program.Program.derive` says.

        Points: the sum of the rows that are definitely true, within the range; unknown rows leave it between
        two bounds, unless the policy says that they add nothing. The note says why rows count.
        A formula that is unknown or not finite is unknown.
        """
        if self._derived.signals:
            return self._progress(records, before, ended, whole)
        if self._formula is not None:
            return Fact(self.name, self.value(records))
        lines = self.lines(records)
        value = total(self._derived, [line.truth for line in lines])
        return Fact(self.name, value, note=_reasons(lines, value))

    def value(self, records: Records) -> object:
        """Return the value of points or of a formula for the last of `records`."""
        if self._formula is not None:
            return clamp_formula(self._formula(records), self._derived)
        return total(self._derived, [test(records) for _, test in self._rows])

    def movement(self, record: Mapping[str, object], before: Remembered | None) -> Movement:
        """Return how the signals of progress moved in an iteration."""
        from exitgate.core.facts.extractors.progress import movement

        return movement(self._watched(), record, before or self.nothing_remembered())

    def value_of(self, moved: Movement | None) -> object:
        """Return the value of progress where signals moved so; None if no iteration ended."""
        from exitgate.core.facts.extractors.progress import value_of

        return _not_ended(self.name) if moved is None else value_of(self.name, self._part, moved)

    @property
    def _part(self) -> str:
        from exitgate.core.facts.extractors.progress import KNOWN, MADE, MOVED

        return {"bool": MADE, "count": KNOWN}.get(self._derived.type.kind, MOVED)

    def _progress(self, records: Records, before: Remembered | None, ended: bool, whole: bool) -> Fact:
        from exitgate.core.facts.extractors.progress import Remembered, fact_of, movement

        if not ended:
            return Fact(self.name, _not_ended(self.name))
        signals = self._watched()
        before = before or Remembered()
        for record in () if whole else records[:-1]:
            before = before.after(signals, record)
        return fact_of(self.name, self._part, movement(signals, records[-1], before))

    def surely(self, bare: Mapping[str, object], before: Remembered, doubts: Mapping[str, Unknown]) -> object:
        """
        Return None if progress is as recorded for all values of the unknown, else `Unknown`.

        Args:
            bare: The record to say it of, without what is taken for the unknown.
            before: What the run had seen of the signals before it.
            doubts: Signals of which an earlier value is unknown.
        """
        from exitgate.core.facts.extractors.progress import surely_moved

        moved = [surely_moved(signal, bare, before, doubts.get(signal.name)) for signal in self._watched()]
        unsure = next((one for one in moved if isinstance(one, Unknown)), None)
        if unsure is None or (True in moved and self._derived.type.kind == "bool"):
            return None
        return Unknown(f"another signal could have moved: {unsure.reason}", self.name)

    def doubtful(self, bare: Mapping[str, object]) -> Iterator[tuple[str, Unknown]]:
        """Yield the signals that are unknown in a record, and why."""
        for name in self._derived.signals:
            value = bare.get(name, _NOT_THERE)
            if isinstance(value, Unknown):
                yield name, value

    @property
    def is_progress(self) -> bool:
        """Whether it says what moved, and so rests on what was seen before."""
        return bool(self._derived.signals)

    def after(self, before: Remembered | None, record: Mapping[str, object]) -> Remembered:
        """Return what is remembered of its signals once `record` was seen, too."""
        from exitgate.core.facts.extractors.progress import Remembered

        return (before or Remembered()).after(self._watched(), record)

    def nothing_remembered(self) -> Remembered:
        """Return what a run remembers of the signals before its first iteration."""
        from exitgate.core.facts.extractors.progress import Remembered

        return Remembered()

    def _watched(self) -> tuple[Signal, ...]:
        if self._signals is None:
            from exitgate.core.facts.extractors.progress import Signal

            self._signals = tuple(Signal(*pair) for pair in zip(*self.watched, strict=True))
        return self._signals

    def lines(self, records: Records) -> tuple[PointsLine, ...]:
        """Return each row of points with its truth in the last of `records`; none for a formula."""
        return tuple(PointsLine(row, test(records)) for row, test in self._rows)


def _not_ended(name: str) -> Unknown:
    return Unknown("no iteration has ended since the last decision", name)


def _reasons(lines: Sequence[PointsLine], value: object) -> str:
    """Return the reasons of the rows that count, then of those that are not known and could."""
    told = [", ".join(reason(line.row) for line in lines if line.truth is True and line.row.because)]
    if value.__class__ is not Unknown:  # else its own reason names them
        open_ = [line.row for line in lines if line.truth.__class__ is Unknown and line.row.because]
        told += [f"not known: {', '.join(map(reason, open_))}"] if open_ else []
    return "; ".join(filter(None, told))
