"""Facts computed from others: sums of points, formulas, progress."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver.history import tally
from exitgate.analysis.solver.logic import equal
from exitgate.analysis.solver.numbers import compared, one_of, settled
from exitgate.analysis.solver.terms import (
    UNKNOWN_TRUTH,
    Amount,
    Counted,
    Item,
    Number,
    Rounded,
    Share,
    Truth,
    both,
    constant,
    decimal,
    either,
    every,
    is_fixed,
    negated,
    some,
    when,
    z3_flag,
    z3_of,
)
from exitgate.core.facts.extractors.progress import CHANGES, FALLS, RISES, TRUE
from exitgate.core.model.value import MICRO
from exitgate.core.policy.points import ADD_NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.encode import Encoder, Term
    from exitgate.analysis.solver.terms import Arith, Flag
    from exitgate.core.policy.compiled import Derived


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


def _typed(number: Number, fact: Derived, world: Context) -> Number:
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


# Progress: whether signals moved, against all that the run has seen of them.


class Progress:
    """
    The facts of one group of signals.

    A run may be older than the iterations that are written out, and a check before its first iteration sees
    how things were. What the run remembered before the oldest of them is left open, so that nothing is
    proved that another run breaks; an example has to bring it about by the iterations it has.
    """

    def __init__(self, encoder: Encoder, signals: tuple[str, ...], moves: tuple[str, ...]) -> None:
        self._encoder = encoder
        self._signals = tuple(zip(signals, moves, strict=True))
        self._made: dict[tuple[str, int], Truth] = {}
        self._open: dict[str, Flag] = {}

    def term(self, kind: str, at: int) -> Term:
        """Return one of its facts: bool, whether one moved; count, how many could tell; list, which moved."""
        world = self._encoder.world
        told = [self._moved(name, moves, at) for name, moves in self._signals]
        ended = world.ended(at)
        known = both(ended, some(one.known for one in told))
        if kind == "count":
            return Amount(ended, z3_of(tally([one.known for one in told])), True)
        if kind == "bool":
            moved = both(ended, some(one.yes for one in told))
            return Truth(moved, both(known, negated(moved)))
        world.note("which signals moved")
        return Item(known, world.fresh("signals", "Int"))

    def _moved(self, name: str, moves: str, at: int) -> Truth:
        key = (name, at)
        if key not in self._made:
            self._made[key] = self._movement(name, moves, at)
        return self._made[key]

    def _movement(self, name: str, moves: str, at: int) -> Truth:
        value = self._encoder.fact(name, at)
        if value is None:
            return UNKNOWN_TRUTH
        way = moves or (TRUE if isinstance(value, Truth) else RISES if isinstance(value, Number) else CHANGES)
        if way == TRUE:
            return value if isinstance(value, Truth) else UNKNOWN_TRUTH
        if way in (RISES, FALLS) and not isinstance(value, Number):
            return UNKNOWN_TRUTH
        earlier = self._earlier(name, at)
        if way == FALLS:
            return self._fallen(name, value, earlier, at)
        there, value = self._encoder.world.there(at), settled_term(value, self._encoder)
        seen = [one.known for one in earlier]
        if way == CHANGES:
            passed = [
                either(negated(one.known), negated(equal(one, value, self._encoder))) for one in earlier
            ]
        else:
            passed = [
                either(negated(one.known), _before(value, one, ">", self._encoder.world)) for one in earlier
            ]
        remembered, beyond = self._memory(name, way, value)
        known = every((there, value.known, some((*seen, remembered))))
        moved = every((*passed, either(negated(remembered), beyond)))
        return Truth(both(known, moved), both(known, negated(moved)))

    def _fallen(self, name: str, term: Term, earlier: list[Term], at: int) -> Truth:
        """Return whether a number fell below the least one since it was last 0; at 0 it cannot fall."""
        world = self._encoder.world
        value = settled_term(term, self._encoder)
        seen, least = self._remembers(name), z3.Real(f"{name} {FALLS} to")
        for one in reversed(earlier):
            assert isinstance(one, Amount)
            number = z3_of(one.value)
            anew = z3.Or(z3.Not(z3_flag(seen)), least == 0, number < least)
            least = z3.If(z3_flag(one.known), z3.If(anew, number, least), least)
            seen = either(seen, one.known)
        assert isinstance(value, Amount)
        number = z3_of(value.value)
        known = every((world.there(at), value.known, seen, z3.Not(z3.And(number == 0, least == 0))))
        return Truth(both(known, number < least), both(known, number >= least))

    def _earlier(self, name: str, at: int) -> list[Term]:
        world = self._encoder.world
        found = []
        for one in range(at + 1, world.length):
            term = self._encoder.fact(name, one)
            assert term is not None
            found.append(settled_term(term.only_where(world.there(one)), self._encoder))
        return found

    def _memory(self, name: str, way: str, value: Term) -> tuple[Flag, Flag]:
        """Return whether something is remembered from earlier than all, and whether `value` is new to it."""
        remembers = self._remembers(name)
        if way == CHANGES:
            return remembers, negated(self._is_remembered(name, value))
        assert isinstance(value, Amount)
        return remembers, z3_of(value.value) > z3.Real(f"{name} {way} to")

    def _remembers(self, name: str) -> Flag:
        """
        Return whether something of a signal is remembered from before all iterations that are written out.

        Also where there are none: how things were before any work is seen in a check before the first one.
        """
        world = self._encoder.world
        if name not in self._open:
            self._open[name] = z3.Bool(f"{name} remembered")
            world.add_strictly(z3.Not(self._open[name]))
            world.note(f"what the run had seen of `{name}`")
        return self._open[name]

    def _is_remembered(self, name: str, value: Term) -> Flag:
        if isinstance(value, Truth):
            return z3.If(z3_flag(value.yes), z3.Bool(f"{name} saw true"), z3.Bool(f"{name} saw false"))
        assert isinstance(value, Item | Amount)
        term = z3_of(value.number if isinstance(value, Item) else value.value)
        return z3.Function(f"{name} saw", term.sort(), z3.BoolSort())(term)


def settled_term(term: Term, encoder: Encoder) -> Term:
    """Return a term that is compared more than once; a number with a value of its own."""
    return settled(term, encoder.world) if isinstance(term, Number) else term


def _before(value: Term, one: Term, sign: str, world: object) -> Flag:
    assert isinstance(value, Number)
    assert isinstance(one, Number)
    return compared(sign, value, one, world)  # type: ignore[arg-type]
