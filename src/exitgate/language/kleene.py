"""
Values that may be unknown: strong Kleene logic and comparison.

Every function here is total. An unknown operand makes a comparison unknown, and it is that operand
which comes back, so its reason and origin survive; of two unknowns it is the first.
"""

from __future__ import annotations

import _operator as operator  # `operator` itself makes classes that are not needed here

from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from exitgate.model.type import Type

#: Groups of facts that say nothing about what the agent said or did: `nothing is known` and
#: "blind" pass over them.
UNREAD_GROUPS = ("circuit.", "clock.", "day.", "limits.", "run.")

COMPARISONS: dict[str, Callable[[object, object], object]] = {
    ">=": operator.ge,  # type: ignore[dict-item]
    "<=": operator.le,  # type: ignore[dict-item]
    ">": operator.gt,  # type: ignore[dict-item]
    "<": operator.lt,  # type: ignore[dict-item]
    "==": operator.eq,
    "!=": operator.ne,
}

#: Python classes a recorded value of each kind may have.
CLASSES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "count": (int,),
    "number": (int, float),
    "percent": (int, float),
    "duration": (int, float),
    "money": (int, float),
    "text": (str,),
    "enum": (str,),
    "signature": (str,),
    "list": (tuple, list),
}


def not_recorded(name: str) -> Unknown:
    """Return the unknown of a fact that a record does not hold."""
    return Unknown("not recorded", name)


def mistyped(name: str, value: object, type: Type) -> Unknown:
    """Return the unknown of a fact whose recorded value does not match its type."""
    return Unknown(f"recorded as {value.__class__.__name__}, not as {type.kind}", name)


def holds_members(type: Type | None) -> bool:
    """Return whether values of the type are members of an enum, alone or in a list."""
    inner = type.item if type is not None and type.kind == "list" else type
    return inner is not None and inner.kind == "enum"


def fold(value: object) -> object:
    """Return a member, or a list of members, in upper case: enums are blind to case."""
    if isinstance(value, str):
        return value.upper()
    if isinstance(value, tuple | list):
        return tuple(fold(item) for item in value)
    return value


def negation(value: object) -> object:
    """Return `not value`: an unknown stays as it is."""
    if value is True:
        return False
    if value is False:
        return True
    return value


def conjunction(values: Iterable[object]) -> object:
    """Return False if any value is false, else the first unknown, else True."""
    unknown: object = None
    for value in values:
        if value is False:
            return False
        if value is not True and unknown is None:
            unknown = value
    return True if unknown is None else unknown


def disjunction(values: Iterable[object]) -> object:
    """Return True if any value is true, else the first unknown, else False."""
    unknown: object = None
    for value in values:
        if value is True:
            return True
        if value is not False and unknown is None:
            unknown = value
    return False if unknown is None else unknown


def within(value: object, low: object, high: object) -> object:
    """Return whether `low <= value <= high`, both ends included; unknown operands as in `and`."""
    return conjunction((_compare(">=", value, low), _compare("<=", value, high)))


def _compare(sign: str, left: object, right: object) -> object:
    if left.__class__ is Unknown:
        return left
    if right.__class__ is Unknown:
        return right
    return COMPARISONS[sign](left, right)


def between_bounds(sign: str, left: tuple[Any, Any], right: tuple[Any, Any]) -> bool | None:
    """
    Compare two numbers of which only bounds are known, None for one that is open.

    Returns True or False where every pair of numbers within the bounds gives it, else None.
    """
    low, high = left
    least, most = right
    if low is None or high is None or least is None or most is None:
        return _between_open(sign, left, right)
    if sign in ("<", "<="):
        return between_bounds({"<": ">", "<=": ">="}[sign], right, left)
    if sign == ">=":
        return True if low >= most else False if high < least else None
    if sign == ">":
        return True if low > most else False if high <= least else None
    equal = True if low == high == least == most else False if high < least or low > most else None
    return equal if sign == "==" or equal is None else not equal


def _between_open(sign: str, left: tuple[Any, Any], right: tuple[Any, Any]) -> bool | None:
    """Return `between_bounds` where one of the bounds is open."""
    low, high = left
    least, most = right
    above = low is not None and most is not None and low > most
    below = high is not None and least is not None and high < least
    if sign in ("==", "!="):
        return sign == "!=" if above or below else None
    if sign in ("<", ">="):
        above = above or (low is not None and most is not None and low == most)
        return (sign == ">=") if above else (sign == "<") if below else None
    below = below or (high is not None and least is not None and high == least)
    return (sign == ">") if above else (sign == "<=") if below else None
