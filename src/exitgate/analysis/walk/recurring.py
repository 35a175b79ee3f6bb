"""Tests on how often the current value comes back: `cycles`, `occurrences`, `repeats`."""

from __future__ import annotations

from exitgate.analysis.walk.gates import FALSE, UNKNOWN
from exitgate.analysis.walk.leaves import OverSeries
from exitgate.language.functions import PERIODS
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.walk.leaves import Closure, Input
    from exitgate.analysis.walk.units import Region

    #: What a fact can be in each iteration, the current one first.
    Series = Sequence[frozenset[object]]

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
