"""
Closures of what is read off a window by size: `min`, `max`, `median`, `percentile`, `deviation`.

An unknown value may be smaller or larger than all others. So each form has a least and a most value, None
where there is no such bound; a comparison is definite where both ends give the same answer. Values are as
they would be recorded, so that any two of them can be ordered.
"""

from __future__ import annotations

from math import isqrt

from exitgate.language.functions import CAP
from exitgate.language.history_windows import seen
from exitgate.model.exact import MOST, OUT_OF_RANGE, Ratio, nearest_whole, number, pair, recorded
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from exitgate.language.closures import Bounds, Closure, Compilation, Records
    from exitgate.language.tree import Node

    #: The known values of a window, oldest first, how many values it has -> the least and the most.
    Ranking = Callable[[list[Any], int], tuple[Any, Any]]

#: So many parts of a unit `deviation` is rounded to.
MICRO = 10**6
_INFINITY = float("inf")


def _known(values: list[object]) -> list[Any]:
    """Return the known values as they would be recorded; a float that is not finite is not known."""
    plain = [recorded(value) for value in values if value.__class__ is not Unknown]
    return [value for value in plain if value.__class__ is not float or -_INFINITY < value < _INFINITY]


def ranked(known: list[Any], size: int, rank: int) -> tuple[Any, Any]:
    """
    Return the least and the most that the value of a rank can be, 1 for the smallest of `size` values.

    Of values that are equal it is the oldest: 2 and 2.0 may both be recorded.
    """
    ordered = sorted(known)
    below, unsure = rank - 1, size - len(known)
    least = known[known.index(ordered[below - unsure])] if below >= unsure else None
    return least, known[known.index(ordered[below])] if below < len(known) else None


def _median(known: list[Any], size: int) -> tuple[Any, Any]:
    """Return the bounds of the middle value, or of the mean of the two in the middle."""
    upper = ranked(known, size, size // 2 + 1)
    if size % 2:
        return upper
    lower = ranked(known, size, size // 2)
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


def _deviation(known: list[Any], size: int) -> tuple[Any, Any]:
    """
    Return the bounds of the standard deviation of a whole population, rounded to a millionth.

    Each value is taken to a millionth, and all that follows is in whole numbers: with n values of sum S and
    sum of squares Q the square of it is (n Q - S^2) / n^2. The least is that for unknown values which are
    the mean of the known ones.
    """
    units = [_millionths(value) for value in known]
    count = len(units)
    if not count:
        return 0, None
    spread = count * sum(unit * unit for unit in units) - sum(units) ** 2
    root = (isqrt(4 * spread // (count * size)) + 1) // 2
    least = _lowest(root, MICRO)
    return least, least if count == size else None


def _millionths(value: Any) -> int:
    """Return a number in millionths, the nearest whole one, halves away from zero."""
    numerator, denominator = pair(value)
    return nearest_whole(Ratio(numerator * MICRO, denominator))


def _percentile(node: Node, compilation: Compilation) -> Ranking:
    """Return the bounds of a percentile by nearest rank: of n values that of rank P% of n, rounded up."""
    over, under = pair(compilation.amount(node.args[1]))  # type: ignore[arg-type]

    def ranking(known: list[Any], size: int) -> tuple[Any, Any]:
        return ranked(known, size, min(size, max(1, -(-over * size // (100 * under)))))

    return ranking


_RANKINGS: dict[str, Callable[[Node, Compilation], Ranking]] = {
    "smallest": lambda _node, _compilation: lambda known, size: ranked(known, size, 1),
    "largest": lambda _node, _compilation: lambda known, size: ranked(known, size, size),
    "median": lambda _node, _compilation: _median,
    "percentile": _percentile,
    "deviation": lambda _node, _compilation: _deviation,
}


#: Percentiles that are the value at one end.
_OUTERMOST: dict[float, str] = {0: "smallest", 100: "largest"}


def bounded(node: Node, compilation: Compilation) -> Bounds:
    """Return the bounds of one of these forms over the records there are."""
    ranking, window = _RANKINGS[node.op](node, compilation), node.args[-1]
    take = seen(window, CAP, compilation, compilation.exact_series(node.args[0]))  # type: ignore[arg-type]
    op = node.op
    if op == "percentile":
        op = _OUTERMOST.get(compilation.amount(node.args[1]), op)  # type: ignore[arg-type]

    def bounds(records: Records) -> tuple[Any, Any]:
        found = take(records)
        (values,) = found.series
        least, most = ranking(_known(values), len(values))
        if found.doubt() is None:
            return least, most
        # an iteration that may be in the window can only make the largest larger, and the smallest smaller
        certain = found.certain()
        if op == "largest":
            return ranking(_known(certain), len(certain))[0], None if found.more else most
        if op == "smallest":
            return None if found.more else least, ranking(_known(certain), len(certain))[1]
        return 0 if op == "deviation" else None, None

    return bounds


def valued(node: Node, compilation: Compilation) -> Closure:
    """Return the closure of such a form by itself: known where its bounds meet."""
    bounds, op = bounded(node, compilation), node.op

    def value(records: Records) -> object:
        least, most = bounds(records)
        if least is None and most is None:
            return Unknown(_between(least, most), op)
        if least is None or most is None or least != most:
            ends = -_INFINITY if least is None else least, _INFINITY if most is None else most
            return Unknown(_between(least, most), op, *ends)
        if op in ("median", "deviation") and abs(least) > MOST:
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


BOUNDS: dict[str, Callable[[Node, Compilation], Bounds]] = dict.fromkeys(_RANKINGS, bounded)
FORMS: dict[str, Callable[[Node, Compilation], Closure]] = dict.fromkeys(_RANKINGS, valued)
