"""Gates of the history forms whose outcome can be reported without trying every series of values."""

from __future__ import annotations

from exitgate.analysis.walk.gates import (
    ANY,
    APART,
    FALSE,
    SETTLED,
    TRUE,
    UNKNOWN,
    Fixed,
    Gate,
    Joined,
    is_open,
)
from exitgate.analysis.walk.leaves import FromCluster, OverSeries
from exitgate.core.language.functions import HISTORY_FORMS, PERIODS
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.walk.gates import Split
    from exitgate.analysis.walk.leaves import Input
    from exitgate.analysis.walk.variables import Region

    #: Truths of P and of Q in an iteration -> what it does to a count.
    Effects = Mapping[tuple[int, int], int]

    from exitgate.analysis.walk.leaves import Closure

    #: What a fact can be in each iteration, the current one first.
    Series = Sequence[frozenset[object]]
    from collections.abc import Callable, Mapping, Sequence

    RecordTest = Callable[[Sequence[dict[str, object]]], object]


#: What an iteration does to a count, from the smallest count to the largest.
_ENDS, _PASSES, _COUNTS = 0, 1, 2


def _effects(sure: bool) -> Effects:
    """Return what P and Q of an iteration do to the count that is certain, or to the one that is possible."""
    open_ = _PASSES if sure else _COUNTS
    effects = {}
    for p in (TRUE, FALSE, UNKNOWN):
        counts = p == TRUE or (p == UNKNOWN and not sure)
        effects[p, TRUE] = _PASSES
        effects[p, FALSE] = _COUNTS if counts else _ENDS
        effects[p, UNKNOWN] = open_ if counts else _ENDS if sure else _PASSES
    return effects


_SURE, _POSSIBLE = _effects(True), _effects(False)


class Alike(Gate):
    """`x unchanged for n iterations` and `x repeats n times`: equal and known in each of some iterations."""

    def __init__(self, values: Sequence[Input]) -> None:
        self._values = tuple(values)

    def truths(self, region: Region) -> int:
        """Return whether the values can all be equal, can differ, can be unknown without differing."""
        sets: list[frozenset[object]] = []
        silent = sure = 0
        for one in self._values:
            found = one.values(region)
            if found is None:
                return TRUE | FALSE | UNKNOWN
            known = frozenset((v.__class__, v) for (v,) in found if v.__class__ is not Unknown)
            silent += len(known) < len(found)
            sure += len(known) == len(found)
            if known:
                sets.append(known)
        union = frozenset().union(*sets)
        common = frozenset.intersection(*sets) if sets else frozenset()
        truths = TRUE if common and len(sets) == len(self._values) else 0
        if len(union) > 1 and len(sets) > 1:
            truths |= FALSE
        if silent and not self._must_differ(region):
            truths |= UNKNOWN
        return truths

    def _must_differ(self, region: Region) -> bool:
        """Return whether those that are surely known cannot all be equal."""
        common: frozenset[object] | None = None
        for one in self._values:
            found = one.values(region) or ()
            if any(v.__class__ is Unknown for (v,) in found):
                continue
            known = frozenset((v.__class__, v) for (v,) in found)
            common = known if common is None else common & known
        return common is not None and not common

    def split(self, region: Region, care: int = APART) -> Split | None:  # noqa: ARG002
        """Return a split of the iteration with the fewest values left."""
        open_ = [one for one in self._values if (found := one.values(region)) is None or len(found) > 1]
        for one in sorted(open_, key=lambda one: len(one.values(region) or range(1000))):
            split = one.split(region)
            if split is not None:
                return split
        return None


class Counted(Joined):
    """
    `streak(P) skipping (Q)` or `count(P, last n)` compared with a number by `>=`.

    Args:
        parts: P, newest iteration first.
        skips: Q in the same order; empty without `skipping`.
        least: The number.
        running: True for a streak.
    """

    def __init__(self, parts: Sequence[Gate], skips: Sequence[Gate], least: float, running: bool) -> None:
        super().__init__(parts)
        self._skips = tuple(skips)
        self._least = least
        self._running = running

    def joined(self, region: Region) -> int:
        """Return the comparison's truths, from the most that is sure and the least that is possible."""
        parts = [part.truths(region) for part in self._parts]
        skips = [skip.truths(region) for skip in self._skips] or [FALSE] * len(parts)
        pairs = list(zip(parts, skips, strict=True))
        low_sure, high_sure = self._bounds(pairs, _SURE)
        low_most, high_most = self._bounds(pairs, _POSSIBLE)
        truths = TRUE if high_sure >= self._least else 0
        if low_most < self._least:
            truths |= FALSE
        if low_sure < self._least <= high_most and any((part | skip) & UNKNOWN for part, skip in pairs):
            truths |= UNKNOWN
        return truths

    def _bounds(self, pairs: Sequence[tuple[int, int]], effects: Effects) -> tuple[int, int]:
        """Return the smallest and the largest count that iterations of these truths can have."""
        ends: list[int] = []
        for choice in (min, max):
            count = 0
            for part, skip in pairs:
                effect = choice(e for (p, q), e in effects.items() if p & part and q & skip)
                if effect == _ENDS and self._running:
                    break
                count += effect == _COUNTS
            ends.append(count)
        return ends[0], ends[1]

    def split(self, region: Region, care: int = APART) -> Split | None:  # noqa: ARG002
        """Return a split of the newest part that is not settled."""
        for number, part in enumerate(self._parts):
            for gate in (*self._skips[number : number + 1], part):
                if gate.truths(region) not in SETTLED:
                    found = gate.split(region)
                    if found is not None:
                        return found
        return None


# Tests on how often the current value comes back: `cycles`, `occurrences`, `repeats`.

CYCLES, OCCURRENCES, REPEATED, WITHIN = "cycles", "occurrences", "repeated", "repeats"


class Recurring(OverSeries):
    """
    A test that is true only where the current value comes back often enough.

    Most regions cannot: then no combination of all the earlier values has to be looked at.

    Args:
        test, inputs, back, records: As for a leaf; the inputs are one fact in each iteration.
        form: One of the four forms above.
        least: How often the value has to be there.
    """

    def __init__(
        self, test: Closure, inputs: Sequence[Input], back: int, records: int, form: str, least: float
    ) -> None:
        super().__init__(test, inputs, back, records)
        self._form = form
        self._least = least

    def _evaluated(self, region: Region) -> int:
        sets = [frozenset(value for (value,) in one.values(region) or ()) for one in self._series]
        current = [value for value in sets[0] if value.__class__ is not Unknown]
        settled = all(len(one) == 1 for one in sets)
        if settled or any(self._most(value, sets) >= self._least for value in current):
            return super()._evaluated(region)
        silent = any(value.__class__ is Unknown for one in sets for value in one)
        return FALSE | (UNKNOWN if silent else 0)

    def _most(self, value: object, sets: Series) -> float:
        """Return how often the current value can come back at most."""
        if self._form == CYCLES:
            return _times(sets)
        if isinstance(value, tuple):
            return max((sum(_holds(one, item) for one in sets) for item in value), default=0)
        if self._form == REPEATED:
            return next((n for n, one in enumerate(sets) if not _may_be(one, value)), len(sets))
        return sum(_may_be(one, value) for one in sets)


def _may_be(values: frozenset[object], value: object) -> bool:
    return value in values or any(one.__class__ is Unknown for one in values)


def _holds(values: frozenset[object], item: object) -> bool:
    return any(isinstance(one, tuple) and item in one for one in values)


def _times(sets: Series) -> int:
    """Return how many rounds of some sequence there can be at most at the end of a series."""
    shortest, longest = PERIODS
    best = 1
    for period in range(shortest, min(longest, len(sets) // 2) + 1):
        times = 1
        while (times + 1) * period <= len(sets) and all(
            sets[place] & sets[times * period + place] for place in range(period)
        ):
            times += 1
        best = max(best, times)
    return best


# Sums and averages of a fact compared with a number.


class Total(OverSeries):
    """
    `sum(x, last n)` or `average(x, last n)` compared with a number by its size.

    The smallest and the largest total tell what all between them can be, as additions never turn an
    order around. The inputs are one fact in each iteration.
    """

    def _evaluated(self, region: Region) -> int:
        least: list[tuple[object, ...]] = []
        most: list[tuple[object, ...]] = []
        truths = 0
        for one in self._inputs:
            values = [value for (value,) in one.values(region) or ()]
            numbers = [value for value in values if isinstance(value, int | float)]
            if len(numbers) < len(values):
                truths = UNKNOWN
            if not numbers:
                return UNKNOWN  # a total with a part that is not known is not known
            least.append((min(numbers),))
            most.append((max(numbers),))
        return truths | self._truth(least) | self._truth(most)


# Forms over a time, or over what shares a key, where points do not tell how far apart times are.
#
# Such a form can come out in any way, with two exceptions. Where it is not known when the current iteration
# was, or which key it has, a definite answer is the one on the current iteration alone: it would stay what
# it is if all others turned out to lie far away. And what must hold in each iteration, or in any, must hold
# in the current one, or may.

#: A clock that no other iteration is near, in seconds.
FAR = 10**9
#: Forms that need all of a time: none has passed while the clock is not known.
_LASTING = ("consecutive", "unchanged", "declined", "rose")
#: Parts whose definite answers may change when something becomes known.
_REVISED = frozenset(("known", "unknown", "or_else", "silence", "first", "last", "previous"))
#: What a condition on each iteration, or on any, can be where it has a truth in the current one.
_OF_EACH = {TRUE: ANY, UNKNOWN: FALSE | UNKNOWN, FALSE: FALSE}
_OF_ANY = {TRUE: TRUE, UNKNOWN: TRUE | UNKNOWN, FALSE: ANY}


class Window(Gate):
    """
    A test with a form over a time or per key.

    Args:
        chosen: For each window in it the clock and the key of the current iteration.
        alone: What a definite answer is where these are unknown; None where that is not known.
        now: The condition in the current iteration, where it bounds the answer by `bounds`.
        bounds: For each truth of `now` the truths that the test can have.
    """

    def __init__(
        self,
        chosen: Sequence[Sequence[Chosen]],
        alone: Gate | None,
        now: Gate | None = None,
        bounds: Mapping[int, int] | None = None,
    ) -> None:
        self._chosen = tuple(map(tuple, chosen))
        self._alone = alone
        self._now = now
        self._bounds = bounds or {}

    def truths(self, region: Region) -> int:
        """Return the truths that are not excluded."""
        found = ANY
        if self._now is not None:
            now, found = self._now.truths(region), 0
            for truth, truths in self._bounds.items():
                found |= truths if now & truth else 0
        if self._alone is not None and all(any(one.is_silent(region) for one in by) for by in self._chosen):
            found &= UNKNOWN | self._alone.truths(region)
        return found

    def split(self, region: Region, care: int = APART) -> Split | None:
        """Return a split of the condition in the current iteration, or of a clock into unknown and known."""
        del care
        for part in (self._now, self._alone):
            if part is not None and is_open(part.truths(region), APART):
                found = part.split(region)
                if found is not None:
                    return found
        every = [one for by in self._chosen for one in by] if self._alone is not None else []
        return next((found for one in every if (found := one.split(region)) is not None), None)


class Chosen:
    """A clock or a key of the current iteration: a place among the facts of a cluster."""

    def __init__(self, cluster: FromCluster, place: int) -> None:
        self._cluster = cluster
        self._place = place

    def is_silent(self, region: Region) -> bool:
        """Return whether nothing is known of it anywhere in the region."""
        return all(_is_silent(values[self._place]) for values in self._cluster.values(region))

    def split(self, region: Region) -> Split | None:
        """Return a split into unknown and known; None where it is one of them."""
        left = region[self._cluster.variable]
        silent = sum(bits & left for values, bits in self._cluster.groups if _is_silent(values[self._place]))
        return (self._cluster.variable, (silent, left & ~silent)) if silent and silent != left else None


def _is_silent(value: object) -> bool:
    return isinstance(value, Unknown) and value.least is None and value.most is None


def condition_in(node: Node) -> Node | None:
    """Return the condition that a form over a time holds in each iteration, or in some of them."""
    form = HISTORY_FORMS.get(node.op)
    return None if form is None or form.condition is None else node.child(form.condition)


def on_current(node: Node, test: RecordTest) -> RecordTest:
    """Return a test on the current record alone, all others being far away."""
    clocks = {str(one.args[0]) for window in _windows(node) if (one := window.optional(1)) is not None}

    def alone(records: Sequence[dict[str, object]]) -> object:
        return test([{**records[-1], **dict.fromkeys(clocks, FAR)}])

    return alone


def window_gate(
    node: Node, here: Sequence[Input], now: Gate | None, alone: Gate | None, size: Callable[[Node], int]
) -> Window:
    """
    Return the gate of a test with forms over a time or per key.

    Args:
        node: The test.
        here: What it reads of the current iteration.
        now: `condition_in` it, in the current iteration.
        alone: The test on the current iteration alone; None where it reads others beside its windows.
        size: Returns the number that a literal or a parameter is.
    """
    variables = [one for one in here if isinstance(one, FromCluster)]
    chosen = [
        [
            Chosen(cluster, cluster.names.index(name))
            for cluster in variables
            for name in by
            if name in cluster.names
        ]
        for by in map(_chosen_by, _windows(node))
    ]
    if node.op in _LASTING:
        return Window(chosen, Fixed(FALSE | UNKNOWN), now, _OF_EACH)
    if node.op == "quantified":
        quantifier = node.args[0]
        if quantifier == "all":
            return Window(chosen, now, now, _OF_EACH)
        if quantifier == "any" or (quantifier == "at_least" and size(node.child(1)) == 1):
            return Window(chosen, now, now, _OF_ANY)
        return Window(chosen, Fixed(FALSE) if quantifier == "at_least" else None)
    return Window(chosen, alone if _REVISED.isdisjoint(node.uses()) else None)


def _chosen_by(window: Node) -> list[str]:
    _, *chosen_by = window.children()
    return [str(one.args[0]) for one in chosen_by]


def _windows(node: Node) -> list[Node]:
    return [part for part in node.walk() if part.op == "window"]
