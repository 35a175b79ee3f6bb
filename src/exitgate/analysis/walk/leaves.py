"""Tests over facts: evaluated by the compiled language on every combination that a region leaves."""

from __future__ import annotations

from itertools import product
from operator import itemgetter

from exitgate.analysis.walk.gates import ANY, APART, FALSE, TRUE, UNKNOWN, Gate, combinations, is_open
from exitgate.core.model.exact import calculate, recorded
from exitgate.core.model.value import Unknown
from exitgate.core.policy.points import ADD_NOTHING, OPEN, between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.policy.compiled import Derived

    Records = Sequence[dict[str, object]]
    Closure = Callable[[Records], object]
    from collections.abc import Sequence

    #: Exact sums of points: the least and the most.
    Ends = tuple[object, object]
    from collections.abc import Sequence


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


class FromCluster(Input):
    """
    Facts of one cluster; choices that agree in these facts are one value.

    `stand_ins` are the values that conditions read in place of unknown ones; they are none where it is asked
    whether anything was said.
    """

    def __init__(
        self,
        variables: Variables,
        cluster: int,
        names: tuple[str, ...],
        back: int,
        called: Mapping[str, str],
        stand_ins: Mapping[str, object],
    ) -> None:
        super().__init__(names, back)
        self.variable = variables.index(cluster, back)
        self.groups = variables.groups(cluster, tuple(called.get(name, name) for name in names), stand_ins)
        self.every = variables.full[self.variable]
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
        self._seen: dict[object, int] = {}
        places = [one.variable for one in inputs if isinstance(one, FromCluster)]
        self._left = itemgetter(*places) if places else lambda _: ()
        self._others = tuple(one for one in inputs if not isinstance(one, FromCluster))

    def truths(self, region: Region) -> int:
        """Return the truths of all combinations; all three if these are too many."""
        key: object = self._left(region)
        if self._others:
            others = [one.values(region) for one in self._others]
            if None in others:
                return ANY
            key = (key, *others)
        found = self._seen.get(key)
        if found is None:
            found = self._seen[key] = self._evaluated(region)
        return found

    def _evaluated(self, region: Region) -> int:
        sets = [one.values(region) or () for one in self._inputs]
        # the values of a single cluster are all looked at, as they are where it is split by outcome
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
        """Return a split by outcome where one cluster is left open, else by the values of the first one."""
        open_ = self._open(region)
        if len(open_) == 1 and isinstance(open_[0], FromCluster):
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

    def _by_outcome(self, cluster: FromCluster, region: Region, care: int) -> Split:
        left = region[cluster.variable]
        sets: dict[int, int] = {}
        fixed = [(one.values(region) or ((),))[0] for one in self._inputs]
        place = self._inputs.index(cluster)
        for value, bits in cluster.groups:
            if bits & left:
                truth = self._truth([*fixed[:place], value, *fixed[place + 1 :]])
                outcome = truth if care == APART else truth & care
                sets[outcome] = sets.get(outcome, 0) | (bits & left)
        return cluster.variable, tuple(sets.values())


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

    def __init__(self, said: FromCluster, points: Points) -> None:
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


# What the rows of points can come to: sums, and bounds where rows are unknown.

#: Sums of a points fact that are told apart.
SUMS = 64
#: The same for one whose unknown rows leave it between bounds: its sums and pairs of bounds.
BOUNDS = 512
#: Pairs of bounds while they are added up.
ENDS = 4096


def sums_of(fact: Derived, truths: Sequence[int]) -> tuple[object, ...] | None:
    """
    Return every value that points can have, numbers first; None where there are too many.

    Args:
        fact: The points.
        truths: For each row, the truths it can have (`exitgate.analysis.walk.gates`).
    """
    found: set[Ends] = {(0, 0)}
    for truth, row in zip(truths, fact.rows, strict=True):
        ways = _ways(truth, row.add, fact.unknown_rows == ADD_NOTHING)
        found = {(_plus(least, a), _plus(most, b)) for least, most in found for a, b in ways}
        if len(found) > ENDS:
            return None
    values = {between(fact, recorded(least), recorded(most)) for least, most in found}
    limit = SUMS if fact.unknown_rows == ADD_NOTHING else BOUNDS
    return tuple(sorted(values, key=str)) if len(values) <= limit else None


def _ways(truth: int, add: float, sure: bool) -> set[tuple[float, float]]:
    """Return what a row can add, at least and at most; nothing where it is unknown and that is `sure`."""
    ways: set[tuple[float, float]] = {(add, add)} if truth & TRUE else set()
    if truth & FALSE or (truth & UNKNOWN and sure):
        ways.add((0, 0))
    if truth & UNKNOWN and not sure:
        ways.add((min(add, 0), max(add, 0)))
    return ways


def _plus(one: object, other: object) -> object:
    return calculate("add", one, other)


# Tests that can come out in any way: what is proved with them is proved wherever the points lie.


class Free(Gate):
    """A test that is settled only where all it reads is unknown, true or false: others have neighbours."""

    def __init__(self, leaf: Leaf, inputs: Sequence[Input]) -> None:
        self._leaf = leaf
        self._inputs = tuple(inputs)

    def truths(self, region: Region) -> int:
        """Return all three truths, or those it has where no value lies between two points."""
        return self._leaf.truths(region) if _is_known(self._inputs, region) else ANY

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return None: no part of a region tells more."""
        del region, care
        return None


class FreeInput(Input):
    """A computed value that may be any, unless all that it is computed from is unknown, true or false."""

    def __init__(self, computed: Computed, inputs: Sequence[Input]) -> None:
        super().__init__(computed.names, computed.back)
        self._computed = computed
        self._inputs = tuple(inputs)

    def values(self, region: Region) -> tuple[tuple[object, ...], ...] | None:
        """Return None for any value at all, or the values where no other lies between two points."""
        return self._computed.values(region) if _is_known(self._inputs, region) else None

    def split(self, region: Region) -> Split | None:
        """Return None: no part of a region tells more."""
        del region
        return None


def _is_known(inputs: Sequence[Input], region: Region) -> bool:
    """Return whether each value of the inputs that a region leaves is unknown, true or false."""
    for one in inputs:
        values = one.values(region)
        if values is None or not all(isinstance(v, bool | Unknown) for row in values for v in row):
            return False
    return True
