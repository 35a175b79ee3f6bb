"""
Closures of the counting history forms: `streak`, `count`, `repeats(x)`, `distinct`, `occurrences`, `cycles`.

A record whose condition is unknown leaves a count open between two bounds. Where the bounds meet
the count is known; a comparison is definite where both bounds give the same answer; else it is
unknown.
"""

from __future__ import annotations

from exitgate.core.language.evaluation.history import occurrences, split
from exitgate.core.language.evaluation.history_windows import MORE, OPEN_END, seen
from exitgate.core.language.functions import CAP, PERIODS
from exitgate.core.model.value import Unknown

_INFINITY = float("inf")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from exitgate.core.language.evaluation.closures import Bounds, Closure, Compilation, Records
    from exitgate.core.language.evaluation.history_windows import Counting
    from exitgate.core.language.tree import Node


def streak(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `streak(P) skipping (Q)`.

    From the current record backwards: one where Q is true is passed over; of the others, one where P
    is true counts and one where P is false ends the row. What is unknown is taken as false for the
    lower bound and as true for the upper one; an unknown Q as the value that makes the bound wider. A
    record that may or may not be in the window is like one with an unknown Q.
    """
    conditions = (node.child(0), node.optional(1))
    parts = [compilation.series(part) for part in conditions if part is not None]
    take = seen(node.optional(2), CAP, compilation, *parts)

    def bounds(records: Records) -> tuple[int, int]:
        found = take(records)
        values = found.series[0]
        passed = found.series[1] if len(parts) > 1 else [False] * len(values)
        if not all(found.sure):
            passed = [p if sure or p is True else MORE for p, sure in zip(passed, found.sure, strict=True)]
        rows = list(zip(reversed(values), reversed(passed), strict=True))
        least, most = _row(rows, False), _row(rows, True)
        if found.more and not any(value is False and skip is False for value, skip in rows):
            most += OPEN_END
        return least, most

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


def _over(counting: Counting) -> Callable[[Node, Compilation], Bounds]:
    """Return the bounds of a form whose count further records never make smaller."""

    def compiled(node: Node, compilation: Compilation) -> Bounds:
        take = seen(node.optional(1), CAP, compilation, compilation.series(node.child(0)))
        return lambda records: take(records).bounds(counting)

    return compiled


def held(values: list[object]) -> tuple[int, int]:
    """Return of how many records a condition is true, at least and at most."""
    least = sum(value is True for value in values)
    return least, least + sum(value.__class__ is Unknown for value in values)


def repeated(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `repeats(x)`: how many of the latest values in a row equal the current one.

    With `last n`: how often the current value is among the last n. A current value that is unknown
    repeats nothing for certain: the lower bound is 0.
    """
    if node.args[1] is not None:
        return _over(occurrences)(node, compilation)
    series = compilation.series(node.child(0))

    def bounds(records: Records) -> tuple[int, int]:
        least = most = 0
        sure = True
        same: object = None
        for value in reversed(series(records, CAP)):
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


def different(values: list[object]) -> tuple[int, int]:
    """Return how many different values there are."""
    known, _unknown = split(values)
    number = len(set(known))
    return max(1, number), number + len(values) - len(known)


def occurring(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `occurrences(x, last n)`: records whose value is the current one.

    Of a list: the records that hold an item of the current one, for the item that most of them hold.
    """
    type_ = node.child(0).type
    is_list = type_ is not None and type_.kind == "list"
    return _over(_shared if is_list else occurrences)(node, compilation)


def _shared(values: list[object]) -> tuple[int, int]:
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


def cycling(node: Node, compilation: Compilation) -> Bounds:
    """
    Return the bounds of `cycles(x, last n)`: repetitions in a row of the shortest sequence that ends here.

    A sequence holds at least two different values, or one value in a row would be a cycle of any
    length. A sequence with unknown values may have come again, and may not. Where it is not certain which
    records there are, older ones can only add to what the newest certain ones repeat.
    """
    take = seen(node.optional(1), CAP, compilation, compilation.series(node.child(0)))

    def bounds(records: Records) -> tuple[int, int]:
        found = take(records)
        (values,) = found.series
        if found.doubt() is None:
            return _cycles(values)
        certain = next((n for n, sure in enumerate(reversed(found.sure)) if not sure), len(values))
        return _cycles(values[-certain:])[0], max(1, len(values) // PERIODS[0]) + OPEN_END * found.more

    return bounds


def _cycles(values: list[object]) -> tuple[int, int]:
    back = values[::-1]
    shortest, longest = PERIODS
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
    "count": _over(held),
    "repeated": repeated,
    "distinct": _over(different),
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
        if most < OPEN_END:
            return Unknown(f"between {least} and {most}, because an iteration is unknown", op, least, most)
        return Unknown(f"at least {least}, because an iteration is unknown", op, least, _INFINITY)

    return number


FORMS: dict[str, Callable[[Node, Compilation], Closure]] = dict.fromkeys(BOUNDS, counted)
