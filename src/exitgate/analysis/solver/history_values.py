"""History functions that give an earlier value, a sum, a mean, a repetition."""

from __future__ import annotations

from fractions import Fraction

import z3

from exitgate.analysis.solver import arithmetic
from exitgate.analysis.solver.flags import both, either, every, negated, some
from exitgate.analysis.solver.history import tally
from exitgate.analysis.solver.history_counts import window
from exitgate.analysis.solver.logic import either_term, equal
from exitgate.analysis.solver.numbers import settled
from exitgate.analysis.solver.terms import (
    Amount,
    Item,
    Number,
    Rounded,
    Truth,
    constant,
    is_fixed,
    when,
    z3_of,
)
from exitgate.language.functions import PERIODS
from exitgate.language.unparse import unparse

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
    return term if flag is True else _limited_number(term, flag)


def _limited_number(number: Number, flag: Flag) -> Number:
    from exitgate.analysis.solver.terms import Counted, Share

    known = both(number.known, flag)
    if isinstance(number, Amount):
        return Amount(known, number.value, number.whole)
    if isinstance(number, Rounded):
        return Rounded(known, number.exact)
    if isinstance(number, Share):
        return Share(known, number.over, number.under, number.tied)
    assert isinstance(number, Counted)
    return Amount(known, number.least, True)


def previous(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `previous(x)`."""
    world, child = encoder.world, encoder.child(node, 0)
    if at + 1 >= world.length:
        return limited(encoder.term(child, at), False)
    return limited(encoder.term(child, at + 1), world.there(at + 1))


def total(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `sum(x, last n)` or `average(x, last n)`: added up one after the other, oldest first."""
    back, world = window(encoder, node, at), encoder.world
    result: Number = constant(0)
    known: list[Flag] = []
    for one in reversed(back):
        there, item = world.there(one), encoder.number(encoder.child(node, 0), one)
        known.append(either(negated(there), item.known))
        amount = settled(item, world)
        added = Amount(True, when(there, amount.value, 0), amount.whole)
        result = arithmetic.calculated("add", result, added, world)
    if node.op == "sum":
        return _with_known(result, every(known))
    whole = settled(result, world)
    exact = _share_of(whole, 1)
    for count in range(2, len(back) + 1):
        exact = when(world.there(back[count - 1]), _share_of(whole, count), exact)
    if len(back) <= 2:
        return Amount(every(known), exact, False)  # half a float is a float
    return Rounded(every(known), exact)


def _share_of(amount: Amount, count: int) -> object:
    if isinstance(amount.value, int | Fraction):
        return Fraction(amount.value) / count
    return z3_of(amount.value) * z3.Q(1, count)


def _with_known(number: Number, known: Flag) -> Number:
    if isinstance(number, Rounded):
        return Rounded(known, number.exact)
    assert isinstance(number, Amount)
    return Amount(known, number.value, number.whole)


def occurring(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `occurrences(x, last n)`."""
    child = encoder.child(node, 0)
    assert child.type is not None
    back, world = window(encoder, node, at), encoder.world
    terms = [encoder.term(child, one) for one in back]
    if child.type.kind == "list":
        return _sharing(encoder, node, terms, [world.there(one) for one in back])
    alike = [
        every((world.there(one), term.known, True if term is terms[0] else equal(term, terms[0], encoder)))
        for one, term in zip(back, terms, strict=True)
    ]
    return Amount(terms[0].known, z3_of(tally(alike)), True)


def _sharing(encoder: Encoder, node: Node, terms: list[Term], there: list[Flag]) -> Number:
    """
    Return how many lists hold the item of the newest one that most of them hold.

    Lists that are not in the table may share more than the items of those that are.
    """
    world, atoms = encoder.world, encoder.world.atoms
    lists = [term for term in terms if isinstance(term, Item)]
    table = atoms.candidates("list")
    items = dict.fromkeys(item for _, value in table if isinstance(value, tuple) for item in value)
    most: Arith = 0
    for item in items:
        holds = [some(_is(one, number) for number, value in table if item in value) for one in lists]  # type: ignore[operator]
        count = tally(
            [every((flag, one.known, held)) for flag, one, held in zip(there, lists, holds, strict=True)]
        )
        count = when(holds[0], count, 0)
        most = when(z3_of(count) > z3_of(most), count, most)
    found = world.fresh("occurrences", "Int")
    known = tally([both(flag, one.known) for flag, one in zip(there, lists, strict=True)])
    world.add(z3.And(found >= z3_of(most), found <= z3_of(known)))
    inside = [z3_of(one.number) < atoms.size for one in lists]
    world.add(z3.Implies(z3.And(inside), found == z3_of(most)))
    world.add_strictly(z3.And(inside))
    world.note(f"`{unparse(node)}`")
    return Amount(lists[0].known, found, True)


def _is(one: Item, number: int) -> Flag:
    return one.number == number if is_fixed(one.number) else z3_of(one.number) == number


def cycling(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `cycles(x, last n)`: repetitions of the shortest sequence that ends here."""
    back, world = window(encoder, node, at), encoder.world
    terms = [encoder.term(encoder.child(node, 0), one) for one in back]
    known = [both(world.there(one), term.known) for one, term in zip(back, terms, strict=True)]

    def like(one: int, other: int) -> Flag:
        return every((known[one], known[other], equal(terms[one], terms[other], encoder)))

    shortest, longest = PERIODS
    value = 1
    for period in reversed(range(shortest, min(longest, len(back) // 2) + 1)):
        whole = every(known[:period])
        blocks = [
            every(like(number * period + one, one) for one in range(period))
            for number in range(1, len(back) // period)
        ]
        times = tally([True, *(every(blocks[: number + 1]) for number in range(len(blocks)))])
        differs = some(negated(like(0, one)) for one in range(1, period))
        found = every((whole, blocks[0], differs)) if blocks else False
        # a sequence with an unknown value in it ends the search: longer ones hold that value, too
        value = when(whole, when(found, times, value), 1)
    return Amount(terms[0].known, z3_of(value), True)


FORMS: dict[str, Form] = {
    "first": first_known,
    "last": first_known,
    "previous": previous,
    "sum": total,
    "average": total,
    "occurrences": occurring,
    "cycles": cycling,
}
