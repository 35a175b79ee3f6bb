"""Bootstrap intervals over runs: how far a figure would move with other runs of the same kind."""

from __future__ import annotations

import random

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Item = TypeVar("Item")

DRAWS = 2000
SEED = 20_260_101
LEVEL = 0.95
#: Fewer runs than this say nothing about other runs.
FEWEST = 2


class Figure(Value):
    """
    A figure with its uncertainty.

    Args:
        value: The figure, None where it cannot be determined.
        low, high: Bounds of the 95 % interval, None where there are too few runs.
    """

    __slots__ = ("high", "low", "value")

    def __init__(self, value: float | None, low: float | None = None, high: float | None = None) -> None:
        self.value = value
        self.low = low
        self.high = high

    def plain(self) -> dict[str, float | None]:
        """Return it as plain JSON."""
        return {"value": self.value, "low": self.low, "high": self.high}


def figure(
    items: Sequence[Item],
    statistic: Callable[[Sequence[Item]], float | None],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Figure:
    """
    Return a statistic of `items` with its percentile interval (Efron 1979, section 3; Efron and Tibshirani,
    An Introduction to the Bootstrap, 1993, 13.3).

    Args:
        items: One for each run; drawn with replacement as many at a time as there are.
        statistic: Of any such sequence; None where it cannot be determined, and such draws are left out.
        draws: How many samples.
        seed: The same seed gives the same interval.
    """
    value = statistic(items)
    if value is None or len(items) < FEWEST:
        return Figure(value)
    draw = random.Random(seed)  # noqa: S311 - samples, no secrets
    found = sorted(
        one for one in (statistic(draw.choices(items, k=len(items))) for _ in range(draws)) if one is not None
    )
    if not found:
        return Figure(value)
    return Figure(value, quantile(found, (1 - LEVEL) / 2), quantile(found, (1 + LEVEL) / 2))


def quantile(ordered: Sequence[float], share: float) -> float:
    """
    Return the quantile of sorted numbers by linear interpolation between order statistics.

    Type 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages, 1996. `ordered` is not empty,
    `share` from 0 to 1.
    """
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])
