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

    A run may be older than the iterations that are written out. What it remembered before the oldest of
    them is left open where that one is there, so that nothing is proved that a longer run breaks; an
    example has to bring it about by the iterations it has.
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
        there, value = self._encoder.world.there(at), settled_term(value, self._encoder)
        seen = [one.known for one in earlier]
        if way == CHANGES:
            passed = [
                either(negated(one.known), negated(equal(one, value, self._encoder))) for one in earlier
            ]
        else:
            sign, world = ">" if way == RISES else "<", self._encoder.world
            passed = [either(negated(one.known), _before(value, one, sign, world)) for one in earlier]
        remembered, beyond = self._memory(name, way, value)
        known = every((there, value.known, some((*seen, remembered))))
        moved = every((*passed, either(negated(remembered), beyond)))
        return Truth(both(known, moved), both(known, negated(moved)))

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
        world = self._encoder.world
        if world.fixed:
            return False, True
        if name not in self._open:
            self._open[name] = z3.Bool(f"{name} remembered")
            world.add(z3.Implies(self._open[name], _flag(world.there(world.length - 1))))
            world.add_strictly(z3.Not(self._open[name]))
            world.note(f"what the run had seen of `{name}`")
        if way == CHANGES:
            return self._open[name], negated(self._seen(name, value))
        best = z3.Real(f"{name} {way} to")
        assert isinstance(value, Amount)
        number = z3_of(value.value)
        return self._open[name], number > best if way == RISES else number < best

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
