"""
The records of a run's iterations column by column, as rules find them: made once, asked any number of times.

A record has every fact of a policy, most of them the same from iteration to iteration. A column holds each of
its values once. What else a decision rests on beside records is kept with them: stages, silence, a breaker
that a person opened.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.engine.breaker import OPEN
from exitgate.core.engine.record import Record, is_blind, read_facts
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from exitgate.core.engine.evaluation import Before
    from exitgate.core.facts.extractors.progress import Remembered
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.replay.replay import Seen


class Missing:
    """The place of a fact that a record does not have."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Missing)

    def __hash__(self) -> int:
        return hash(Missing)

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


class Column(Struct, frozen=True):
    """
    The values of one fact over the iterations of a run.

    Args:
        values: Each different value once, in the order in which they came.
        numbers: For each iteration the place of its value; None where there is one value for every iteration.
    """

    values: tuple[object, ...]
    numbers: tuple[int, ...] | None


class RunRecords(Struct, frozen=True):
    """
    The records of a run, and what else its decisions rest on.

    Args:
        length: How many iterations there are.
        columns: Fact -> its values; `MISSING` where a record does not have it.
        stand_ins: Names of facts for whose value the policy has given one, a set for each iteration.
        stages: The stages that are asked, a tuple for each iteration.
        blind: A bit for each iteration, the first one lowest: nothing that is read is known in it.
        by_hand: Likewise: a person had opened the breaker before it.
        since: Iteration, counted from 0, that the history of the breaker begins with, for each.
        nows: Time of each check, seconds since the epoch.
        remembered: What the signals of progress were before any work, None where nothing watches them.
        elsewhere: Whether something else than the checks of the run moved the breaker.
    """

    length: int
    columns: Mapping[str, Column]
    stand_ins: Column
    stages: Column
    blind: int
    by_hand: int
    since: Column
    nows: tuple[float, ...]
    remembered: Remembered | None
    elsewhere: bool


def identity(value: object) -> object:
    """Return what tells values apart that conditions tell apart: to Python `True`, `1`, `1.0` are equal."""
    if isinstance(value, tuple):
        return tuple(identity(item) for item in value)
    if value.__class__ is Unknown:
        return Unknown, value.reason, value.origin, identity(value.least), identity(value.most)
    return value.__class__, value


def value_at(column: Column, iteration: int) -> object:
    """Return the value of an iteration, counted from 0."""
    return column.values[0 if column.numbers is None else column.numbers[iteration]]


class _Column:
    """A column under way."""

    __slots__ = ("known", "numbers", "values")

    def __init__(self, before: int) -> None:
        self.values: list[object] = [MISSING] if before else []
        self.known: dict[object, int] = {identity(MISSING): 0} if before else {}
        self.numbers = [0] * before

    def add(self, value: object) -> None:
        known = self.known
        number = known.setdefault(identity(value), len(known))
        if number == len(self.values):
            self.values.append(value)
        self.numbers.append(number)

    def done(self) -> Column:
        return Column(tuple(self.values), tuple(self.numbers) if len(self.values) > 1 else None)


def column_of(values: Iterable[object]) -> Column:
    """Return the values of a fact, one for each iteration, as a column."""
    column = _Column(0)
    for value in values:
        column.add(value)
    return column.done()


class Gathering:
    """
    The records of one run as its iterations come.

    Args:
        policy: Whose records they are.
        remembered: What the signals of progress were before any work; found by `add`.
    """

    def __init__(self, policy: CompiledPolicy, remembered: Remembered | None = None) -> None:
        self._read = read_facts(policy)
        self._columns: dict[str, _Column] = {}
        self._stand_ins, self._stages, self._since = _Column(0), _Column(0), _Column(0)
        self._blind = self._by_hand = 0
        self._nows: list[float] = []
        self._remembered = remembered
        self._elsewhere = False

    def add(self, seen: Seen) -> None:
        """Take the next iteration."""
        if not self._nows:
            self._remembered = seen.before.remembered
        self._elsewhere = self._elsewhere or seen.elsewhere
        self.take(seen.observed.record, seen.stages, seen.now, seen.before)

    def take(self, record: Record, stages: tuple[str, ...], now: float, before: Before) -> None:
        """
        Take the next iteration by its parts.

        Args:
            record: What rules find.
            stages: That are asked.
            now: Time of the check, seconds since the epoch.
            before: What was there before the iteration.
        """
        at, breaker = len(self._nows), before.breaker
        for name in self._columns.keys() - record.keys():
            self._columns[name].add(MISSING)
        for name, value in record.items():
            column = self._columns.get(name)
            if column is None:
                column = self._columns[name] = _Column(at)
            column.add(value)
        self._stand_ins.add(record.stand_ins)
        self._stages.add(stages)
        self._since.add(at - len(before.records) + before.apart if before.apart else 0)
        self._blind |= is_blind(record, self._read) << at
        self._by_hand |= (breaker.by_hand and breaker.state == OPEN) << at
        self._nows.append(now)

    def done(self) -> RunRecords:
        """Return the run."""
        columns = {name: column.done() for name, column in self._columns.items()}
        return RunRecords(
            len(self._nows), columns, self._stand_ins.done(), self._stages.done(), self._blind,
            self._by_hand, self._since.done(), tuple(self._nows), self._remembered, self._elsewhere,
        )  # fmt: skip


# Runs of one policy together: a value that several have is known by one number.


class Values:
    """Every value of every fact that some run has, numbered."""

    def __init__(self) -> None:
        self._known: dict[str, dict[object, int]] = {}
        self._values: dict[str, list[object]] = {}

    def numbers(self, name: str, values: Iterable[object]) -> list[int]:
        """Return the numbers of values of a fact."""
        known, every = self._known.setdefault(name, {}), self._values.setdefault(name, [])
        found = []
        for value in values:
            number = known.setdefault(identity(value), len(every))
            if number == len(every):
                every.append(value)
            found.append(number)
        return found

    def of(self, name: str) -> Sequence[object]:
        """Return the values of a fact, each at the place of its number."""
        return self._values[name]


class Run:
    """
    A run whose values have numbers that hold for all runs.

    Args:
        records: The run.
        values: Of all runs; those of this one are added.
    """

    __slots__ = ("__weakref__", "columns", "origin", "own", "records", "values")

    def __init__(self, records: RunRecords, values: Values) -> None:
        self.records = records
        self.values = values
        #: Another run with the same values of all facts but its `own`, or None.
        self.origin: Run | None = None
        self.own: frozenset[str] = frozenset()
        #: Fact -> the number of its value in each iteration, or the one number of all of them.
        self.columns: dict[str, tuple[int, ...] | int] = {}
        self._number(records.columns)

    def with_columns(self, records: RunRecords, columns: Mapping[str, Column]) -> Run:
        """Return this run with other values of some facts; of `records` all but the columns is taken."""
        found = Run(replace(records, columns={}), self.values)
        found.records = replace(records, columns={**self.records.columns, **columns})
        found.origin, found.own = self.origin or self, self.own.union(columns)
        found.columns.update(self.columns)
        found._number(columns)
        return found

    def _number(self, columns: Mapping[str, Column]) -> None:
        for name, column in columns.items():
            numbers = self.values.numbers(name, column.values)
            own = column.numbers
            self.columns[name] = numbers[0] if own is None else tuple([numbers[one] for one in own])

    def numbers(self, name: str) -> tuple[int, ...] | int:
        """Return the numbers of a fact; of one that no record has, that of `MISSING`."""
        found = self.columns.get(name)
        if found is None:
            found = self.columns[name] = self.values.numbers(name, (MISSING,))[0]
        return found

    def reader(self, names: Iterable[str]) -> Callable[[int], dict[str, object]]:
        """Return what gives the values of some facts in an iteration, counted from 0."""
        always: dict[str, object] = {}
        moving = []
        for name in names:
            numbers = self.columns.get(name)
            if isinstance(numbers, int):
                value = self.values.of(name)[numbers]
                if value.__class__ is not Missing:
                    always[name] = value
            elif numbers is not None:
                moving.append((name, numbers, self.values.of(name)))

        def read(at: int) -> dict[str, object]:
            found = always.copy()
            for name, numbers, every in moving:
                value = every[numbers[at]]
                if value.__class__ is not Missing:
                    found[name] = value
            return found

        return read

    def whole(self, at: int) -> Record:
        """Return the record of an iteration, counted from 0."""
        stand_ins = value_at(self.records.stand_ins, at)
        return Record(self.reader(self.columns)(at), stand_ins)  # type: ignore[arg-type]
