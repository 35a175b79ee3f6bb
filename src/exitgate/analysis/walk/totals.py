"""Sums and averages of a fact compared with a number."""

from __future__ import annotations

from exitgate.analysis.walk.gates import UNKNOWN
from exitgate.analysis.walk.leaves import OverSeries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.walk.units import Region


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
