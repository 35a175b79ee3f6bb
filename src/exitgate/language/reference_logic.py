"""
Three-valued logic of the reference evaluator.

Truth is ordered false < unknown < true, as Kleene did: `and` is the smallest of its parts, `or` the
largest. Written apart from `exitgate.language.kleene` on purpose.
"""

from __future__ import annotations

import functools
import operator
import sys
from fractions import Fraction

from exitgate.language.patterns import searcher
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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
    """Return a fraction as it is recorded, as an int where it is whole, else as the nearest float."""
    if not isinstance(value, Fraction):
        return value
    return value.numerator if value.denominator == 1 else float(value)


def _number(function: Callable[..., Fraction]) -> Callable[..., object]:
    """
    Return the function, strict and of exact numbers; a result out of range is unknown.

    The result is an int where it is whole, else a `Fraction`.
    """

    def calculated(*arguments: object) -> object:
        try:
            result = function(*map(fraction, arguments))
        except (ArithmeticError, ValueError) as error:
            return Unknown(f"not a number: {error}", "reference")
        wide = max(result.numerator.bit_length(), result.denominator.bit_length())
        if wide > BITS or abs(result) > Fraction(sys.float_info.max):
            return Unknown("not within the range of numbers", "reference")
        return whole(result)

    return strict(calculated)


def _relation(relation: Callable[[Any, Any], bool]) -> Callable[..., object]:
    """Return a comparison: a fraction beside a float is the nearest float."""

    def compared(left: object, right: object) -> bool:
        if float in (type(left), type(right)):
            left, right = plain(left), plain(right)
        return relation(left, right)

    return strict(compared)


add = _number(operator.add)
subtract = _number(operator.sub)
multiply = _number(operator.mul)
divide = _number(operator.truediv)
minus = strict(operator.neg)
greater = _relation(operator.gt)
at_least = _relation(operator.ge)
less = _relation(operator.lt)
at_most = _relation(operator.le)
same = _relation(operator.eq)
different = _relation(operator.ne)


def _extreme(better: Callable[..., object]) -> Callable[..., object]:
    """Return a function of the smallest or largest argument, of equals the first."""
    return strict(lambda *many: functools.reduce(lambda a, b: b if better(b, a) is True else a, many))


_SIGNS = {"<": less, "<=": at_most, ">": greater, ">=": at_least, "==": same, "!=": different}


def possibly(sign: str, left: object, right: object) -> object:
    """
    Compare where a side may be a pair (least, most): definite when every choice gives the same.

    Orders are settled by the extremes; equality also needs all numbers in between.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return strict(same)(left, right)
    lefts, rights = (side if isinstance(side, tuple) else (side, side) for side in (left, right))
    outcomes = {_ends(sign, a, b) for a in lefts for b in rights}
    if sign in ("==", "!=") and _ends("<=", lefts[0], rights[1]) and _ends("<=", rights[0], lefts[1]):
        outcomes.add(sign == "==")
    return outcomes.pop() if len(outcomes) == 1 else Unknown("either is possible", "reference")


#: Ends of a pair that has none on that side.
BELOW, ABOVE = "below all numbers", "above all numbers"


def _ends(sign: str, one: object, other: object) -> object:
    """Compare two ends; one without end is beyond every number, also beyond an infinite one."""
    places = [-1 if end is BELOW else 1 if end is ABOVE else 0 for end in (one, other)]
    return _SIGNS[sign](*places) if any(places) else _SIGNS[sign](one, other)


def settled(pair: tuple[object, object] | Unknown) -> object:
    """Return the number of a pair (least, most), unknown while they differ, or if there is no pair."""
    if isinstance(pair, Unknown):
        return pair
    least, most = pair
    open_ = BELOW in pair or ABOVE in pair or same(least, most) is not True
    return Unknown("a number is open", "reference") if open_ else least


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
    if isinstance(value, tuple) or isinstance(low, tuple) or isinstance(high, tuple):
        return all_true(possibly("<=", low, value), possibly("<=", value, high))
    return all_true(at_least(value, low), at_most(value, high))


def belongs(value: object, items: object) -> object:
    """Return whether a value is one of a list."""
    return strict(lambda one, many: any(same(one, item) is True for item in many))(value, items)


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
    "possibly": possibly,
    "exact_": lambda value: whole(fraction(value)),
    "call_min": _extreme(less),
    "call_max": _extreme(greater),
    "call_abs": strict(abs),
    "call_round": strict(_round),
    "call_length": strict(len),
    "call_lower": strict(lambda text: text.lower()),
}
