"""
Closures of the counting history forms: `streak`, `count`, `repeats(x)`, `distinct`.

A record whose condition is unknown leaves a count open between two bounds. Where the bounds meet
the count is known; a comparison is definite where both bounds give the same answer; else it is
unknown.
"""

from __future__ import annotations

from exitgate.language.functions import CAP
from exitgate.language.history import occurrences, split
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.language.closures import Bounds, Closure, Compilation, Records
    from exitgate.language.tree import Node


def window_of(node: Node, compilation: Compilation) -> int:
    """Return how many records a history function reads: its `last n`, or the cap."""
    window = node.args[-1] if len(node.args) > 1 else None
    return CAP if window is None else compilation.steps(window)  # type: ignore[arg-type]


def streak(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `streak(P) skipping (Q)`.

    From the current record backwards: one where Q is definitely true is passed over; one where P is
    true counts; one where P is unknown counts in the upper bound and ends the lower one.
    """
    condition, skipping = node.args[0], node.args[1]
    n = window_of(node, compilation)
    series = compilation.series(condition)  # type: ignore[arg-type]
    skips = compilation.series(skipping) if skipping is not None else None  # type: ignore[arg-type]

    def bounds(records: Records) -> tuple[int, int]:
        values = series(records, n)
        if skips is not None:
            passed = skips(records, n)
            values = [value for value, skip in zip(values, passed, strict=True) if skip is not True]
        least = most = 0
        sure = True
        for value in reversed(values):
            if value is False:
                break
            sure = sure and value is True
            least += sure
            most += 1
        return least, most

    return bounds


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


BOUNDS: dict[str, Callable[[Node, Compilation], Bounds]] = {
    "streak": streak,
    "count": count,
    "repeated": repeated,
    "distinct": distinct,
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
