"""Progress: whether signals moved, against all that the run has seen of them."""

from __future__ import annotations

import z3

from exitgate.analysis.solver.flags import both, either, every, negated, some
from exitgate.analysis.solver.history import tally
from exitgate.analysis.solver.history_values import limited
from exitgate.analysis.solver.logic import equal
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.terms import UNKNOWN_TRUTH, Amount, Item, Number, Truth, z3_of
from exitgate.facts.signals import CHANGES, FALLS, RISES, TRUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Term
    from exitgate.analysis.solver.flags import Flag


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
            self._made[key] = self._told(name, moves, at)
        return self._made[key]

    def _told(self, name: str, moves: str, at: int) -> Truth:
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
            anew = z3.Or(z3.Not(_flag(seen)), least == 0, number < least)
            least = z3.If(_flag(one.known), z3.If(anew, number, least), least)
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
            found.append(settled_term(limited(term, world.there(one)), self._encoder))
        return found

    def _memory(self, name: str, way: str, value: Term) -> tuple[Flag, Flag]:
        """Return whether something is remembered from earlier than all, and whether `value` is new to it."""
        remembers = self._remembers(name)
        if way == CHANGES:
            return remembers, negated(self._seen(name, value))
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

    def _seen(self, name: str, value: Term) -> Flag:
        if isinstance(value, Truth):
            return z3.If(_flag(value.yes), z3.Bool(f"{name} saw true"), z3.Bool(f"{name} saw false"))
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


def _flag(flag: Flag) -> Flag:
    return z3.BoolVal(flag) if isinstance(flag, bool) else flag
