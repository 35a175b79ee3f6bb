"""Facts computed from others: sums of points, formulas, progress."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.arithmetic import one_of
from exitgate.analysis.solver.flags import both, negated
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.progress import Progress
from exitgate.analysis.solver.terms import (
    Amount,
    Counted,
    Item,
    Number,
    Rounded,
    Share,
    Truth,
    constant,
    decimal,
    is_fixed,
    when,
    z3_of,
)  # fmt: skip
from exitgate.model.type import MICRO
from exitgate.policy.points import ADD_NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Term
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World
    from exitgate.policy.compiled import Derived

#: A sum of points that are multiples of this, up to `LARGEST`, is the decimal of the float nearest to it.
GRAIN = Fraction(1, 10**MICRO)
LARGEST = 10**9


class Computed:
    """The computed facts of one policy, in each iteration."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._derived = {fact.name: fact for fact in encoder.policy.derived}
        self._made: dict[tuple[str, int], Term | None] = {}
        self._progress: dict[tuple[str, ...], Progress] = {}

    def fact(self, name: str, at: int) -> Term | None:
        """Return a computed fact; None for a name that is not one."""
        fact = self._derived.get(name)
        if fact is None:
            return None
        key = (name, at)
        if key not in self._made:
            self._made[key] = (
                None  # while it is computed it has no value: a rule for those that read themselves
            )
            self._made[key] = self._computed(fact, at)
        found = self._made[key]
        return found if found is not None else _nothing(fact)

    def _computed(self, fact: Derived, at: int) -> Term:
        if fact.signals:
            if fact.signals not in self._progress:
                self._progress[fact.signals] = Progress(self._encoder, fact.signals, fact.moves)
            return self._progress[fact.signals].term(fact.type.kind, at)
        if fact.formula is not None:
            value = self._encoder.term(fact.formula, at)
            return self._recorded(value, fact) if isinstance(value, Number) else value
        return self._recorded(self._points(fact, at), fact)

    def _recorded(self, number: Number, fact: Derived) -> Number:
        """Return a number within its range and of its type, rounded once."""
        number = _typed(self._clamped(number, fact), fact, self._encoder.world)
        if isinstance(number, Share):
            return Share(number.known, number.over, number.under, number.tied, recorded=True)
        if isinstance(number, Amount) and number.calculated:
            return Rounded(number.known, number.value)
        return number

    def _points(self, fact: Derived, at: int) -> Number:
        """Return the sum of the rows that are definitely true; unknown rows leave it between two bounds."""
        truths = [self._encoder.truth(row.when, at) for row in fact.rows]
        adds = [decimal(row.add) for row in fact.rows]
        whole = all(add.denominator == 1 for add in adds)
        exact = all(not add % GRAIN for add in adds) and sum(map(abs, adds)) < LARGEST
        sure = _sum_of([truth.yes for truth in truths], adds, whole)
        if fact.unknown_rows == ADD_NOTHING or all(truth.known is True for truth in truths):
            return Amount(True, sure, whole, recorded=exact, calculated=not exact)
        possible = [negated(truth.no) for truth in truths]
        pairs = list(zip(truths, possible, adds, strict=True))
        least = _sum_of([truth.yes if add > 0 else may for truth, may, add in pairs], adds, whole)
        most = _sum_of([may if add > 0 else truth.yes for truth, may, add in pairs], adds, whole)
        between = Counted(least, most, True, whole)
        return between if exact else settled(between, self._encoder.world)

    def _clamped(self, number: Number, fact: Derived) -> Number:
        if fact.low is None and fact.high is None:
            return number
        if isinstance(number, Counted):
            least, most = _within(number.least, fact), _within(number.most, fact)
            return Counted(least, most, number.bounded, number.whole)
        world = self._encoder.world
        # the ends are floats, so that rounding what is within them stays within them
        amount = settled(number, world)
        for sign, end in (("<", fact.low), (">", fact.high)):
            if end is not None:
                limit = constant(end)
                amount = one_of(compared(sign, amount, limit, world), limit, amount, amount.known)
        return amount


def _sum_of(flags: list[Flag], adds: list[Fraction], whole: bool) -> Arith:
    """Return the sum of what is added where its flag holds."""
    parts = [when(flag, int(add) if whole else add, 0) for flag, add in zip(flags, adds, strict=True)]
    fixed, open_ = sum(filter(is_fixed, parts)), [part for part in parts if not is_fixed(part)]
    return z3.Sum([z3_of(fixed), *open_]) if open_ else fixed


def _within(value: Arith, fact: Derived) -> Arith:
    """Return a number within the range of a fact."""
    for end, below in ((fact.low, True), (fact.high, False)):
        if end is None:
            continue
        limit = constant(end).value
        outside = z3_of(value) < z3_of(limit) if below else z3_of(value) > z3_of(limit)
        if is_fixed(value):
            value = (max if below else min)(value, limit)
        else:
            value = z3.If(outside, z3_of(limit), value)
    return value


def _nothing(fact: Derived) -> Term:
    if fact.type.kind == "bool":
        return Truth(False, False)
    if fact.type.kind in ("list", "enum", "text", "signature"):
        return Item(False, 0)
    return Amount(False, 0, True)


def _typed(number: Number, fact: Derived, world: World) -> Number:
    """Return a number as conditions read it: a count that is not whole is not read at all."""
    if fact.type.kind != "count" or (isinstance(number, Amount) and number.whole):
        return number
    if isinstance(number, Counted):
        return number
    amount = settled(number, world)
    value = z3_of(amount.value)
    if not z3.is_int(value):
        world.note(f"whether `{fact.name}` is whole")
        return Amount(both(amount.known, z3.IsInt(value)), z3.ToInt(value), True)
    return Amount(amount.known, value, True)
