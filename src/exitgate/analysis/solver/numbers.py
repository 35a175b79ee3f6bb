"""
Numbers as the engine has them: calculated ones exactly, recorded ones as floats.

z3 knows no floats here, only exact numbers. That is enough: a float stands for its decimal, and a recorded
number that was calculated is the float nearest to an exact value, which never turns an order round. So
`x >= c` holds for the recorded x where the exact one reaches the middle between c and the float below it;
where that middle itself goes depends on the last bit of c (ties go to the even one). Only where a recorded
number meets a calculated one that is not a constant does the rounding need a number of its own, anywhere
within its width.

Amounts above 2**53, where floats no longer count, and below 1e-300 are left out of account.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from struct import pack, unpack

import z3

from exitgate.analysis.solver.terms import (
    Amount,
    Counted,
    Number,
    Rounded,
    Share,
    both,
    decimal,
    either,
    every,
    is_fixed,
    negated,
    picked,
    when,
    z3_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.terms import Arith, Flag


#: The distance of two neighbouring floats, as a share of them: rounding is off by half of it at most, and
#: so is the decimal that a float stands for.
ROUNDING = Fraction(1, 2**52)
#: Sizes of plans in which percentages are written out exactly where only some are wanted.
SIZES = (1, 2, 3, 4, 5, 8, 10, 20, 100)
_FLIPPED = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "==": "==", "!=": "!="}


def settled(number: Number, world: Context) -> Amount:
    """Return a number with a value that can be calculated with; a recorded one may get a variable."""
    if isinstance(number, Amount):
        return number
    if isinstance(number, Counted):
        return _loosened(number, world)
    if isinstance(number, Share):
        value = _share(number, world)
        return Amount(number.known, value, False, number.recorded, not number.recorded)
    assert isinstance(number, Rounded)
    return Amount(number.known, _rounded(number.exact, world), False, recorded=True)


def _loosened(number: Counted, world: Context) -> Amount:
    """
    Return a number between bounds as one with a value.

    Where the bounds do not meet, what is calculated with it may still lead to a definite answer: whether it
    counts as known is left open, and so is its value between them.
    """
    if number.known is True:
        return Amount(True, number.least, number.whole)
    whole = number.whole and not any(isinstance(end, Fraction) for end in (number.least, number.most))
    value = world.fresh("between", "Int" if whole else "Real")
    inside = both(value >= z3_of(number.least), value <= z3_of(number.most))
    world.add(either(negated(number.bounded), inside))
    assumed = both(number.bounded, world.fresh("assumed", "Bool"))
    world.add_strictly(either(negated(number.bounded), number.known))
    world.note("what is calculated with numbers of which only bounds are known")
    return Amount(either(number.known, assumed), value, number.whole, calculated=not number.whole)


def _rounded(exact: Arith, world: Context) -> Arith:
    """Return what the float nearest to a value stands for."""
    if is_fixed(exact):
        return decimal(float(exact))
    near = world.fresh("rounded", "Real")
    _near(near, exact, world)
    world.note("rounding of what is calculated, recorded and calculated with again")
    return near


def _near(near: Arith, exact: Arith, world: Context) -> None:
    more, less = z3_of(1 + ROUNDING), z3_of(1 - ROUNDING)
    exact = z3.ToReal(exact) if z3.is_int(exact) else exact
    world.add(z3.If(exact >= 0, z3.And(near >= exact * less, near <= exact * more),
                    z3.And(near <= exact * less, near >= exact * more)))  # fmt: skip
    world.add_strictly(near == exact)


def _share(share: Share, world: Context) -> Arith:
    """Return a variable for a quotient; for one of a plan only its order is exact, and small plans are."""
    over, under = z3_of(share.over), z3_of(share.under)
    if share.tied:
        near = world.fresh("share", "Real")
        function = z3.Function("share", z3.IntSort(), z3.IntSort(), z3.RealSort())
        world.add(near == function(over, under))
        world.add(z3.Implies(under > 0, z3.And(near >= 0, near <= 100, (near == 0) == (over == 0))))
        world.add(z3.Implies(under > 0, (near == 100) == (over == 100 * under)))
        sizes = [z3.And(under == size, near * size == over) for size in SIZES]
        world.add_strictly(z3.Or(z3.Not(under > 0), *sizes))
        world.note("percentages compared with each other")
        return near
    exact = world.fresh("quotient", "Real")
    world.add(exact * under == over)
    world.note("a quotient that is used in further arithmetic")
    return _rounded(exact, world) if share.recorded else exact


def compared(sign: str, left: Number, right: Number, world: Context) -> Flag:
    """Return whether `left sign right` holds of two numbers that are known."""
    if _value(left) is not None:
        left, right, sign = right, left, _FLIPPED[sign]
    fixed = _value(right)
    if fixed is not None and isinstance(left, Rounded):
        return _against(sign, left, fixed)
    if fixed is not None and isinstance(left, Share):
        assert isinstance(right, Amount)
        rounded = left.recorded or right.recorded
        return _against(sign, left, fixed) if rounded else _quotient(sign, left, fixed)
    if isinstance(left, Share) and left is right:
        return sign in ("==", ">=", "<=")
    one, other = settled(left, world), settled(right, world)
    low, high = one.value, other.value
    mixed = (one.recorded and other.calculated) or (one.calculated and other.recorded)
    if mixed:
        low, high = (_rounded(a.value, world) if a.calculated else a.value for a in (one, other))
    if mixed or isinstance(left, Rounded) or isinstance(right, Rounded):
        _keep_order((_before_rounding(left, one), low), (_before_rounding(right, other), high), world)
    return _ordered(sign, low, high)


def _before_rounding(number: Number, settled: Amount) -> Arith:
    """Return a number before it was rounded."""
    return number.exact if isinstance(number, Rounded) else settled.value


def _keep_order(left: tuple[Arith, Arith], right: tuple[Arith, Arith], world: Context) -> None:
    """Demand of two pairs (exact value, rounded value) that rounding has not turned their order round."""
    for sign in (">=", "<="):
        before, after = _ordered(sign, left[0], right[0]), _ordered(sign, left[1], right[1])
        world.add(either(negated(before), after))


def _quotient(sign: str, share: Share, fixed: Fraction) -> Flag:
    """Return whether `over / under sign p / q`: by multiplication, and by the sign of `under`."""
    over, under = z3_of(share.over) * fixed.denominator, z3_of(share.under) * fixed.numerator
    positive = z3_of(share.under) > 0
    return picked(positive, _ordered(sign, over, under), _ordered(_FLIPPED[sign], over, under))


def _value(number: Number) -> Fraction | None:
    """Return the value of a number that is the same everywhere."""
    return Fraction(number.value) if isinstance(number, Amount) and is_fixed(number.value) else None


def _ordered(sign: str, one: Arith, other: Arith) -> Flag:
    if is_fixed(one) and is_fixed(other):
        return {">=": one >= other, "<=": one <= other, ">": one > other, "<": one < other,
                "==": one == other, "!=": one != other}[sign]  # fmt: skip
    one, other = z3_of(one), z3_of(other)
    if sign == ">=":
        return one >= other
    if sign == "<=":
        return one <= other
    if sign == ">":
        return one > other
    if sign == "<":
        return one < other
    return one == other if sign == "==" else one != other


def _against(sign: str, number: Rounded | Share, fixed: Fraction) -> Flag:
    """Return whether `sign` holds between the float nearest to an exact value and another number."""
    if sign in ("==", "!="):
        equal = both(_against(">=", number, fixed), _against("<=", number, fixed))
        return equal if sign == "==" else negated(equal)
    if sign in ("<", "<="):
        return negated(_against(">=" if sign == "<" else ">", number, fixed))
    if fixed == 0:
        return _reaches(number, Fraction(0), sign == ">=")
    nearest = float(fixed)
    even = not unpack("<Q", pack("<d", nearest))[0] & 1
    if sign == ">=":
        return _reaches(number, (Fraction(nearest) + Fraction(nextafter(nearest, -inf))) / 2, even)
    return _reaches(number, (Fraction(nearest) + Fraction(nextafter(nearest, inf))) / 2, not even)


def _reaches(number: Rounded | Share, mark: Fraction, itself: bool) -> Flag:
    """Return whether the exact value lies above a mark, or on it where `itself` counts."""
    above = ">=" if itself else ">"
    if isinstance(number, Rounded):
        return _ordered(above, number.exact, mark)
    if not number.tied:
        return _quotient(above, number, mark)
    return _ordered(above, z3_of(number.over) * mark.denominator, z3_of(number.under) * mark.numerator)


def counted(sign: str, left: Number, right: Number, world: Context) -> tuple[Flag, Flag]:
    """Return where a comparison by bounds is definitely true, and where it is definitely false."""
    (low, high), (least, most) = _bounds(left, world), _bounds(right, world)
    if sign in ("<", "<="):
        low, high, least, most = least, most, low, high
        sign = _FLIPPED[sign]
    if sign == ">=":
        return _ordered(">=", low, most), _ordered("<", high, least)
    if sign == ">":
        return _ordered(">", low, most), _ordered("<=", high, least)
    equal = every((_ordered("==", low, high), _ordered("==", high, least), _ordered("==", least, most)))
    apart = either(_ordered("<", high, least), _ordered(">", low, most))
    return (equal, apart) if sign == "==" else (apart, equal)


def _bounds(number: Number, world: Context) -> tuple[Arith, Arith]:
    if isinstance(number, Counted):
        return number.least, number.most
    value = settled(number, world).value
    return value, value


# Calculation with numbers that may be unknown.


def calculated(op: str, left: Number, right: Number, world: Context) -> Number:
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


def minus(number: Number, world: Context) -> Number:
    """Return `-number`."""
    one = settled(number, world)
    return one.like(one.known, -one.value)


def extreme(numbers: Sequence[Number], sign: str, world: Context) -> Number:
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


def size(number: Number, world: Context) -> Number:
    """Return `abs(number)`."""
    one = settled(number, world)
    if is_fixed(one.value):
        return one.like(one.known, abs(one.value))
    return one.like(one.known, z3.If(one.value < 0, -one.value, one.value))


def nearest(number: Number, world: Context) -> Number:
    """Return `round(number)`: a whole number, halves away from zero."""
    one = settled(number, world)
    if one.whole:
        return one
    value, half = z3_of(one.value), z3.Q(1, 2)
    up, down = z3.ToInt(value + half), -z3.ToInt(half - value)
    return Amount(one.known, z3.If(value >= 0, up, down), True)


def either_of(flag: Flag, first: Number, second: Number, world: Context) -> Number:
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
CALLS: dict[str, Callable[[Sequence[Number], Context], Number]] = {
    "min": lambda numbers, world: extreme(numbers, "<", world),
    "max": lambda numbers, world: extreme(numbers, ">", world),
    "abs": lambda numbers, world: size(numbers[0], world),
    "round": lambda numbers, world: nearest(numbers[0], world),
}
