"""Tests over facts: evaluated by the compiled language on every combination that a region leaves."""

from __future__ import annotations

from itertools import product

from exitgate.analysis.walk.gates import ANY, APART, FALSE, TRUE, UNKNOWN, Gate, combinations, is_open
from exitgate.analysis.walk.row_sums import sums_of
from exitgate.model.value import Unknown
from exitgate.policy.points import OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.units import Region, Units
    from exitgate.policy.compiled import Derived

    Records = Sequence[dict[str, object]]
    Closure = Callable[[Records], object]

#: Combinations looked at before a test counts as open; a region is split first.
COMBINATIONS = 600
#: Values of a computed fact that are told apart; more count as any.
VALUES = 64
NOT_KNOWN = Unknown("unknown in this region", "walk")
_VALUE_OF = {TRUE: True, FALSE: False, UNKNOWN: NOT_KNOWN}


class Input:
    """Something a test reads in one iteration, `back` before the last: names and the values they can have."""

    def __init__(self, names: tuple[str, ...], back: int) -> None:
        self.names = names
        self.back = back

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return the values the names can have together; None for any at all."""
        raise NotImplementedError

    def split(self, region: Region) -> Split | None:
        """Return how to split a region in which there are several."""
        raise NotImplementedError


class FromUnit(Input):
    """
    Facts of one unit; choices that agree in these facts are one value.

    `stand_ins` are the values that conditions read in place of unknown ones; they are none where it is asked
    whether anything was said.
    """

    def __init__(
        self,
        units: Units,
        unit: int,
        names: tuple[str, ...],
        back: int,
        called: Mapping[str, str],
        stand_ins: Mapping[str, object],
    ) -> None:
        super().__init__(names, back)
        self.variable = units.index(unit, back)
        self.groups = units.groups(unit, tuple(called.get(name, name) for name in names), stand_ins)
        self.every = units.full[self.variable]
        self._seen: dict[int, tuple[tuple[object, ...], ...]] = {}

    def values(self, region: Region) -> tuple[tuple[object, ...], ...]:
        """Return the values that are left."""
        left = region[self.variable]
        found = self._seen.get(left)
        if found is None:
            found = self._seen[left] = tuple(value for value, bits in self.groups if bits & left)
        return found

    def split(self, region: Region) -> Split:
        """Return one set of choices for each value."""
        left = region[self.variable]
        return self.variable, tuple(bits & left for _, bits in self.groups if bits & left)


class FromGate(Input):
    """A condition inside a history form, as a fact of its own."""

    def __init__(self, name: str, gate: Gate, back: int) -> None:
        super().__init__((name,), back)
        self._gate = gate

    def values(self, region: Region) -> tuple[tuple[object, ...], ...]:
        """Return the truths it can have."""
        found = self._gate.truths(region)
        return tuple((value,) for bit, value in _VALUE_OF.items() if found & bit)

    def split(self, region: Region) -> Split | None:
        """Return how to split for the condition."""
        return self._gate.split(region)


class Leaf(Gate):
    """One test in one iteration."""

    def __init__(self, test: Closure, inputs: Sequence[Input], back: int, records: int) -> None:
        self._test = test
        self._inputs = tuple(inputs)
        self._back = back
        self._records = records
        self._seen: dict[tuple[object, ...], int] = {}
        self._units = tuple(one for one in inputs if isinstance(one, FromUnit))
        self._others = tuple(one for one in inputs if not isinstance(one, FromUnit))

    def truths(self, region: Region) -> int:
        """Return the truths of all combinations; all three if these are too many."""
        key: tuple[object, ...] = tuple([region[one.variable] for one in self._units])
        others = [one.values(region) for one in self._others]
        if others:
            if any(values is None for values in others):
                return ANY
            key = (*key, *others)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._evaluated(region)
        return found

    def _evaluated(self, region: Region) -> int:
        sets = [one.values(region) or () for one in self._inputs]
        # the values of a single unit are all looked at, as they are where it is split by outcome
        if combinations(sets) > COMBINATIONS and sum(len(one) > 1 for one in sets) > 1:
            return ANY
        truths = 0
        for combination in product(*sets):
            truths |= self._truth(combination)
            if truths == ANY:
                break
        return truths

    def _truth(self, combination: Sequence[tuple[object, ...]]) -> int:
        value = self.value(combination)
        return UNKNOWN if value.__class__ is Unknown else TRUE if value is True else FALSE

    def value(self, combination: Sequence[tuple[object, ...]]) -> object:
        """Return what the test gives for one value of each input."""
        records: list[dict[str, object]] = [{} for _ in range(self._records)]
        for one, values in zip(self._inputs, combination, strict=True):
            records[self._records - 1 - (one.back - self._back)].update(zip(one.names, values, strict=True))
        return self._test(records)

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split by outcome where one unit is left open, else by the values of the first one."""
        open_ = self._open(region)
        if len(open_) == 1 and isinstance(open_[0], FromUnit):
            return self._by_outcome(open_[0], region, care)
        return self._by_value(open_, region)

    def _open(self, region: Region) -> list[Input]:
        return [one for one in self._inputs if (values := one.values(region)) is None or len(values) > 1]

    def _by_value(self, open_: list[Input], region: Region) -> Split | None:
        for one in sorted(open_, key=lambda one: len(one.values(region) or range(VALUES))):
            found = one.split(region)
            if found is not None:
                return found
        return None

    def _by_outcome(self, unit: FromUnit, region: Region, care: int) -> Split:
        left = region[unit.variable]
        sets: dict[int, int] = {}
        fixed = [(one.values(region) or ((),))[0] for one in self._inputs]
        place = self._inputs.index(unit)
        for value, bits in unit.groups:
            if bits & left:
                truth = self._truth([*fixed[:place], value, *fixed[place + 1 :]])
                outcome = truth if care == APART else truth & care
                sets[outcome] = sets.get(outcome, 0) | (bits & left)
        return unit.variable, tuple(sets.values())


class OverSeries(Leaf):
    """A test on one fact in each of some iterations, decided from bounds: split if the newest is open."""

    def __init__(self, test: Closure, inputs: Sequence[Input], back: int, records: int) -> None:
        super().__init__(test, inputs, back, records)
        self._series = sorted(inputs, key=lambda one: one.back)

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split of the newest iteration in which the fact is open."""
        del care
        for one in self._series:
            if len(one.values(region) or ()) > 1:
                found = one.split(region)
                if found is not None:
                    return found
        return None


class Computed(Leaf, Input):
    """A formula: a fact whose value follows from others."""

    def __init__(self, name: str, formula: Closure, inputs: Sequence[Input], back: int, records: int) -> None:
        Leaf.__init__(self, formula, inputs, back, records)
        self.names = (name,)
        self.back = back
        self._known: dict[tuple[object, ...], tuple[tuple[object, ...], ...] | None] = {}

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split by the values of what it is computed from."""
        del care
        return self._by_value(self._open(region), region)

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return the values of all combinations; None where there are too many."""
        sets = [one.values(region) for one in self._inputs]
        if any(values is None for values in sets):
            return None
        key = tuple(sets)
        if key not in self._known:
            self._known[key] = self._all([values or () for values in sets])
        return self._known[key]

    def _all(self, sets: Sequence[Sequence[tuple[object, ...]]]) -> tuple[tuple[object, ...], ...] | None:
        if combinations(sets) > COMBINATIONS:
            return None
        found: dict[object, object] = {}
        for combination in product(*sets):
            value = self.value(combination)
            key = (value.least, value.most) if isinstance(value, Unknown) else (type(value), value)
            found.setdefault(key, value)
            if len(found) > VALUES:
                return None
        return tuple((value,) for value in found.values())


class Points(Input):
    """A sum of points: each row adds where it is true; unknown ones may leave the sum between bounds."""

    def __init__(self, fact: Derived, rows: Sequence[Gate], back: int) -> None:
        super().__init__((fact.name,), back)
        self._fact = fact
        self._rows = tuple(rows)
        self._care = APART if fact.unknown_rows == OPEN else TRUE
        self._seen: dict[tuple[int, ...], tuple[tuple[object, ...], ...] | None] = {}

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return every sum it can have; None where there are too many."""
        key = tuple(gate.truths(region) for gate in self._rows)
        if key not in self._seen:
            found = sums_of(self._fact, key)
            self._seen[key] = None if found is None else tuple((value,) for value in found)
        return self._seen[key]

    def split(self, region: Region) -> Split | None:
        """Return how to split for the first row that may or may not count."""
        for gate in self._rows:
            if is_open(gate.truths(region), self._care):
                found = gate.split(region, self._care)
                if found is not None:
                    return found
        return None


class Sum(Gate):
    """Whether the rows of a points fact give the value that a region says it has."""

    def __init__(self, said: FromUnit, points: Points) -> None:
        self._said = said
        self._points = points

    def is_free(self, region: Region) -> bool:
        """Return whether the region leaves it open what the sum is."""
        return region[self._said.variable] == self._said.every

    def truths(self, region: Region) -> int:
        """Return TRUE where every sum of the rows is one of those left, FALSE where none is."""
        sums = self._points.values(region)
        if sums is None:
            return TRUE | FALSE
        left = {value for (value,) in self._said.values(region)}
        inside = sum(value in left for (value,) in sums)
        return TRUE if inside == len(sums) else TRUE | FALSE if inside else FALSE

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split for the first row that may or may not count."""
        del care
        return self._points.split(region)
