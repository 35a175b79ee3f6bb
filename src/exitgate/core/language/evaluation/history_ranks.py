"""
Closures of what is read off a window by size: `min`, `max`, `median`, `percentile`, `deviation`.

An unknown value may be smaller or larger than all others, or lies between bounds of its own. So each form
has a least and a most value, None where there is no such bound; a comparison is definite where both ends give
the same answer. Values are as they would be recorded, so that any two of them can be ordered.
"""

from __future__ import annotations

from bisect import bisect_right
from math import isqrt

from exitgate.core.language.evaluation.history_windows import seen
from exitgate.core.language.functions import CALCULATED, CAP
from exitgate.core.model.exact import MOST, OUT_OF_RANGE, Ratio, nearest_whole, number, pair, recorded
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from exitgate.core.language.evaluation.closures import Bounds, Closure, Compilation, Records
    from exitgate.core.language.tree import Node

    #: The least and the most of each value of a window, oldest first -> the least and the most of the form.
    Ranking = Callable[[list[tuple[Any, Any]]], tuple[Any, Any]]


#: So many parts of a unit `deviation` is rounded to.
MICRO = 10**6
_INFINITY = float("inf")
_ANY = (-_INFINITY, _INFINITY)


def _ends(values: list[object]) -> list[tuple[Any, Any]]:
    """
    Return the least and the most that each value can be, as it would be recorded.

    An end is infinite where there is no bound; a float that is not finite is not known.
    """
    return [_end_pair(value) for value in values]


def _end_pair(value: object) -> tuple[Any, Any]:
    if isinstance(value, Unknown):
        return _ANY if value.least is None else (recorded(value.least), recorded(value.most))
    plain = recorded(value)
    return _ANY if plain.__class__ is float and not -_INFINITY < plain < _INFINITY else (plain, plain)


def ranked(ends: list[tuple[Any, Any]], rank: int) -> tuple[Any, Any]:
    """
    Return the least and the most that the value of a rank can be, 1 for the smallest.

    It falls or rises with each value: so these are the values of that rank among the least and among the most
    that each value can be. Of values that are equal it is the oldest: 2 and 2.0 may both be recorded.
    """
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    least, most = (side[side.index(sorted(side)[rank - 1])] for side in (lows, highs))
    return None if least == -_INFINITY else least, None if most == _INFINITY else most


def _median(ends: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the bounds of the middle value, or of the mean of the two in the middle."""
    size = len(ends)
    upper = ranked(ends, size // 2 + 1)
    if size % 2:
        return upper
    lower = ranked(ends, size // 2)
    return _mean(lower[0], upper[0]), _mean(lower[1], upper[1])


def _mean(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return None
    (a, b), (c, d) = pair(one), pair(other)
    return _lowest(a * d + c * b, 2 * b * d)


def _lowest(numerator: int, denominator: int) -> Any:
    """Return a number of any size: a bound is compared, not calculated with."""
    found = number(numerator, denominator)
    return found if found.__class__ is not Unknown else numerator // denominator


def _deviation(ends: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """
    Return the bounds of the standard deviation of a whole population, rounded to a millionth.

    Each value is taken to a millionth, and all that follows is in whole numbers. One value does not deviate,
    wherever it is; of none of which anything is known, the deviation is open.
    """
    size = len(ends)
    lows = [_millionths(low) for low, _ in ends if low != -_INFINITY]
    highs = [_millionths(high) for _, high in ends if high != _INFINITY]
    if size == 1 and (lows or highs):
        return 0, 0
    least = _rooted(*_nearest(lows, highs, size))
    return least, _farthest(lows, highs, size) if len(lows) == len(highs) == size else None


def _nearest(lows: list[int], highs: list[int], size: int) -> tuple[int, int]:
    """
    Return four times the least variance that values of these bounds can have, as a fraction.

    It is the least that the distances from one center to the bounds give. The center is where those below
    draw it as hard as those above; values whose bounds are around it are taken to be there. With n bounds of
    sum S and sum of squares Q that are not, out of m values, the variance is (n Q - S^2) / (n m).
    """

    def drawn(center: int) -> int:
        below = sum(center - high for high in highs if high < center)
        return below - sum(low - center for low in lows if low > center)

    found = sorted({*lows, *highs})
    if not found:
        return 0, 1
    center = found[bisect_right(found, 0, key=drawn) - 1]
    off = [*(high for high in highs if high <= center), *(low for low in lows if low > center)]
    return 4 * (len(off) * sum(one * one for one in off) - sum(off) ** 2), max(1, len(off)) * size


def _farthest(lows: list[int], highs: list[int], size: int) -> Any:
    """
    Return a deviation that m values of these bounds never have more than.

    No variance is larger than the mean of the squares of the distances from any one number, here from the
    mean of all bounds to the farther bound of each value; and no deviation than half of the range.
    """
    double, total = 2 * size, sum(lows) + sum(highs)
    ends = zip(lows, highs, strict=True)
    squares = sum(max(double * high - total, total - double * low) ** 2 for low, high in ends)
    return min(_rooted(squares, size**3), _rooted((max(highs) - min(lows)) ** 2, 1))


def _rooted(numerator: int, denominator: int) -> Any:
    """Return the root of a fourth of a fraction of square millionths, the nearest millionth."""
    return _lowest((isqrt(numerator // denominator) + 1) // 2, MICRO)


def _millionths(value: Any) -> int:
    """Return a number in millionths, the nearest whole one, halves away from zero."""
    numerator, denominator = pair(value)
    return nearest_whole(Ratio(numerator * MICRO, denominator))


def _percentile(node: Node, compilation: Compilation) -> Ranking:
    """Return the bounds of a percentile by nearest rank: of n values that of rank P% of n, rounded up."""
    over, under = pair(compilation.amount(node.child(1)))

    def ranking(ends: list[tuple[Any, Any]]) -> tuple[Any, Any]:
        size = len(ends)
        return ranked(ends, min(size, max(1, -(-over * size // (100 * under)))))

    return ranking


_RANKINGS: dict[str, Callable[[Node, Compilation], Ranking]] = {
    "smallest": lambda _node, _compilation: lambda ends: ranked(ends, 1),
    "largest": lambda _node, _compilation: lambda ends: ranked(ends, len(ends)),
    "median": lambda _node, _compilation: _median,
    "percentile": _percentile,
    "deviation": lambda _node, _compilation: _deviation,
}


#: Percentiles that are the value at one end.
_OUTERMOST: dict[float, str] = {0: "smallest", 100: "largest"}


def _bounded(node: Node, compilation: Compilation) -> Bounds:
    """Return the bounds of one of these forms over the records there are."""
    ranking = _RANKINGS[node.op](node, compilation)
    take = seen(node.optional(-1), CAP, compilation, compilation.exact_series(node.child(0)))
    op = node.op
    if op == "percentile":
        op = _OUTERMOST.get(compilation.amount(node.child(1)), op)

    def bounds(records: Records) -> tuple[Any, Any]:
        found = take(records)
        (values,) = found.series
        least, most = ranking(_ends(values))
        if found.doubt() is None:
            return least, most
        # an iteration that may be in the window can only make the largest larger, and the smallest smaller
        certain = _ends(found.certain())
        if op == "largest":
            return ranking(certain)[0], None if found.more else most
        if op == "smallest":
            return None if found.more else least, ranking(certain)[1]
        return 0 if op == "deviation" else None, None

    return bounds


def valued(node: Node, compilation: Compilation) -> Closure:
    """Return the closure of such a form by itself: known where its bounds meet."""
    bounds, op = _bounded(node, compilation), node.op

    def value(records: Records) -> object:
        least, most = bounds(records)
        if least is None and most is None:
            return Unknown(_between(least, most), op)
        if least is None or most is None or least != most:
            ends = -_INFINITY if least is None else least, _INFINITY if most is None else most
            return Unknown(_between(least, most), op, *ends)
        if op in CALCULATED and abs(least) > MOST:
            return Unknown(OUT_OF_RANGE, op)
        return least

    return value


def _between(least: Any, most: Any) -> str:
    if any(end is not None and abs(end) > MOST for end in (least, most)):
        return OUT_OF_RANGE
    if least is None and most is None:
        return "any value, because an iteration is unknown"
    if most is None:
        return f"at least {recorded(least)}, because an iteration is unknown"
    if least is None:
        return f"at most {recorded(most)}, because an iteration is unknown"
    return f"between {recorded(least)} and {recorded(most)}, because an iteration is unknown"


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = dict.fromkeys(_RANKINGS, valued)
