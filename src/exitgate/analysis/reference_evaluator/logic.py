"""
Three-valued logic of the reference evaluator.

Truth is ordered false < unknown < true, as Kleene did: `and` is the smallest of its parts, `or` the
largest. Written apart from `exitgate.core.language.evaluation.kleene` on purpose.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
import sys
from fractions import Fraction

from exitgate.core.language.evaluation.kleene import searcher
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


#: Bits of numerator and denominator; a result that needs more is unknown, as `model.exact` says.
BITS = 4096


def _rank(value: object) -> int:
    return 1 if isinstance(value, Unknown) else 2 if value else 0


def all_true(*values: object) -> object:
    """Return the conjunction."""
    return min(values, key=_rank)


def any_true(*values: object) -> object:
    """Return the disjunction."""
    return max(values, key=_rank)


def opposite(value: object) -> object:
    """Return the negation."""
    return value if isinstance(value, Unknown) else not value


def strict(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function with the first unknown argument as its result where there is one."""

    def lifted(*arguments: object) -> object:
        lost = [argument for argument in arguments if isinstance(argument, Unknown)]
        return lost[0] if lost else function(*arguments)

    return lifted


def fraction(value: object) -> Fraction:
    """Return the exact number that a number stands for: of a float the decimal that Python writes."""
    assert isinstance(value, int | float | Fraction), value
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def whole(value: Fraction) -> object:
    """Return a fraction, as an int where it is one."""
    return value.numerator if value.denominator == 1 else value


def plain(value: object) -> object:
    """Return a fraction as it is recorded: an int where it is whole, else the nearest float; bounds, too."""
    if isinstance(value, Unknown) and value.least is not None:
        return Unknown(value.reason, value.origin, plain(value.least), plain(value.most))
    if not isinstance(value, Fraction):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def _number(function: Callable[..., Fraction], bounded: bool = True) -> Callable[..., object]:
    """
    Return the function of exact numbers; a result out of range is unknown.

    The result is an int where it is whole, else a `Fraction`. Of unknown operands with bounds it is unknown,
    within the results at their ends; `bounded` says of two operands whether the second may be anything.
    """

    def calculated(*arguments: object) -> object:
        lost = [argument for argument in arguments if isinstance(argument, Unknown)]
        if lost:
            divisor = arguments[-1] if not bounded else 1
            return _spread(function, arguments, lost[0], divisor)
        try:
            return _in_range(function(*map(fraction, arguments)))
        except (ArithmeticError, ValueError) as error:
            return Unknown(f"not a number: {error}", "reference")

    return calculated


def _in_range(result: Fraction) -> object:
    wide = max(result.numerator.bit_length(), result.denominator.bit_length())
    if wide > BITS or abs(result) > Fraction(sys.float_info.max):
        return Unknown("not within the range of numbers", "reference")
    return whole(result)


#: Stands for an infinite end, and from where on a result counts as infinite.
_BEYOND, _FAR = Fraction(10**3000), Fraction(10**1500)


def _ends(value: object) -> tuple[Any, Any] | None:
    """Return the least and most of a value, known or not; None where there are no bounds."""
    if not isinstance(value, Unknown):
        return value, value
    return None if value.least is None else (value.least, value.most)


def _large(end: object) -> Fraction:
    if end in (math.inf, -math.inf):
        return _BEYOND if end == math.inf else -_BEYOND
    return fraction(end)


def _spread(
    function: Callable[..., Fraction], arguments: tuple[object, ...], lost: Unknown, divisor: object
) -> object:
    """Return an unknown between the results that a function gives at the ends of its arguments."""
    open_ = Unknown(lost.reason, lost.origin)
    ends = [_ends(argument) for argument in arguments]
    limits = _ends(divisor)
    if None in ends or limits is None or limits[0] <= 0 <= limits[1] or {-math.inf, math.inf} & {*limits}:
        return open_
    found: list[Any] = []
    for corner in itertools.product(*ends):  # type: ignore[arg-type]
        result = function(*map(_large, corner))
        if abs(result) > _FAR:
            found.append(math.inf if result > 0 else -math.inf)
            continue
        value = _in_range(result)
        if isinstance(value, Unknown):
            return open_
        found.append(value)
    return _within(lost, min(found), max(found))


def _within(lost: Unknown, least: object, most: object) -> object:
    return least if least == most else Unknown(lost.reason, lost.origin, least, most)


def _relation(relation: Callable[[Any, Any], bool], equality: bool | None = None) -> Callable[..., object]:
    """
    Return a comparison: a fraction beside a float is the nearest float.

    With bounds it is definite where every choice gives the same. The ends settle an order; `equality` is
    what a comparison for equality gives where the two can meet.
    """

    def once(left: object, right: object) -> bool:
        if float in (type(left), type(right)):
            left, right = plain(left), plain(right)
        return relation(left, right)

    def compared(left: object, right: object) -> object:
        lost = [side for side in (left, right) if isinstance(side, Unknown)]
        if not lost:
            return once(left, right)
        lefts, rights = _ends(left), _ends(right)
        open_ = Unknown(lost[0].reason, lost[0].origin)
        if lefts is None or rights is None:
            return open_
        outcomes = {once(a, b) for a in lefts for b in rights}
        if equality is not None and at_most(lefts[0], rights[1]) and at_most(rights[0], lefts[1]):
            outcomes.add(equality)
        return outcomes.pop() if len(outcomes) == 1 else open_

    return compared


add = _number(operator.add)
subtract = _number(operator.sub)
multiply = _number(operator.mul)
divide = _number(operator.truediv, bounded=False)
greater = _relation(operator.gt)
at_least = _relation(operator.ge)
less = _relation(operator.lt)
at_most = _relation(operator.le)
same = _relation(operator.eq, True)
different = _relation(operator.ne, False)


def minus(value: object) -> object:
    """Return a number with the other sign."""
    ends = _ends(value)
    if not isinstance(value, Unknown) or ends is None:
        return value if isinstance(value, Unknown) else -value  # type: ignore[operator]
    return _within(value, -ends[1], -ends[0])


def _extreme(better: Callable[..., object]) -> Callable[..., object]:
    """Return a function of the smallest or largest argument, of equals the first."""

    def best(many: Sequence[object]) -> object:
        return functools.reduce(lambda a, b: b if better(b, a) is True else a, many)

    def chosen(*many: object) -> object:
        lost = [one for one in many if isinstance(one, Unknown)]
        ends = [_ends(one) for one in many]
        if not lost:
            return best(many)
        if None in ends:
            return Unknown(lost[0].reason, lost[0].origin)
        leasts, mosts = zip(*ends, strict=True)
        return _within(lost[0], best(leasts), best(mosts))

    return chosen


def _size(value: object) -> object:
    ends = _ends(value)
    if not isinstance(value, Unknown):
        return abs(value)  # type: ignore[arg-type]
    if ends is None:
        return value
    sizes = sorted(map(abs, ends))
    return _within(value, 0 if ends[0] <= 0 <= ends[1] else sizes[0], sizes[1])


#: Ends of a pair that has none on that side.
BELOW, ABOVE = -math.inf, math.inf


def settled(pair: tuple[Any, Any] | Unknown) -> object:
    """Return the number of a pair (least, most), unknown between the two, or if there is no pair."""
    if isinstance(pair, Unknown):
        return pair
    least, most = pair
    if (least, most) == (BELOW, ABOVE):
        return Unknown("a number is open", "reference")
    bounded = least != BELOW and most != ABOVE
    if bounded and same(least, most) is True:
        return least
    return Unknown("a number is open", "reference", least, most)


def in_range(pair: tuple[object, object]) -> object:
    """Return the number of a pair as `settled`, unknown where it is larger than the largest float."""
    value = settled(pair)
    if isinstance(value, Unknown) or abs(fraction(value)) <= Fraction(sys.float_info.max):
        return value
    return Unknown("not within the range of numbers", "reference")


def so_many(known: bool, *truths: object) -> object:
    """Return how many of some truths hold, as a pair (least, most); unknown where the list is."""
    if not known:
        return truths[0]
    sure = [truth for truth in truths if truth is True]
    return len(sure), len([truth for truth in truths if truth is not False])


def between(value: object, low: object, high: object) -> object:
    """Return whether `low <= value <= high`."""
    return all_true(at_least(value, low), at_most(value, high))


def belongs(value: object, items: object) -> object:
    """Return whether a value is one of a list."""
    return items if isinstance(items, Unknown) else any_true(*(same(value, one) for one in items), False)  # type: ignore[attr-defined]


def holds(whole: object, part: object) -> object:
    """Return whether a text or list contains a part."""
    return strict(lambda a, b: b in a)(whole, part)


def upper(value: object) -> object:
    """Return texts in upper case, alone or in a list; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(upper(item) for item in value)
    return value.upper() if isinstance(value, str) else value


def items(*values: object) -> object:
    """Return a list; unknown where an item is."""
    return strict(lambda *known: tuple(map(plain, known)))(*values)


def _round(value: object) -> object:
    if isinstance(value, Unknown):
        ends = _ends(value)
        if ends is None:
            return value
        least, most = (end if end in (math.inf, -math.inf) else _round(end) for end in ends)
        return _within(value, least, most)
    try:
        exact = fraction(value)
    except ValueError as error:
        return Unknown(f"not a number: {error}", "reference")
    size, rest = divmod(abs(exact), 1)
    size += rest * 2 >= 1
    return size if exact > 0 else -size


FUNCTIONS: dict[str, Callable[..., object]] = {
    "and_": all_true,
    "or_": any_true,
    "known_": lambda value: not isinstance(value, Unknown),
    "unknown_": lambda value: isinstance(value, Unknown),
    "in_": belongs,
    "any_of_": lambda value, *many: any_true(*(same(value, item) for item in many)),
    "between_": between,
    "contains_": holds,
    "or_else_": lambda first, second: second if isinstance(first, Unknown) else first,
    "list_": items,
    "matches_": strict(lambda text, pattern: searcher(pattern)(text)),
    "upper": upper,
    "any_item": lambda known, *truths: any_true(False, *truths) if known else truths[0],
    "all_item": lambda known, *truths: all_true(True, *truths) if known else truths[0],
    "so_many_items": so_many,
    "settled": settled,
    "in_range": in_range,
    "exact_": lambda value: whole(fraction(value)),
    "call_min": _extreme(less),
    "call_max": _extreme(greater),
    "call_abs": _size,
    "call_round": _round,
    "call_length": strict(len),
    "call_lower": strict(lambda text: text.lower()),
}
