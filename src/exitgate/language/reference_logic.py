"""
Three-valued logic of the reference evaluator.

Truth is ordered false < unknown < true, as Kleene did: `and` is the smallest of its parts, `or` the
largest. Written apart from `exitgate.language.kleene` on purpose.
"""

from __future__ import annotations

import math
import operator
from decimal import ROUND_HALF_UP, Decimal

from exitgate.language.patterns import searcher
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


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


def _number(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function, strict, with an unknown in place of what is not a finite number."""

    def calculated(*arguments: object) -> object:
        try:
            result = function(*arguments)
        except (ArithmeticError, ValueError) as error:
            return Unknown(f"not a number: {error}", "reference")
        if isinstance(result, float) and not math.isfinite(result):
            return Unknown("not a finite number", "reference")
        return result

    return strict(calculated)


add = _number(operator.add)
subtract = _number(operator.sub)
multiply = _number(operator.mul)
divide = _number(operator.truediv)
minus = strict(operator.neg)
greater = strict(operator.gt)
at_least = strict(operator.ge)
less = strict(operator.lt)
at_most = strict(operator.le)
same = strict(operator.eq)
different = strict(operator.ne)

_SIGNS = {"<": less, "<=": at_most, ">": greater, ">=": at_least, "==": same, "!=": different}


def possibly(sign: str, left: object, right: object) -> object:
    """
    Compare where a side may be a pair (least, most): definite when every choice gives the same.

    Orders are settled by the extremes; equality also needs all numbers in between.
    """
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return strict(same)(left, right)
    lefts, rights = (side if isinstance(side, tuple) else (side, side) for side in (left, right))
    outcomes = {_SIGNS[sign](a, b) for a in lefts for b in rights}
    if sign in ("==", "!=") and lefts[0] <= rights[1] and rights[0] <= lefts[1]:
        outcomes.add(sign == "==")
    return outcomes.pop() if len(outcomes) == 1 else Unknown("either is possible", "reference")


def settled(pair: tuple[int, int]) -> object:
    """Return the number of a pair (least, most), unknown while they differ."""
    least, most = pair
    return least if least == most else Unknown("a count is open", "reference")


def between(value: object, low: object, high: object) -> object:
    """Return whether `low <= value <= high`."""
    if isinstance(value, tuple) or isinstance(low, tuple) or isinstance(high, tuple):
        return all_true(possibly("<=", low, value), possibly("<=", value, high))
    return all_true(at_least(value, low), at_most(value, high))


def belongs(value: object, items: object) -> object:
    """Return whether a value is one of a list."""
    return strict(lambda one, many: any(one == item for item in many))(value, items)


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
    return strict(lambda *known: known)(*values)


def _round(value: float) -> int:
    return int(Decimal(value).to_integral_value(rounding=ROUND_HALF_UP))


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
    "settled": settled,
    "possibly": possibly,
    "call_min": strict(min),
    "call_max": strict(max),
    "call_abs": strict(abs),
    "call_round": _number(_round),
    "call_length": strict(len),
    "call_lower": strict(lambda text: text.lower()),
}
