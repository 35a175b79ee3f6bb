"""
History forms of the reference evaluator, over series of values named by number.

Each is read straight off the table of forms; a truth is counted as a pair: how many are true for
certain, how many could be.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import takewhile
from math import ceil, floor, isfinite, isqrt

from exitgate.analysis.reference_evaluator.logic import (
    ABOVE,
    BELOW,
    add,
    all_true,
    any_true,
    at_least,
    at_most,
    divide,
    fraction,
    greater,
    less,
    multiply,
    plain,
    same,
    subtract,
    whole,
)
from exitgate.core.language.functions import PERIODS, VALUED
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Series = Sequence[object]
    Pair = tuple[float, float]
    #: The bounds of a value in millionths, infinite where there is none.
    Ends = tuple[Any, Any]


OPEN = Unknown("open", "reference")


def _lost(value: object) -> bool:
    return isinstance(value, Unknown)


def trues(series: Series) -> Pair:
    """Return how many are true, at least and at most."""
    sure = sum(1 for value in series if value is True)
    return sure, sure + sum(map(_lost, series))


def _different(series: Series) -> int:
    return len({value for value in series if not _lost(value)})


def verdict(least_enough: bool, most_enough: bool) -> object:
    """Return whether a count that is open is enough."""
    return True if least_enough else OPEN if most_enough else False


def consecutive(series: Series, n: int) -> object:
    """P in the last n records."""
    return len(series) == n and all_true(*series)


def all_equal(series: Series, n: int) -> object:
    """The last n values are equal and known."""
    if len(series) < n or _different(series) > 1:
        return False
    return OPEN if any(map(_lost, series)) else True


def unchanged(series: Series, n: int) -> object:
    """N steps without a change."""
    return all_equal(series, n + 1)


def often(series: Series, n: int) -> object:
    """The current value is there n times."""
    least, most = occurrences(series)
    return verdict(least >= n, most >= n)


def occurrences(series: Series) -> Pair:
    """How often the current value is in a series."""
    unsure = sum(map(_lost, series))
    current = series[-1]
    if not _lost(current):
        number = sum(1 for value in series if not _lost(value) and value == current)
        return number, number + unsure
    best = [sum(1 for other in series if not _lost(other) and other == v) for v in series if not _lost(v)]
    return 0, unsure + max(best, default=0)


def at_least_of(series: Series, k: int, _n: int) -> object:
    """P at least k times."""
    least, most = trues(series)
    return verdict(least >= k, most >= k)


def at_most_of(series: Series, k: int, n: int) -> object:
    """P at most k times in n records; false while there are fewer."""
    least, most = trues(series)
    if len(series) < n or least > k:
        return False
    return True if most <= k else OPEN


def moved(series: Series, n: int, by: float, falls: bool) -> object:
    """The last value is a share below the highest of the n before it, or above the lowest."""
    if len(series) < n + 1:
        return False
    current, before = series[-1], [value for value in series[:-1] if not _lost(value)]
    if _lost(current) or not before:
        return OPEN
    found = _far_enough(current, before, by, falls)
    return found if len(before) == n or found is True else OPEN


def _far_enough(current: object, before: Series, by: float, falls: bool) -> object:
    further = greater if falls else less
    base = reduce(lambda best, value: value if further(value, best) is True else best, before)
    if greater(base, 0) is not True:
        return OPEN if falls else greater(current, base)
    now, limit = (
        multiply(current, 100),
        multiply(base, subtract(100, min(by, 100)) if falls else add(100, by)),
    )
    return (at_most if falls else at_least)(now, limit)


def streak(series: Series, _n: int, skipped: Series) -> Pair:
    """Records in a row, from the current one back, in which P is true; where Q is true they are left out."""
    back = list(zip(series, skipped, strict=True))[::-1]
    short = [(p is True, q is True or (p is True and _lost(q))) for p, q in back]
    long = [(p is not False, q is True or (p is False and _lost(q))) for p, q in back]
    least, most = (sum(1 for _ in takewhile(bool, (p for p, q in rows if not q))) for rows in (short, long))
    return least, most


def repeated(series: Series, _n: int, windowed: bool) -> Pair:
    """Values in a row, from the current one back, that are the same; or all of them in a window."""
    if windowed:
        return occurrences(series)
    back = list(reversed(series))
    runs = [size for size in range(1, len(back) + 1) if _different(back[:size]) <= 1]
    known = [size for size in runs if not any(map(_lost, back[:size]))]
    return max(known, default=0), max(runs)


def distinct(series: Series, _n: int) -> Pair:
    """Different values."""
    number = _different(series)
    return number or 1, number + sum(map(_lost, series))


def first(series: Series, _n: int) -> object:
    """The earliest known value."""
    return ([value for value in series if not _lost(value)] or [OPEN])[0]


def last(series: Series, _n: int) -> object:
    """The latest known value."""
    return ([value for value in series if not _lost(value)] or [OPEN])[-1]


def previous(series: Series) -> object:
    """The value before the current one."""
    return series[0] if len(series) > 1 else OPEN


def total(series: Series, _n: int) -> object:
    """The sum."""
    result: object = 0
    for value in series:
        result = add(result, value)
    return result


def mean(series: Series, n: int) -> object:
    """The sum over the number of values."""
    return divide(total(series, n), len(series))


def _finite(value: object) -> bool:
    return not isinstance(value, float) or isfinite(value)


def _lowest(value: object) -> object:
    """The least that a value can be, as it is recorded; what is not a finite number may be anything."""
    end = value.least if isinstance(value, Unknown) else plain(value) if _finite(plain(value)) else None
    return BELOW if end is None else plain(end)


def _highest(value: object) -> object:
    end = value.most if isinstance(value, Unknown) else plain(value) if _finite(plain(value)) else None
    return ABOVE if end is None else plain(end)


def _at_rank(values: Sequence[object], rank: int) -> object:
    """The first value that fewer values than the rank are below, and at least as many not above."""
    found = []
    for value in values:
        smaller = sum(1 for other in values if less(other, value) is True)
        if smaller < rank <= smaller + sum(1 for other in values if same(other, value) is True):
            found.append(value)
    return found[0]


def _ranked(series: Series, rank: int) -> tuple[object, object]:
    """The value of a rank where each value is the smallest that it can be, and where it is the largest."""
    return _at_rank([*map(_lowest, series)], rank), _at_rank([*map(_highest, series)], rank)


def by_rank(series: Series, _n: int, share: float) -> tuple[object, object]:
    """The value that a share of the values, in percent, is not above: nearest rank."""
    return _ranked(series, max(1, ceil(fraction(share) * len(series) / 100)))


def middle(series: Series, _n: int) -> tuple[object, object]:
    """The mean of the values in the middle, which may be one and the same."""
    ranks = ((len(series) + 1) // 2, len(series) // 2 + 1)
    if ranks[0] == ranks[1]:
        return _ranked(series, ranks[0])
    lower, upper = (_ranked(series, rank) for rank in ranks)
    least, most = ((a, b) for a, b in zip(lower, upper, strict=True))
    return (
        BELOW if BELOW in least else _middle_of(*least),
        ABOVE if ABOVE in most else _middle_of(*most),
    )


def _middle_of(one: object, other: object) -> object:
    return whole((fraction(one) + fraction(other)) / 2)


def spread(series: Series, _n: int) -> tuple[object, object]:
    """The deviation of the whole population in millionths: nothing for one value, of none it is open."""
    pairs = [(_in_millionths(_lowest(value)), _in_millionths(_highest(value))) for value in series]
    ends: set[Any] = {end for pair in pairs for end in pair if end not in (BELOW, ABOVE)}
    if not ends:
        return 0, ABOVE
    if len(series) == 1:
        return 0, 0
    centers = {_center(pairs, end) for end in ends}
    least = _root(min(_squares(pairs, center, _to_the_nearer) for center in centers))
    if any(low == BELOW or high == ABOVE for low, high in pairs):
        return least, ABOVE
    mean_of_ends = Fraction(sum(low + high for low, high in pairs), 2 * len(pairs))
    square = _squares(pairs, mean_of_ends, _to_the_farther)
    return least, _root(min(square, Fraction(max(ends) - min(ends), 2) ** 2))


def _in_millionths(end: object) -> Any:
    return end if end in (BELOW, ABOVE) else _nearest(fraction(end) * 10**6)


def _center(pairs: Sequence[Ends], end: int) -> Fraction:
    """The mean of the bounds of values that are at most at an end for certain, or above it."""
    off = [high if high <= end else low for low, high in pairs if high <= end or low > end]
    return Fraction(sum(off), len(off)) if off else Fraction(end)


def _squares(
    pairs: Sequence[Ends], center: Fraction, distance: Callable[[Ends, Fraction], Fraction]
) -> Fraction:
    return sum((distance(pair, center) ** 2 for pair in pairs), Fraction(0)) / len(pairs)


def _to_the_nearer(pair: Ends, center: Fraction) -> Fraction:
    low, high = pair
    return Fraction(low - center if low > center else center - high if high < center else 0)


def _to_the_farther(pair: Ends, center: Fraction) -> Fraction:
    low, high = pair
    return Fraction(max(center - low, high - center))


def _root(square: Fraction) -> object:
    """The root of a number of square millionths, to the nearest one."""
    root = isqrt(floor(square))
    root += (2 * root + 1) ** 2 <= 4 * square
    return whole(Fraction(root, 10**6))


def _nearest(value: Fraction) -> int:
    """The nearest whole number, halves away from zero."""
    return floor(value + Fraction(1, 2)) if value >= 0 else -floor(Fraction(1, 2) - value)


def shared(series: Series, _n: int) -> Pair:
    """How many values are the current one; of lists, how many hold one item of it, at most."""
    lists = [value for value in series if isinstance(value, tuple)]
    if not lists:
        return occurrences(series)
    current, unsure = series[-1], len(series) - len(lists)
    wanted = {item for value in lists for item in value} if _lost(current) else set(lists[-1])
    best = max((sum(item in value for value in lists) for item in wanted), default=0)
    if _lost(current):
        return 0, best + unsure
    return best, best + unsure if current else 0


def rounds(series: Series, _n: int) -> Pair:
    """How often the shortest repeated sequence of different values ends the series, one after another."""
    found = []
    for period in range(PERIODS[0], PERIODS[1] + 1):
        ways = range(2, len(series) // period + 1)
        sure = [times for times in ways if _ends_in(series, period, times, False)]
        possible = [times for times in ways if _ends_in(series, period, times, True)]
        if possible:
            found.append((max(sure, default=1), max(possible)))
        if sure:
            break
    if not found:
        return 1, 1
    least = found[0][0] if len(found) == 1 else min(2, found[-1][0])
    return least, max(most for _, most in found)


def _ends_in(series: Series, period: int, times: int, unknown: bool) -> bool:
    """Whether it ends in so many equal blocks that are not one value; `unknown`: or may do so."""
    tail = series[-period * times :]
    if not unknown and any(map(_lost, tail)):
        return False
    columns = [{value for value in tail[place::period] if not _lost(value)} for place in range(period)]
    values = set().union(*columns)
    return all(len(one) <= 1 for one in columns) and (len(values) > 1 or not all(columns))


def comparable(series: Series) -> Series:
    """Return values of which two that are equal to a third are equal: as recorded, if there is a float."""
    return tuple(map(plain, series)) if any(isinstance(value, float) for value in series) else series


def functions(table: Sequence[Series]) -> dict[str, Callable[..., object]]:
    """
    Return the history functions by name; the first argument of each is a number of `table`.

    Those that give values calculate with them; the others compare them with each other.
    """

    compared = [comparable(series) for series in table]

    def named(name: str, function: Callable[..., object]) -> Callable[..., object]:
        source = table if name in VALUED else compared
        return lambda index, *rest: function(source[index], *rest)

    def streak_of(index: int, n: int, skipping: object) -> Pair:
        series = table[index]
        if skipping is False:
            return streak(series, n, [False] * len(series))
        return streak(series, n, table[int(str(skipping))])

    found = {name: named(name, function) for name, function in (*FUNCTIONS.items(), *_FORMS.items())}
    found["declined"] = lambda index, n, by: moved(table[index], n, by, True)
    found["rose"] = lambda index, n, by: moved(table[index], n, by, False)
    found["streak"] = streak_of
    return found


#: History functions by their operation, but for `streak`, which has two series.
FUNCTIONS: dict[str, Callable[..., object]] = {
    "count": lambda series, _n: trues(series),
    "repeated": repeated,
    "distinct": distinct,
    "occurrences": shared,
    "cycles": rounds,
    "first": first,
    "last": last,
    "previous": previous,
    "sum": total,
    "average": mean,
    "largest": by_rank,
    "smallest": by_rank,
    "percentile": by_rank,
    "median": middle,
    "deviation": spread,
}
_FORMS: dict[str, Callable[..., object]] = {
    "consecutive": consecutive,
    "unchanged": unchanged,
    "all_equal": all_equal,
    "often": often,
    "any_of": lambda series, _k, _n: any_true(*series),
    "all_of": lambda series, _k, _n: all_true(*series),
    "at_least_of": at_least_of,
    "at_most_of": at_most_of,
}
