"""What a node of a condition is in the encoding: a truth, a number, or an item of a closed table."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.flags import chosen, either, negated
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.analysis.solver.flags import Flag

    #: A Python int or Fraction, or a z3 term of sort Int or Real.
    Arith = Any


class Truth(Value):
    """A condition: definitely true where `yes`, definitely false where `no`, unknown where neither holds."""

    __slots__ = ("no", "yes")

    def __init__(self, yes: Flag, no: Flag) -> None:
        self.yes = yes
        self.no = no

    @property
    def known(self) -> Flag:
        """Whether it is true or false."""
        return either(self.yes, self.no)


class Number(Value):
    """A number that is known where `known`; the classes below say how its value is held."""

    __slots__ = ("known",)

    def __init__(self, known: Flag) -> None:
        self.known = known


class Amount(Number):
    """A number held as it is. `whole`: Python would hold it as an int, so calculating with it is exact."""

    __slots__ = ("value", "whole")

    def __init__(self, known: Flag, value: Arith, whole: bool) -> None:
        super().__init__(known)
        self.value = value
        self.whole = whole


class Rounded(Number):
    """A float that is the nearest one to the exact value `exact`."""

    __slots__ = ("exact",)

    def __init__(self, known: Flag, exact: Arith) -> None:
        super().__init__(known)
        self.exact = exact


class Share(Number):
    """
    A float that is the nearest one to `over / under`; `under` is not 0 where it is known.

    `tied`: `under` items of which `over` hundredths count: a percentage of a plan.
    """

    __slots__ = ("over", "tied", "under")

    def __init__(self, known: Flag, over: Arith, under: Arith, tied: bool = False) -> None:
        super().__init__(known)
        self.over = over
        self.under = under
        self.tied = tied


class Counted(Number):
    """A count of iterations, between `least` and `most`; known where they meet."""

    __slots__ = ("least", "most")

    def __init__(self, least: Arith, most: Arith) -> None:
        super().__init__(least == most)
        self.least = least
        self.most = most


class Item(Value):
    """A member, text, signature or list, by its number in the table of `atoms.Atoms`."""

    __slots__ = ("known", "number")

    def __init__(self, known: Flag, number: Arith) -> None:
        self.known = known
        self.number = number


UNKNOWN_TRUTH = Truth(False, False)


def constant(value: float) -> Amount:
    """Return a number of the policy, exactly as Python holds it."""
    whole = isinstance(value, int)
    return Amount(True, value if whole else Fraction(value), whole)


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


def not_known(term: Any) -> Flag:
    """Return whether a term is unknown."""
    return negated(term.known)
