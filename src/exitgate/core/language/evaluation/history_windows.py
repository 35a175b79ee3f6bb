"""
Which iterations a history form looks at: the last N, those of the last 45 minutes, those that share a key.

An iteration is in a window in time where the clock it recorded is at most that far behind the current
one. While one of the two clocks, or of the two keys, is unknown, it may be in the window or not. A window
in time reads `TIMED_LIMIT` iterations; where the one before them may be in it too, the window
may hold more.
"""

from __future__ import annotations

from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.values import reader
from exitgate.core.language.functions import CAP, TIMED_LIMIT
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.language.evaluation.closures import Closure, Compilation, Record, Records, Series

    Bounds = tuple[int, int]
    Counting = Callable[[list[object]], Bounds]
    #: Whether each of the last records is in the window, oldest first, and whether more may be.
    Members = Callable[[Records], tuple[list[object], bool]]
    from collections.abc import Callable

    from exitgate.core.language.evaluation.closures import Records
    from exitgate.core.language.tree import Node


#: Added to the most that a count can be where the window may hold more iterations than are read.
OPEN_END = 10**9
MORE = Unknown(f"there are more than {TIMED_LIMIT} iterations in that time, and no more are read", "last")


class Seen:
    """
    What a form sees of a window.

    Args:
        series: For each condition or value asked its values, oldest first, the current one last.
        sure: For each of these iterations whether it is in the window for certain; the others may be.
        more: Whether older iterations may be in the window, too.
    """

    __slots__ = ("more", "series", "sure")

    def __init__(self, series: tuple[list[object], ...], sure: list[bool], more: bool) -> None:
        self.series = series
        self.sure = sure
        self.more = more

    def doubt(self) -> Unknown | None:
        """Return why it is not certain which iterations there are, None where it is."""
        if self.more:
            return MORE
        if all(self.sure):
            return None
        return Unknown("it is not known whether an iteration is among them", "last")

    def why_open(self) -> Unknown | None:
        """Return why an answer is open: which iterations there are, or the first unknown value."""
        doubt = self.doubt()
        if doubt is not None:
            return doubt
        return next((value.bare() for value in self.series[0] if isinstance(value, Unknown)), None)

    def certain(self, number: int = 0) -> list[object]:
        """Return the values of the iterations that are in the window for certain."""
        return [value for value, sure in zip(self.series[number], self.sure, strict=True) if sure]

    def bounds(self, counting: Counting) -> Bounds:
        """Return the bounds of a count that further iterations never make smaller."""
        (values,) = self.series
        if all(self.sure):
            least, most = counting(values)
        else:
            least, most = counting(self.certain())[0], counting(values)[1]
        return least, most + OPEN_END if self.more else most


def seen(
    window: Node | None, cap: int, compilation: Compilation, *series: Series
) -> Callable[[Records], Seen]:
    """Return what a form sees of its `window`, or without one of the last `cap` iterations."""
    if window is None or window.op != "window":
        n = cap if window is None else compilation.steps(window)

        def last(records: Records) -> Seen:
            found = tuple([one(records, n) for one in series])
            return Seen(found, [True] * min(n, len(records)), False)

        return last
    members = members_of(window, compilation)

    def chosen(records: Records) -> Seen:
        among, more = members(records)
        first = next(number for number, one in enumerate(among) if one is not False)
        kept = [number for number in range(first, len(among)) if among[number] is not False]
        size = len(among) - first
        found = []
        for one in series:
            values = one(records, size)
            found.append([values[number - first] for number in kept])
        return Seen(tuple(found), [among[number] is True for number in kept], more)

    return chosen


def members_of(window: Node, compilation: Compilation) -> Members:
    """Return a function that finds the iterations in a window in time, per key, or both."""
    size, clock, key = window.child(0), window.optional(1), window.optional(2)
    of_key = None if key is None else _sharing(key)
    if clock is not None:
        within = _within(clock, compilation.amount(size))
        n = TIMED_LIMIT
    else:
        within, n = None, compilation.steps(size)

    def members(records: Records) -> tuple[list[object], bool]:
        last = records[-n:]
        more = False
        if within is None:
            among: list[object] = [True] * len(last)
        else:
            among = within(last)
            more = len(records) > n and within((records[-n - 1], last[-1]))[0] is not False
        if of_key is not None:
            among = [_both(a, b) for a, b in zip(among, of_key(last), strict=True)]
        return among, more

    return members


def _both(one: object, other: object) -> object:
    if one is False or other is False:
        return False
    return other if one is True else one


def _sharing(key: Node) -> Callable[[Records], list[object]]:
    read = reader(key)

    def sharing(records: Records) -> list[object]:
        keys = [read(record) for record in records]
        return [*(kleene.compare("==", one, keys[-1]) for one in keys[:-1]), True]

    return sharing


def _within(clock: Node, length: float) -> Callable[[Records], list[object]]:
    since = start(clock, length)
    read = reader(clock)

    def within(records: Records) -> list[object]:
        begin = since(records[-1])
        if begin.__class__ is Unknown:
            return [*[begin] * (len(records) - 1), True]
        times = [read(record) for record in records[:-1]]
        found: list[object] = [t if t.__class__ is Unknown else t >= begin for t in times]  # type: ignore[operator]
        return [*found, True]

    return within


def start(clock: Node, length: float) -> Callable[[Record], object]:
    """Return a function of the current record: the clock at which the last `length` seconds began."""
    from exitgate.core.model.exact import calculate

    read = reader(clock)

    def begin(record: Record) -> object:
        now = read(record)
        return now if now.__class__ is Unknown else calculate("sub", now, length)

    return begin


def is_old_enough(window: Node, compilation: Compilation) -> Closure:
    """Return whether the run has as many iterations, or is as old, as a window is long."""
    size, clock = (window.child(0), window.optional(1)) if window.op == "window" else (window, None)
    if clock is None:
        n = compilation.steps(size)
        return lambda records: len(records) >= n
    read, length = reader(clock), compilation.amount(size)

    def old_enough(records: Records) -> object:
        now = read(records[-1])
        return now if now.__class__ is Unknown else now >= length  # type: ignore[operator]

    return old_enough


# Closures of the history functions that give a value of earlier records, a sum, a mean.

#: Not a value that something could still turn out to have: there is none.
NO_EARLIER = Unknown("no earlier iteration", "previous")


def first_known(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `first(x, last n)` or `last(x, last n)`: the earliest or latest known value.

    It is that of the iterations that are in the window for certain; unknown where older ones may be, and the
    earliest is asked for.
    """
    take = seen(node.optional(1), CAP, compilation, compilation.exact_series(node.child(0)))
    step = 1 if node.op == "first" else -1

    def value(records: Records) -> object:
        found = take(records)
        if found.more and step == 1:
            return MORE
        values = found.certain()[::step]
        known = next((v for v in values if v.__class__ is not Unknown), None)
        return values[0].bare() if known is None else known  # type: ignore[attr-defined]

    return value


def previous(node: Node, compilation: Compilation) -> Closure:
    """Return a closure of `previous(x)`: the value one record earlier."""
    series = compilation.exact_series(node.child(0))

    def value(records: Records) -> object:
        if len(records) < 2:
            return NO_EARLIER
        return series(records, 2)[0]

    return value


def total(node: Node, compilation: Compilation) -> Closure:
    """
    Return a closure of `sum(x, last n)` or `average(x, last n)` over the records there are.

    Unknown where one of the values is: a sum of the known ones would look like less than happened. It is
    between bounds where each of the values is. Unknown, too, where it is not certain which records there are.
    """
    from exitgate.core.model.exact import calculated

    take = seen(node.optional(1), CAP, compilation, compilation.exact_series(node.child(0)))
    mean = node.op == "average"

    def value(records: Records) -> object:
        found = take(records)
        doubt = found.doubt()
        if doubt is not None:
            return doubt
        (values,) = found.series
        result: object = 0
        for item in values:
            result = calculated("add", result, item)
        return calculated("div", result, len(values)) if mean else result

    return value


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = {
    "first": first_known,
    "last": first_known,
    "previous": previous,
    "sum": total,
    "average": total,
}
