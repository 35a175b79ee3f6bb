"""Facts computed from others: sums of points, formulas, progress."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.flags import both
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.progress import Progress
from exitgate.analysis.solver.terms import (
    Amount,
    Item,
    Number,
    Truth,
    constant,
    is_fixed,
    when,
    z3_of,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Term
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World
    from exitgate.policy.compiled import Derived

#: Sums of points whose parts are multiples of this, and below `LARGEST`, are exact in floats.
GRAIN = Fraction(1, 2**20)
LARGEST = 2**30


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
            return (
                _typed(self._clamped(value, fact), fact, self._encoder.world)
                if isinstance(value, Number)
                else value
            )
        return _typed(self._clamped(self._points(fact, at), fact), fact, self._encoder.world)

    def _points(self, fact: Derived, at: int) -> Number:
        """Return the sum of the rows that are definitely true; the others add nothing."""
        truths = [self._encoder.truth(row.when, at).yes for row in fact.rows]
        adds = [Fraction(row.add) for row in fact.rows]
        # a float that is whole becomes an int: see `engine.derive`
        whole = all(add.denominator == 1 for add in adds)
        parts = [when(t, int(a) if whole else a, 0) for t, a in zip(truths, adds, strict=True)]
        fixed, open_ = sum(filter(is_fixed, parts)), [part for part in parts if not is_fixed(part)]
        value: Arith = z3.Sum([z3_of(fixed), *open_]) if open_ else fixed
        exact = all(not add % GRAIN for add in adds) and sum(map(abs, adds)) < LARGEST
        if exact or is_fixed(value):
            return Amount(True, value, whole)
        world = self._encoder.world
        world.note(f"the sum of the points of `{fact.name}`")
        near, room = world.fresh("points", "Real"), z3_of(sum(map(abs, adds)) * len(adds) / 2**52)
        world.add(z3.And(near >= value - room, near <= value + room))
        world.add_strictly(near == value)
        return Amount(True, near, False)

    def _clamped(self, number: Number, fact: Derived) -> Number:
        if fact.low is None and fact.high is None:
            return number
        world = self._encoder.world
        amount = settled(number, world)
        value, whole = amount.value, amount.whole
        if fact.low is not None:
            low = _end(fact.low)
            value = when(compared("<", Amount(True, value, whole), low, world), low.value, value)
            whole = whole and low.whole
        if fact.high is not None:
            high = _end(fact.high)
            value = when(compared(">", Amount(True, value, whole), high, world), high.value, value)
            whole = whole and high.whole
        return Amount(amount.known, value, whole)


def _end(value: float) -> Amount:
    """Return an end of a range; a float that is whole becomes an int."""
    return constant(int(value) if float(value).is_integer() else value)


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
    amount = settled(number, world)
    value = z3_of(amount.value)
    if not z3.is_int(value):
        world.note(f"whether `{fact.name}` is whole")
        return Amount(both(amount.known, z3.IsInt(value)), z3.ToInt(value), True)
    return Amount(amount.known, value, True)
