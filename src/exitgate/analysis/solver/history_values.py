"""History functions that give an earlier value, a sum, a mean."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver import arithmetic
from exitgate.analysis.solver.flags import both, either, every, negated
from exitgate.analysis.solver.history_counts import window
from exitgate.analysis.solver.logic import either_term
from exitgate.analysis.solver.numbers import settled
from exitgate.analysis.solver.terms import (
    Amount,
    Item,
    Number,
    Truth,
    constant,
    when,
    where,
    with_known,
    z3_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.language.tree import Node


def first_known(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `first(x, last n)` or `last(x, last n)`: the earliest or latest known value."""
    back = window(encoder, node, at)
    order = list(back) if node.op == "last" else list(reversed(back))
    found: Term | None = None
    for one in order:
        term = limited(encoder.term(encoder.child(node, 0), one), encoder.world.there(one))
        found = term if found is None else either_term(found.known, found, term, encoder)
    assert found is not None
    return found


def limited(term: Term, flag: Flag) -> Term:
    """Return a term that is unknown unless the flag holds."""
    if isinstance(term, Truth):
        return Truth(both(flag, term.yes), both(flag, term.no))
    if isinstance(term, Item):
        return Item(both(flag, term.known), term.number)
    return term if flag is True else where(term, flag)


def previous(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `previous(x)`."""
    world, child = encoder.world, encoder.child(node, 0)
    if at + 1 >= world.length:
        return limited(encoder.term(child, at), False)
    return limited(encoder.term(child, at + 1), world.there(at + 1))


def total(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `sum(x, last n)` or `average(x, last n)`: added up exactly."""
    back, world = window(encoder, node, at), encoder.world
    result: Number = constant(0)
    known: list[Flag] = []
    for one in reversed(back):
        there, item = world.there(one), encoder.number(encoder.child(node, 0), one)
        amount = settled(item, world)
        known.append(either(negated(there), amount.known))
        added = amount.like(True, when(there, amount.value, 0))
        result = arithmetic.calculated("add", result, added, world)
    if node.op == "sum":
        return with_known(result, every(known))
    whole = settled(result, world)
    exact = _share_of(whole, 1)
    for count in range(2, len(back) + 1):
        exact = when(world.there(back[count - 1]), _share_of(whole, count), exact)
    return Amount(every(known), exact, False, calculated=True)


def _share_of(amount: Amount, count: int) -> Arith:
    if isinstance(amount.value, int | Fraction):
        return Fraction(amount.value) / count
    return z3_of(amount.value) * z3.Q(1, count)


FORMS: dict[str, Form] = {
    "first": first_known,
    "last": first_known,
    "previous": previous,
    "sum": total,
    "average": total,
}
