"""Bootstrap intervals over runs: how far a figure would move with other runs of the same kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from math import sqrt
from typing import TypeVar

from msgspec import Struct

Item = TypeVar("Item")
Pair = tuple[float, bool]
Choice = TypeVar("Choice")


DRAWS = 2000
SEED = 20_260_101
LEVEL = 0.95
#: Fewer runs than this say nothing about other runs.
FEWEST = 2


class Figure(Struct, frozen=True):
    """
    A figure with its uncertainty.

    Args:
        value: The figure, None where it cannot be determined.
        low, high: Bounds of the 95 % interval, None where there are too few runs.
    """

    value: float | None
    low: float | None = None
    high: float | None = None

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


# How well stated chances agree with what came of them: reliability, calibration error, Brier score, AUC.

#: The normal quantile of a 95 % interval.
Z = 1.959964


class Bin(Struct, frozen=True):
    """
    Statements of about the same chance.

    Args:
        low, high: Bounds of the bin, from 0 to 1.
        count: How many statements.
        stated: Their mean.
        observed: Share of them that came true.
        interval: Its 95 % interval after Wilson, as if the statements were independent.
    """

    low: float
    high: float
    count: int
    stated: float
    observed: float
    interval: tuple[float, float]


def bins(pairs: Sequence[Pair], wanted: int = 10) -> tuple[Bin, ...]:
    """
    Return statements in bins of equal width, empty ones left out.

    Args:
        pairs: Chances from 0 to 1, and what came of them.
        wanted: Into how many bins 0 to 1 is cut; the last one has 1 in it.
    """
    found: dict[int, list[Pair]] = {}
    for pair in pairs:
        found.setdefault(min(int(pair[0] * wanted), wanted - 1), []).append(pair)
    return tuple(_bin(at / wanted, (at + 1) / wanted, found[at]) for at in sorted(found))


def _bin(low: float, high: float, pairs: Sequence[Pair]) -> Bin:
    true = sum(came for _, came in pairs)
    count = len(pairs)
    stated = sum(chance for chance, _ in pairs) / count
    return Bin(low, high, count, stated, true / count, wilson(true, count))


def wilson(true: int, count: int) -> tuple[float, float]:
    """
    Return the 95 % score interval of a share (Wilson, Probable Inference, JASA 22, 1927).

    `count` is at least 1.
    """
    share = true / count
    middle = share + Z * Z / (2 * count)
    half = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    scale = 1 + Z * Z / count
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def calibration_error(found: Sequence[Bin]) -> float:
    """Return the expected calibration error (Guo et al., Calibration of Modern Neural Networks, 2017)."""
    count = sum(one.count for one in found)
    return sum(one.count * abs(one.stated - one.observed) for one in found) / count


def brier(pairs: Sequence[Pair]) -> float:
    """Return the mean squared error of chances (Brier, Verification of Forecasts, 1950); 0 is best."""
    return sum((chance - came) ** 2 for chance, came in pairs) / len(pairs)


def base_rate(pairs: Sequence[Pair]) -> float:
    """Return the share that came true. Who always states it has a Brier score of ``rate * (1 - rate)``."""
    return sum(came for _, came in pairs) / len(pairs)


def auc(pairs: Sequence[Pair]) -> float | None:
    """
    Return the chance that something stated of what came true is above that of what did not, ties half.

    The area under the ROC curve by ranks (Hanley and McNeil, Radiology 143, 1982). None where all came true
    or nothing did.
    """
    true = sum(came for _, came in pairs)
    false = len(pairs) - true
    if not true or not false:
        return None
    ordered = sorted(pairs)
    above = 0.0
    false_below = at = 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end][0] == ordered[at][0]:
            end += 1
        true_here = sum(came for _, came in ordered[at:end])
        false_here = end - at - true_here
        above += true_here * (false_below + false_here / 2)
        false_below += false_here
        at = end
    return above / (true * false)


# Cross-validation over runs: what is chosen on some runs is judged on the others.


def folds(count: int, wanted: int | None, seed: int = 0) -> tuple[tuple[int, ...], ...]:
    """
    Return which of `count` runs each fold leaves out; every run is left out once.

    Args:
        count: How many runs there are.
        wanted: How many folds, at most as many as runs; None leaves out one run at a time.
        seed: Of the order in which runs are dealt to fewer folds than runs.
    """
    if wanted is None or wanted >= count:
        return tuple((at,) for at in range(count))
    order = list(range(count))
    random.Random(seed).shuffle(order)  # noqa: S311 - a shuffle, no secret
    return tuple(tuple(sorted(order[at::wanted])) for at in range(wanted))


def cross_validated(
    count: int, left_out: Sequence[Sequence[int]], choose: Callable[[Sequence[int]], Choice]
) -> list[Choice]:
    """
    Return for each run what is chosen without it.

    Args:
        count: How many runs there are.
        left_out: As `folds` returns it.
        choose: From the numbers of the runs to look at to what is best on them.
    """
    chosen: dict[int, Choice] = {}
    for out in left_out:
        best = choose([at for at in range(count) if at not in out])
        chosen.update(dict.fromkeys(out, best))
    return [chosen[at] for at in range(count)]


# Points that no other beats on one count without losing on the other.


def front(costs: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """
    Return the numbers of the points on the Pareto front, in the order of the first cost.

    Args:
        costs: Of each point, two amounts of which less is better.

    Of points that cost the same the first one stands for all.
    """
    order = sorted(range(len(costs)), key=lambda at: (costs[at], at))
    found: list[int] = []
    for at in order:
        if not found or costs[at][1] < costs[found[-1]][1]:
            found.append(at)
    return tuple(found)
