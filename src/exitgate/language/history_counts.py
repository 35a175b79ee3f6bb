"""
Closures of the counting history forms: `streak`, `count`, `repeats(x)`, `distinct`, `occurrences`, `cycles`.

A record whose condition is unknown leaves a count open between two bounds. Where the bounds meet
the count is known; a comparison is definite where both bounds give the same answer; else it is
unknown.
"""

from __future__ import annotations

from exitgate.language.functions import CAP, PERIODS
from exitgate.language.history import occurrences, split
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.language.closures import Bounds, Closure, Compilation, Records
    from exitgate.language.tree import Node


def window_of(node: Node, compilation: Compilation) -> int:
    """Return how many records a history function reads: its `last n`, or the cap."""
    window = node.args[-1] if len(node.args) > 1 else None
    return CAP if window is None else compilation.steps(window)  # type: ignore[arg-type]


def streak(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `streak(P) skipping (Q)`.

    From the current record backwards: one where Q is true is passed over; of the others, one where P
    is true counts and one where P is false ends the row. What is unknown is taken as false for the
    lower bound and as true for the upper one; an unknown Q as the value that makes the bound wider.
    """
    condition, skipping = node.args[0], node.args[1]
    n = window_of(node, compilation)
    series = compilation.series(condition)  # type: ignore[arg-type]
    skips = compilation.series(skipping) if skipping is not None else None  # type: ignore[arg-type]

    def bounds(records: Records) -> tuple[int, int]:
        values = series(records, n)
        passed = skips(records, n) if skips is not None else [False] * len(values)
        return (
            _row(zip(reversed(values), reversed(passed), strict=True), False),
            _row(zip(reversed(values), reversed(passed), strict=True), True),
        )

    return bounds


def _row(records: Iterable[tuple[object, object]], open_: bool) -> int:
    """Return how long a row is, newest record first, where what is unknown makes it longer, or shorter."""
    length = 0
    for value, passed in records:
        if passed is True:
            continue
        if value is True or (open_ and value is not False):
            length += open_ or passed is False
        elif not open_ or passed is False:
            break
    return length


def count(node: Node, compilation: Compilation) -> Bounds:
    """Return the bounds of `count(P, last n)`."""
    n = window_of(node, compilation)
    series = compilation.series(node.args[0])  # type: ignore[arg-type]

    def bounds(records: Records) -> tuple[int, int]:
        values = series(records, n)
        least = sum(value is True for value in values)
        return least, least + sum(value.__class__ is Unknown for value in values)

    return bounds


def repeated(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `repeats(x)`: how many of the latest values in a row equal the current one.

    With `last n`: how often the current value is among the last n. A current value that is unknown
    repeats nothing for certain: the lower bound is 0.
    """
    n = window_of(node, compilation)
    series = compilation.series(node.args[0])  # type: ignore[arg-type]
    if len(node.args) > 1 and node.args[1] is not None:
        return lambda records: occurrences(series(records, n))

    def bounds(records: Records) -> tuple[int, int]:
        least = most = 0
        sure = True
        same: object = None
        for value in reversed(series(records, n)):
            if value.__class__ is Unknown:
                sure = False
            elif same is None:
                same = value
            elif value != same:
                break
            least += sure
            most += 1
        return least, most

    return bounds


def distinct(node: Node, compilation: Compilation) -> Bounds:
    """Return the bounds of `distinct(x, last n)`: how many different values there are."""
    n = window_of(node, compilation)
    series = compilation.series(node.args[0])  # type: ignore[arg-type]

    def bounds(records: Records) -> tuple[int, int]:
        values = series(records, n)
        known, _unknown = split(values)
        different = len(set(known))
        return max(1, different), different + len(values) - len(known)

    return bounds


def occurring(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `occurrences(x, last n)`: records whose value is the current one.

    Of a list: the records that hold an item of the current one, for the item that most of them hold.
    """
    n = window_of(node, compilation)
    value = node.args[0]
    series = compilation.series(value)  # type: ignore[arg-type]
    if value.type.kind != "list":  # type: ignore[union-attr]
        return lambda records: occurrences(series(records, n))

    def bounds(records: Records) -> tuple[int, int]:
        values = series(records, n)
        known, _unknown = split(values)
        current = values[-1]
        sure = current.__class__ is not Unknown
        items = current if sure else [item for value in known for item in value]  # type: ignore[attr-defined]
        found = dict.fromkeys(items, 0)  # type: ignore[call-overload]
        for value in known:
            for item in found.keys() & set(value):  # type: ignore[call-overload]
                found[item] += 1
        most = max(found.values(), default=0)
        unsure = len(values) - len(known)
        return (most, most + unsure if found else 0) if sure else (0, most + unsure)

    return bounds


def cycling(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `cycles(x, last n)`: repetitions in a row of the shortest sequence that ends here.

    A sequence holds at least two different values, or one value in a row would be a cycle of any
    length. A sequence with unknown values may have come again, and may not.
    """
    n = window_of(node, compilation)
    series = compilation.series(node.args[0])  # type: ignore[arg-type]
    shortest, longest = PERIODS

    def bounds(records: Records) -> tuple[int, int]:
        back = series(records, n)[::-1]
        most, shorter = 1, False
        for period in range(shortest, min(longest, len(back) // 2) + 1):
            possible = _rounds(back, period, True)
            if possible < 2:
                continue
            most = max(most, possible)
            sure = _rounds(back, period, False)
            if sure > 1:
                return 2 if shorter else sure, most
            shorter = True
        return 1, most

    return bounds


def _rounds(back: list[object], period: int, open_: bool) -> int:
    """Return how often a sequence of that length ends a series at most (`open_`), or for certain."""
    sequence, times, best = back[:period], 1, 1
    for start in range(period, len(back) - period + 1, period):
        for place, value in enumerate(back[start : start + period]):
            if value.__class__ is Unknown or sequence[place].__class__ is Unknown:
                if not open_:
                    return best
                if sequence[place].__class__ is Unknown:
                    sequence[place] = value
            elif value != sequence[place]:
                return best
        times += 1
        if any(value.__class__ is Unknown or value != sequence[0] for value in sequence):
            best = times
    return best


BOUNDS: dict[str, Callable[[Node, Compilation], Bounds]] = {
    "streak": streak,
    "count": count,
    "repeated": repeated,
    "distinct": distinct,
    "occurrences": occurring,
    "cycles": cycling,
}


def counted(node: Node, compilation: Compilation) -> Closure:
    """Return the closure of a counting form by itself: known where its bounds meet."""
    bounds = BOUNDS[node.op](node, compilation)
    op = node.op

    def number(records: Records) -> object:
        least, most = bounds(records)
        if least == most:
            return least
        return Unknown(f"between {least} and {most}, because an iteration is unknown", op)

    return number


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = dict.fromkeys(BOUNDS, counted)
