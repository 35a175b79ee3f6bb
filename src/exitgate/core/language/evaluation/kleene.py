"""
Values that may be unknown: strong Kleene logic and comparison.

Every function here is total. An unknown operand makes a comparison unknown, and it is that operand
which comes back, so its reason and origin survive; of two unknowns it is the first.
"""

from __future__ import annotations

import _operator as operator  # `operator` itself makes classes that are not needed here

from exitgate.core.model.value import Unknown, bounds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from exitgate.core.model.value import Type


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
    return conjunction((compare(">=", value, low), compare("<=", value, high)))


def compare(sign: str, left: object, right: object) -> object:
    """Return `left sign right`, also where a side is unknown."""
    if left.__class__ is Unknown or right.__class__ is Unknown:
        return compared(sign, left, right)
    return COMPARISONS[sign](left, right)


def compared(sign: str, left: object, right: object) -> object:
    """
    Compare two values of which at least one is unknown.

    Definite where every number within the bounds that are known gives the same; else the first unknown,
    which has no bounds as a truth.
    """
    a, b = bounds_of(left), bounds_of(right)
    truth = None if a is None or b is None else between_bounds(sign, a, b)
    if truth is not None:
        return truth
    return left.bare() if isinstance(left, Unknown) else right.bare()  # type: ignore[attr-defined]


def between_bounds(sign: str, left: tuple[Any, Any], right: tuple[Any, Any]) -> bool | None:
    """
    Compare two numbers of which only bounds are known, infinite ones where an end is open.

    Returns True or False where every pair of numbers within the bounds gives it, else None.
    """
    low, high = left
    least, most = right
    if sign in ("<", "<="):
        return between_bounds({"<": ">", "<=": ">="}[sign], right, left)
    if sign == ">=":
        return True if low >= most else False if high < least else None
    if sign == ">":
        return True if low > most else False if high <= least else None
    equal = True if low == high == least == most else False if high < least or low > most else None
    return equal if sign == "==" or equal is None else not equal


# Patterns on RE2: linear in the text, no matter what the pattern.

_CACHE_LIMIT = 512
_compiled: dict[str, Callable[[str], bool]] = {}


def searcher(pattern: str) -> Callable[[str], bool]:
    """
    Return a test whether `pattern` is found anywhere in a text; compiled once per process.

    A text with lone surrogates, which UTF-8 cannot hold, is searched with U+FFFD in their place.

    Raises:
        ValueError: RE2 refuses the pattern.
    """
    found = _compiled.get(pattern)
    if found is None:
        if len(_compiled) >= _CACHE_LIMIT:
            _compiled.clear()
        found = _compiled[pattern] = _compile(pattern)
    return found


def _compile(pattern: str) -> Callable[[str], bool]:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        search = re2.compile(pattern, options=options).search
    except re2.error as error:
        raise ValueError(str(error)) from error

    def found(text: str) -> bool:
        try:
            return search(text) is not None
        except UnicodeEncodeError:
            clean = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            return search(clean) is not None

    return found
