"""What a node of a condition is in the encoding: a truth, a number, or an item of a closed table."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import z3
from msgspec import Struct

from exitgate.core.model.value import Value

Arith = Any
Flag = Any


class Truth(Struct, frozen=True):
    """A condition: definitely true where `yes`, definitely false where `no`, unknown where neither holds."""

    yes: Flag
    no: Flag

    @property
    def known(self) -> Flag:
        """Whether it is true or false."""
        return either(self.yes, self.no)

    def only_where(self, flag: Flag) -> Truth:
        """Return the same, unknown unless the flag holds."""
        return Truth(both(flag, self.yes), both(flag, self.no))


class Number(Value):
    """A number that is known where `known`; the classes below say how its value is held."""

    __slots__ = ("known",)

    def __init__(self, known: Flag) -> None:
        self.known = known

    def with_known(self, known: Flag) -> Number:
        """Return the same number, known elsewhere."""
        raise NotImplementedError

    def only_where(self, flag: Flag) -> Number:
        """Return the same number, unknown unless the flag holds; bounds hold there, too."""
        return self if flag is True else self.with_known(both(self.known, flag))


class Amount(Number):
    """
    A number held as it is.

    Args:
        whole: The engine holds it as an int.
        recorded: It may be a float that was recorded: compared with a calculated number that is not whole,
            it counts as what such a number may have been rounded to.
        calculated: It may be calculated.
    """

    __slots__ = ("calculated", "recorded", "value", "whole")

    def __init__(
        self, known: Flag, value: Arith, whole: bool, recorded: bool = False, calculated: bool = False
    ) -> None:
        super().__init__(known)
        self.value = value
        self.whole = whole
        self.recorded = recorded and not whole
        self.calculated = calculated and not whole

    def with_known(self, known: Flag) -> Amount:
        """Return the same number, known elsewhere."""
        return self.like(known, self.value)

    def like(self, known: Flag, value: Arith) -> Amount:
        """Return another number that is held in the same way."""
        return Amount(known, value, self.whole, self.recorded, self.calculated)


class Rounded(Number):
    """A number that was calculated and recorded: the float nearest to the exact value `exact`."""

    __slots__ = ("exact",)

    def __init__(self, known: Flag, exact: Arith) -> None:
        super().__init__(known)
        self.exact = exact

    def with_known(self, known: Flag) -> Rounded:
        """Return the same number, known elsewhere."""
        return Rounded(known, self.exact)


class Share(Number):
    """
    A quotient `over / under`; `under` is not 0 where it is known.

    Args:
        tied: `under` items of which `over` hundredths count: a percentage of a plan.
        recorded: It is the float nearest to that; otherwise it is calculated, exactly.
    """

    __slots__ = ("over", "recorded", "tied", "under")

    def __init__(
        self, known: Flag, over: Arith, under: Arith, tied: bool = False, recorded: bool = False
    ) -> None:
        super().__init__(known)
        self.over = over
        self.under = under
        self.tied = tied
        self.recorded = recorded or tied

    def with_known(self, known: Flag) -> Share:
        """Return the same number, known elsewhere."""
        return Share(known, self.over, self.under, self.tied, self.recorded)


class Counted(Number):
    """
    A number between `least` and `most`, where `bounded`; known where they meet.

    Counts of iterations, points with unknown rows, and what is calculated from them. Without `whole` the ends
    may be any numbers, and what they are compared with may have been rounded.
    """

    __slots__ = ("bounded", "least", "most", "whole")

    def __init__(self, least: Arith, most: Arith, bounded: Flag = True, whole: bool = True) -> None:
        super().__init__(both(bounded, least == most))
        self.least = least
        self.most = most
        self.bounded = bounded
        self.whole = whole

    def with_known(self, known: Flag) -> Amount:
        """Return the number that it is where its ends meet, known elsewhere."""
        return Amount(known, self.least, self.whole)

    def only_where(self, flag: Flag) -> Counted:
        """Return the same number, unknown unless the flag holds; bounds hold there, too."""
        return Counted(self.least, self.most, both(flag, self.bounded), self.whole)


class Item(Value):
    """A member, text, signature or list, by its number in the table of `atoms.Atoms`."""

    __slots__ = ("known", "number")

    def __init__(self, known: Flag, number: Arith) -> None:
        self.known = known
        self.number = number

    def only_where(self, flag: Flag) -> Item:
        """Return the same, unknown unless the flag holds."""
        return Item(both(flag, self.known), self.number)


UNKNOWN_TRUTH = Truth(False, False)


def constant(value: float) -> Amount:
    """Return a number of the policy: exactly the decimal it is written as."""
    exact = decimal(value)
    return Amount(True, int(exact) if exact.denominator == 1 else exact, exact.denominator == 1)


def decimal(value: float) -> Fraction:
    """Return what a number stands for: of a float the shortest decimal that reads as it."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def lifted(value: Arith) -> Arith:
    """Return a number as z3 takes it."""
    return z3.Q(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def is_fixed(value: Arith) -> bool:
    """Return whether a value is the same in every model."""
    return isinstance(value, int | Fraction)


def when(flag: Flag, then: Arith, otherwise: Arith) -> Arith:
    """Return one of two numbers; fixed ones are made z3's."""
    if flag is True:
        return then
    if flag is False:
        return otherwise
    return chosen(flag, z3_of(then), z3_of(otherwise))


def z3_of(value: Arith) -> Arith:
    """Return a z3 term for a value that may be fixed."""
    if isinstance(value, Fraction):
        return z3.Q(value.numerator, value.denominator)
    return z3.IntVal(value) if isinstance(value, int) else value


def z3_flag(flag: Flag) -> Flag:
    """Return a flag as z3 takes it."""
    return z3.BoolVal(flag) if isinstance(flag, bool) else flag


def not_known(term: Any) -> Flag:
    """Return whether a term is unknown."""
    return negated(term.known)


# Two-valued logic of the encoding; Python's own truths are folded away, so that formulas stay small.


def every(parts: Iterable[Flag]) -> Flag:
    """Return the conjunction; True of nothing."""
    found = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            found.append(part)
    return True if not found else found[0] if len(found) == 1 else _joined(z3.Z3_mk_and, found)


def some(parts: Iterable[Flag]) -> Flag:
    """Return the disjunction; False of nothing."""
    found = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            found.append(part)
    return False if not found else found[0] if len(found) == 1 else _joined(z3.Z3_mk_or, found)


def _joined(join: Any, flags: list[Flag]) -> Flag:
    """Return z3's own `and` or `or` of formulas; `z3.And` looks at the sort of each of them again."""
    context = z3.main_ctx()
    asts = (z3.Ast * len(flags))(*[flag.as_ast() for flag in flags])
    return z3.BoolRef(join(context.ref(), len(flags), asts), context)


def both(left: Flag, right: Flag) -> Flag:
    """Return `left and right`."""
    return every((left, right))


def either(left: Flag, right: Flag) -> Flag:
    """Return `left or right`."""
    return some((left, right))


def negated(flag: Flag) -> Flag:
    """Return `not flag`."""
    return (not flag) if flag is True or flag is False else z3.Not(flag)


def same(left: Flag, right: Flag) -> Flag:
    """Return whether two flags are equal."""
    if left is True or left is False:
        left, right = right, left
    if right is True:
        return left
    if right is False:
        return negated(left)
    return left == right


def chosen(flag: Flag, then: Any, otherwise: Any) -> Any:
    """Return the amount `then` where the flag holds, else `otherwise`."""
    if flag is True:
        return then
    if flag is False:
        return otherwise
    return z3.If(flag, then, otherwise)


def picked(flag: Flag, then: Flag, otherwise: Flag) -> Flag:
    """Return the flag `then` where `flag` holds, else `otherwise`."""
    return either(both(flag, then), both(negated(flag), otherwise))
