"""Calculation with numbers that may be unknown."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.flags import both, every, picked
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.terms import Amount, Number, Rounded, Share, is_fixed, when, z3_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World


def calculated(op: str, left: Number, right: Number, world: World) -> Number:
    """Return `left op right`: add, sub, mul or div."""
    one, other = settled(left, world), settled(right, world)
    known = both(one.known, other.known)
    if op == "div":
        return _divided(one, other, known)
    exact = _exact(op, one.value, other.value)
    if one.whole and other.whole:
        return Amount(known, exact, True)
    if op == "mul" and (_shifts(one.value) or _shifts(other.value)):
        return Amount(known, exact, False)
    if op != "mul" and 0 in (_fixed(one.value), _fixed(other.value)):
        return Amount(known, exact, False)
    return Rounded(known, exact)


def _exact(op: str, one: Arith, other: Arith) -> Arith:
    if is_fixed(one) != is_fixed(other):
        one, other = z3_of(one), z3_of(other)
    return one + other if op == "add" else one - other if op == "sub" else one * other


def _divided(one: Amount, other: Amount, known: Flag) -> Number:
    divisor = _fixed(other.value)
    if divisor is None:
        return Share(both(known, z3_of(other.value) != 0), one.value, other.value)
    if divisor == 0:
        return Amount(False, 0, True)
    share = Fraction(1) / divisor
    dividend = one.value
    exact = Fraction(dividend) * share if is_fixed(dividend) else z3_of(dividend) * z3_of(share)
    return Amount(known, exact, False) if _shifts(divisor) else Rounded(known, exact)


def _fixed(value: Arith) -> Fraction | None:
    return Fraction(value) if is_fixed(value) else None


def _shifts(value: Arith) -> bool:
    """Return whether a factor is a power of two, by which a float is multiplied exactly."""
    if not is_fixed(value) or value == 0:
        return False
    fraction = abs(Fraction(value))
    top, bottom = fraction.numerator, fraction.denominator
    return not top & (top - 1) and not bottom & (bottom - 1)


def minus(number: Number, world: World) -> Number:
    """Return `-number`."""
    if isinstance(number, Rounded):
        return Rounded(number.known, -number.exact)
    one = settled(number, world)
    return Amount(one.known, -one.value, one.whole)


def extreme(numbers: Sequence[Number], sign: str, world: World) -> Number:
    """Return the smallest (`sign` is `<`) or the largest (`>`) of some numbers; the first of equals."""
    amounts = [settled(number, world) for number in numbers]
    value, whole = amounts[0].value, all(amount.whole for amount in amounts)
    for amount in amounts[1:]:
        better = compared(sign, Amount(True, amount.value, whole), Amount(True, value, whole), world)
        value = when(better, amount.value, value)
    return Amount(every(amount.known for amount in amounts), value, whole)


def size(number: Number, world: World) -> Number:
    """Return `abs(number)`."""
    one = settled(number, world)
    if is_fixed(one.value):
        return Amount(one.known, abs(one.value), one.whole)
    return Amount(one.known, z3.If(one.value < 0, -one.value, one.value), one.whole)


def nearest(number: Number, world: World) -> Number:
    """Return `round(number)`: a whole number, halves away from zero."""
    one = settled(number, world)
    if one.whole:
        return one
    value, half = z3_of(one.value), z3.Q(1, 2)
    up, down = z3.ToInt(value + half), -z3.ToInt(half - value)
    return Amount(one.known, z3.If(value >= 0, up, down), True)


def either_of(flag: Flag, first: Number, second: Number, world: World) -> Number:
    """Return `first` where the flag holds, else `second`; each with its own knowledge."""
    if flag is True:
        return first
    if flag is False:
        return second
    one, other = settled(first, world), settled(second, world)
    known = picked(flag, one.known, other.known)
    return Amount(known, when(flag, one.value, other.value), one.whole and other.whole)


#: Functions of numbers by the name they are written with.
CALLS: dict[str, Callable[[Sequence[Number], World], Number]] = {
    "min": lambda numbers, world: extreme(numbers, "<", world),
    "max": lambda numbers, world: extreme(numbers, ">", world),
    "abs": lambda numbers, world: size(numbers[0], world),
    "round": lambda numbers, world: nearest(numbers[0], world),
}
