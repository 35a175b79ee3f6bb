"""
Arithmetic with numbers that are only known to lie between two bounds.

The bounds of a result are those of the results at the ends of its operands: each operation rises or falls
with each operand all the way (interval arithmetic, IEEE 1788). An end may be infinite; where an operation has
no bound there, nothing is known of the result.
"""

from __future__ import annotations

from itertools import product

from exitgate.model.exact import calculate, nearest_whole
from exitgate.model.value import Unknown, bounds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Ends = tuple[Any, Any]

_INFINITY = float("inf")
_INFINITE = (_INFINITY, -_INFINITY)


def bounds_text(unknown: Unknown, form: Callable[[object], str]) -> str:
    """Return bounds for people: ``at least 10, at most 45``; an end that is open is left out."""
    words = [("at least", unknown.least), ("at most", unknown.most)]
    return ", ".join(f"{word} {form(end)}" for word, end in words if end not in _INFINITE)


def calculated(operation: str, left: object, right: object) -> object:
    """Return `calculate(operation, left, right)` of numbers that may be unknown."""
    if left.__class__ is Unknown or right.__class__ is Unknown:
        return unsure(operation, left, right)
    return calculate(operation, left, right)


def unsure(operation: str, *operands: object) -> object:
    """
    Return what an operation gives where at least one operand is unknown.

    Args:
        operation: add, sub, mul, div, neg, or a function of the language.
        operands: Its operands.

    Returns:
        The number where the bounds meet; else the first unknown operand, with the bounds of the result where
        there are any.
    """
    first = next(one for one in operands if isinstance(one, Unknown))
    ends = [bounds_of(one) for one in operands]
    rule = _RULES.get(operation)
    if rule is None or None in ends:
        return first.bare()
    found = rule(*ends)
    if found is None:
        return first.bare()
    least, most = found
    return least if least == most else Unknown(first.reason, first.origin, least, most)


def _corners(operation: str, left: Ends, right: Ends) -> Ends | None:
    found: list[Any] = []
    for a, b in product(left, right):
        value = _at_end(operation, a, b)
        if value is None:
            return None
        found.append(value)
    return min(found), max(found)


def _at_end(operation: str, a: Any, b: Any) -> Any:
    """Return the result of two ends; None where it has no bound there."""
    if a not in _INFINITE and b not in _INFINITE:
        value = calculate(operation, a, b)
        return None if value.__class__ is Unknown else value
    if operation == "mul":
        return 0 if a == 0 or b == 0 else _INFINITY if (a > 0) is (b > 0) else -_INFINITY
    if b in _INFINITE:
        return None
    return a if b > 0 else -a  # an infinite number divided


def _sum(left: Ends, right: Ends) -> Ends | None:
    return _joined(_added(left[0], right[0], -_INFINITY), _added(left[1], right[1], _INFINITY))


def _difference(left: Ends, right: Ends) -> Ends | None:
    return _sum(left, _negative(right))


def _added(a: Any, b: Any, open_: float) -> Any:
    if a in _INFINITE or b in _INFINITE:
        return open_
    value = calculate("add", a, b)
    return None if value.__class__ is Unknown else value


def _joined(least: Any, most: Any) -> Ends | None:
    return None if least is None or most is None else (least, most)


def _product(left: Ends, right: Ends) -> Ends | None:
    return _corners("mul", left, right)


def _quotient(left: Ends, right: Ends) -> Ends | None:
    return None if right[0] <= 0 <= right[1] else _corners("div", left, right)


def _negative(ends: Ends) -> Ends:
    return -ends[1], -ends[0]


def _smallest(*many: Ends) -> Ends:
    return min(least for least, _ in many), min(most for _, most in many)


def _largest(*many: Ends) -> Ends:
    return max(least for least, _ in many), max(most for _, most in many)


def _size(ends: Ends) -> Ends:
    least, most = ends
    sizes = abs(least), abs(most)
    return (0 if least <= 0 <= most else min(sizes)), max(sizes)


def _rounded(ends: Ends) -> Ends:
    least, most = (end if end in _INFINITE else nearest_whole(end) for end in ends)
    return least, most


_RULES: dict[str, Any] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": _quotient,
    "neg": _negative,
    "min": _smallest,
    "max": _largest,
    "abs": _size,
    "round": _rounded,
}
