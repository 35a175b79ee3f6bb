"""
Calculation without rounding: numbers as the decimals they are written as.

A float stands for the shortest decimal that reads as it, the one Python writes: 0.1 is a tenth. A result
is an int where it is whole, else a `Ratio`; it becomes a float once, where it is recorded.
"""

from __future__ import annotations

from itertools import product
from math import gcd

from exitgate.core.model.value import Unknown, bounds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Pair = tuple[int, int]
    from collections.abc import Callable
    from typing import Any

    Ends = tuple[Any, Any]


#: The largest float. A larger result is unknown.
MOST = (2**53 - 1) * 2**971
#: Bits of numerator and denominator; a result that needs more is unknown, so that no calculation grows.
BITS = 4096
#: Up to here floats hold every whole number.
_WHOLE = 2**53
OUT_OF_RANGE = "number out of range"


class Ratio:
    """
    A number that is not whole: `numerator / denominator`, in lowest terms.

    It compares with whole numbers and other ratios by multiplication. A float is a recorded value and may
    itself have come from a division, rounded once; it is compared with the float nearest to this number,
    so that a recorded `100 * done / total` is equal to the same quotient in a condition.
    """

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int) -> None:
        self.numerator = numerator
        self.denominator = denominator

    def __float__(self) -> float:
        return self.numerator / self.denominator

    def __int__(self) -> int:
        whole = abs(self.numerator) // self.denominator
        return whole if self.numerator > 0 else -whole

    def __neg__(self) -> Ratio:
        return Ratio(-self.numerator, self.denominator)

    def __abs__(self) -> Ratio:
        return Ratio(abs(self.numerator), self.denominator)

    def _sides(self, other: object) -> tuple[float, float] | None:
        """Return two plain numbers that compare as this one and `other` do; None for what is not a number."""
        if other.__class__ is float:
            return self.numerator / self.denominator, other
        if other.__class__ is int:
            return self.numerator, other * self.denominator
        if other.__class__ is Ratio:
            return self.numerator * other.denominator, other.numerator * self.denominator
        return None

    def __eq__(self, other: object) -> bool:
        sides = self._sides(other)
        return NotImplemented if sides is None else sides[0] == sides[1]

    def __hash__(self) -> int:
        return hash(self.numerator / self.denominator)

    def __lt__(self, other: object) -> bool:
        sides = self._sides(other)
        return NotImplemented if sides is None else sides[0] < sides[1]

    def __le__(self, other: object) -> bool:
        sides = self._sides(other)
        return NotImplemented if sides is None else sides[0] <= sides[1]

    def __gt__(self, other: object) -> bool:
        sides = self._sides(other)
        return NotImplemented if sides is None else sides[0] > sides[1]

    def __ge__(self, other: object) -> bool:
        sides = self._sides(other)
        return NotImplemented if sides is None else sides[0] >= sides[1]

    def __repr__(self) -> str:
        return f"Ratio({self.numerator}, {self.denominator})"


def pair(value: object) -> Pair:
    """
    Return a number as (numerator, denominator), the denominator above 0; not always in lowest terms.

    Raises OverflowError for an infinite float and ValueError for one that is not a number.
    """
    if value.__class__ is int:
        return value, 1
    if value.__class__ is Ratio:
        return value.numerator, value.denominator
    whole = int(value)  # type: ignore[call-overload]
    if whole == value and -_WHOLE <= whole <= _WHOLE:
        return whole, 1
    digits, _, exponent = repr(value).partition("e")
    before, _, behind = digits.partition(".")
    power = int(exponent or 0) - len(behind)
    number = int(before + behind)
    return (number * 10**power, 1) if power >= 0 else (number, 10**-power)


def number(numerator: int, denominator: int, origin: str = "") -> object:
    """
    Return `numerator / denominator` as int or `Ratio`; the denominator is above 0.

    Unknown, with `origin`, beyond `MOST` or `BITS`.
    """
    if denominator != 1:
        shared = gcd(numerator, denominator)
        if shared != 1:
            numerator //= shared
            denominator //= shared
    size = abs(numerator)
    if size > MOST and (size > MOST * denominator or size.bit_length() > BITS):
        return Unknown(OUT_OF_RANGE, origin)
    if denominator == 1:
        return numerator
    if denominator.bit_length() > BITS:
        return Unknown(OUT_OF_RANGE, origin)
    return Ratio(numerator, denominator)


def calculate(operation: str, left: object, right: object) -> object:
    """
    Return `left operation right` of two known numbers; `operation` is add, sub, mul or div.

    Division by zero, and a result or operand beyond the range of numbers, are unknown, with the operation
    as origin.
    """
    try:
        return _OPERATIONS[operation](left, right)
    except (OverflowError, ValueError):  # of an operand that is not finite
        return Unknown(OUT_OF_RANGE, operation)


def _add(left: object, right: object) -> object:
    a, b = pair(left)
    c, d = pair(right)
    return number(a + c, 1, "add") if b == d == 1 else number(a * d + c * b, b * d, "add")


def _subtract(left: object, right: object) -> object:
    a, b = pair(left)
    c, d = pair(right)
    return number(a - c, 1, "sub") if b == d == 1 else number(a * d - c * b, b * d, "sub")


def _multiply(left: object, right: object) -> object:
    a, b = pair(left)
    c, d = pair(right)
    return number(a * c, b * d, "mul")


def _divide(left: object, right: object) -> object:
    a, b = pair(left)
    c, d = pair(right)
    if not c:
        return Unknown("division by zero", "div")
    return number(a * d, b * c, "div") if c > 0 else number(-a * d, -b * c, "div")


def exact(value: float) -> int | Ratio:
    """Return a finite number of a policy as int or `Ratio`."""
    numerator, denominator = pair(value)
    shared = gcd(numerator, denominator)
    if shared == denominator:
        return numerator // shared
    return Ratio(numerator // shared, denominator // shared)


def nearest_whole(value: object) -> int:
    """Return the nearest whole number, halves away from zero."""
    a, b = pair(value)
    whole = (2 * abs(a) + b) // (2 * b)
    return whole if a >= 0 else -whole


def keeps_digits(text: str, value: float) -> bool:
    """Return whether a float is the decimal number that was read for it: no digit is lost."""
    return _digits(text) == _digits(repr(value))


def _digits(text: str) -> tuple[bool, str, int]:
    """Return sign, digits and exponent of a decimal number, without zeros at either end."""
    mantissa, _, power = text.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    digits = (whole + fraction).lstrip("0")
    short = digits.rstrip("0")
    if not short:
        return False, "", 0
    return mantissa.startswith("-"), short, int(power or 0) - len(fraction) + len(digits) - len(short)


def recorded(value: object) -> object:
    """
    Return what is recorded of a value: a `Ratio` as the nearest float, anything else as it is.

    Bounds of an unknown are recorded in the same way: they still hold what would be recorded of its value.
    """
    if value.__class__ is Ratio:
        return value.numerator / value.denominator
    if isinstance(value, Unknown) and (value.least.__class__ is Ratio or value.most.__class__ is Ratio):
        return Unknown(value.reason, value.origin, recorded(value.least), recorded(value.most))
    return value


def comparable(values: list[object]) -> list[object]:
    """
    Return values of one series so that equality is transitive: a float among them makes each `Ratio` one.

    Two ratios that differ may both be equal to a float.
    """
    classes = {value.__class__ for value in values}
    return [recorded(value) for value in values] if classes.issuperset((float, Ratio)) else values


_OPERATIONS = {"add": _add, "sub": _subtract, "mul": _multiply, "div": _divide}


# Arithmetic with numbers that are only known to lie between two bounds.
#
# The bounds of a result are those of the results at the ends of its operands: each operation rises or falls
# with each operand all the way (interval arithmetic, IEEE 1788). An end may be infinite; where an operation
# has no bound there, nothing is known of the result.

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
    rule = RULES.get(operation)
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


#: Rules by which bounds of operands give bounds of a result: an operation, or `bounds` of a function.
RULES: dict[str, Any] = {
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
