"""Calculation with numbers that may be unknown."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.flags import both, every, picked
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.terms import Amount, Counted, Number, Share, is_fixed, when, z3_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World


def calculated(op: str, left: Number, right: Number, world: World) -> Number:
    """Return `left op right`, exactly: add, sub, mul or div."""
    one, other = settled(left, world), settled(right, world)
    known = both(one.known, other.known)
    if op == "div":
        return _divided(one, other, known)
    exact = _exact(op, one.value, other.value)
    return Amount(known, exact, one.whole and other.whole, calculated=True)


def _exact(op: str, one: Arith, other: Arith) -> Arith:
    if is_fixed(one) != is_fixed(other):
        one, other = z3_of(one), z3_of(other)
    return one + other if op == "add" else one - other if op == "sub" else one * other


def _divided(one: Amount, other: Amount, known: Flag) -> Number:
    if not is_fixed(other.value):
        return Share(both(known, z3_of(other.value) != 0), one.value, other.value)
    if other.value == 0:
        return Amount(False, 0, True)
    share = 1 / Fraction(other.value)
    dividend = one.value
    exact = Fraction(dividend) * share if is_fixed(dividend) else z3_of(dividend) * z3_of(share)
    return Amount(known, exact, False, calculated=True)


def minus(number: Number, world: World) -> Number:
    """Return `-number`."""
    one = settled(number, world)
    return one.like(one.known, -one.value)


def extreme(numbers: Sequence[Number], sign: str, world: World) -> Number:
    """Return the smallest (`sign` is `<`) or the largest (`>`) of some numbers; the first of equals."""
    first, *others = (settled(number, world) for number in numbers)
    best = first.like(True, first.value)
    for amount in others:
        one = amount.like(True, amount.value)
        best = one_of(compared(sign, one, best, world), one, best, True)
    return best.like(every((first.known, *(amount.known for amount in others))), best.value)


def one_of(flag: Flag, first: Amount, second: Amount, known: Flag) -> Amount:
    """Return `first` where the flag holds, else `second`."""
    return Amount(
        known,
        when(flag, first.value, second.value),
        first.whole and second.whole,
        first.recorded or second.recorded,
        first.calculated or second.calculated,
    )


def size(number: Number, world: World) -> Number:
    """Return `abs(number)`."""
    one = settled(number, world)
    if is_fixed(one.value):
        return one.like(one.known, abs(one.value))
    return one.like(one.known, z3.If(one.value < 0, -one.value, one.value))


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
    sides = [_bounded(number) for number in (first, second)]
    if Counted in (type(first), type(second)) and None not in sides:
        (least, most, bounded), (low, high, there) = sides  # type: ignore[misc]
        return Counted(when(flag, least, low), when(flag, most, high), picked(flag, bounded, there),
                       first.whole and second.whole)  # type: ignore[attr-defined] # fmt: skip
    one, other = settled(first, world), settled(second, world)
    return one_of(flag, one, other, picked(flag, one.known, other.known))


def _bounded(number: Number) -> tuple[Arith, Arith, Flag] | None:
    """Return the bounds of a number and where they hold; None where rounding may matter."""
    if isinstance(number, Counted):
        return number.least, number.most, number.bounded
    if isinstance(number, Amount) and not number.recorded and not number.calculated:
        return number.value, number.value, number.known
    return None


#: Functions of numbers by the name they are written with.
CALLS: dict[str, Callable[[Sequence[Number], World], Number]] = {
    "min": lambda numbers, world: extreme(numbers, "<", world),
    "max": lambda numbers, world: extreme(numbers, ">", world),
    "abs": lambda numbers, world: size(numbers[0], world),
    "round": lambda numbers, world: nearest(numbers[0], world),
}
