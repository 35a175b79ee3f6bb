"""History functions that give an earlier value, a sum, a mean."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import z3

from exitgate.analysis.solver import numbers as numbers_module
from exitgate.analysis.solver.history import window
from exitgate.analysis.solver.logic import either_term
from exitgate.analysis.solver.numbers import settled
from exitgate.analysis.solver.terms import (
    Amount,
    Number,
    both,
    constant,
    decimal,
    either,
    every,
    negated,
    some,
    when,
    z3_of,
)
from exitgate.core.language.functions import HISTORY_OPS, MEAN, RANKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.terms import Arith, Flag
    from exitgate.core.language.tree import Node

    #: How many values there are -> the ranks whose mean the value is, 1 for the smallest.
    Ranks = Callable[[int], tuple[int, ...]]


def first_known(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `first(x, last n)` or `last(x, last n)`: the earliest or latest known value."""
    back = window(encoder, node, at)
    order = list(back) if node.op == "last" else list(reversed(back))
    found: Term | None = None
    for one in order:
        term = encoder.term(node.child(0), one).only_where(encoder.world.there(one))
        found = term if found is None else either_term(found.known, found, term, encoder)
    assert found is not None
    return found


def previous(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `previous(x)`."""
    world, child = encoder.world, node.child(0)
    if at + 1 >= world.length:
        return encoder.term(child, at).only_where(False)
    return encoder.term(child, at + 1).only_where(world.there(at + 1))


def total(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `sum(x, last n)` or `average(x, last n)`: added up exactly."""
    back, world = window(encoder, node, at), encoder.world
    result: Number = constant(0)
    known: list[Flag] = []
    for one in reversed(back):
        there, item = world.there(one), encoder.number(node.child(0), one)
        amount = settled(item, world)
        known.append(either(negated(there), amount.known))
        added = amount.like(True, when(there, amount.value, 0))
        result = numbers_module.calculated("add", result, added, world)
    if node.op == "sum":
        return result.with_known(every(known))
    whole = settled(result, world)
    exact = _share_of(whole, 1)
    for count in range(2, len(back) + 1):
        exact = when(world.there(back[count - 1]), _share_of(whole, count), exact)
    return Amount(every(known), exact, False, calculated=True)


def _share_of(amount: Amount, count: int) -> Arith:
    if isinstance(amount.value, int | Fraction):
        return Fraction(amount.value) / count
    return z3_of(amount.value) * z3.Q(1, count)


VALUE_FORMS: dict[str, Form] = {
    "first": first_known,
    "last": first_known,
    "previous": previous,
    "sum": total,
    "average": total,
}


# What is read off a window by size: `max`, `min`, `median`, `percentile`.
#
# Where all of the window is known, it is the value of its rank. Where something is unknown, the value may
# be known or not, and a comparison may be definite where it is not: it is left open. Where only what the
# engine is sure to do is wanted, all must be known. The value of a `deviation` is never written out, but
# that it is at most half of the range: `exitgate.core.language.evaluation.history_ranks`.

#: Twice what a deviation may be above that: values are taken to millionths, and so is the deviation.
ROUNDED = (2, 10**6)


def ranked(encoder: Encoder, node: Node, at: int) -> Term:
    """Return the value of a rank, or the mean of two, over the iterations there are."""
    world, inner = encoder.world, node.child(0)
    back = window(encoder, node, at)
    numbers = [encoder.number(inner, one) for one in back]
    all_known = every(
        either(negated(world.there(one)), number.known) for one, number in zip(back, numbers, strict=True)
    )
    known = either(all_known, world.fresh("settled", "Bool"))
    if all_known is not True:
        world.add_strictly(all_known)
        world.note(f"`{HISTORY_OPS[node.op].name}` over unknown values")
    ranks = _ranks(encoder, node)
    if ranks is None or inner.op != "fact":
        world.add_strictly(False)
        found = encoder.open(node, f"`{HISTORY_OPS[node.op].name}` over iterations", known)
        computed = {fact.name for fact in encoder.policy.derived}
        if node.op == "deviation" and inner.op == "fact" and inner.args[0] not in computed:
            assert isinstance(found, Amount)
            _limit(found, [settled(number, world) for number in numbers], back, world)
        return found
    values = [settled(number, world) for number in numbers]
    whole = all(value.whole for value in values) and HISTORY_OPS[node.op].result != MEAN
    found = world.fresh("ranked", "Int" if whole else "Real")
    for count in range(1, len(back) + 1):
        older = world.there(back[count]) if count < len(back) else False
        there = both(world.there(back[count - 1]), negated(older))
        amounts = [z3_of(value.value) for value in values[:count]]
        ends = [_at_rank(amounts, rank, world) for rank in ranks(count)]
        sum_of = ends[0] + ends[-1]
        world.add(either(negated(both(all_known, there)), 2 * found == sum_of))
    return Amount(known, found, whole, recorded=True, calculated=HISTORY_OPS[node.op].result == MEAN)


def _limit(found: Amount, numbers: Sequence[Amount], back: Sequence[int], world: Context) -> None:
    """
    Demand of a deviation that it is at most half of the range of the values that are known.

    If others are unknown, it is the least possible value: the one where they lie between the known ones.
    So it is not said of facts of which bounds may be known.
    """
    low, high = world.fresh("low", "Real"), world.fresh("high", "Real")
    values = [
        (both(world.there(one), number.known), z3_of(number.value))
        for one, number in zip(back, numbers, strict=True)
    ]
    for known, value in values:
        world.add(either(negated(known), z3.And(low <= value, value <= high)))
    for end in (low, high):
        world.add(some((*(both(known, end == value) for known, value in values), low == high)))
    deviation = z3_of(found.value)
    world.add(z3.And(deviation >= 0, 2 * deviation <= high - low + z3.Q(*ROUNDED)))


def _at_rank(amounts: Sequence[Arith], rank: int, world: Context) -> Arith:
    """Return one of some amounts: fewer than `rank` are below it, and so many at most it."""
    if len(amounts) == 1:
        return amounts[0]
    found = world.fresh("rank", "Int" if all(map(z3.is_int, amounts)) else "Real")
    world.add(z3.Or(*(found == amount for amount in amounts)))
    world.add(z3.Sum([z3.If(amount < found, 1, 0) for amount in amounts]) < rank)
    world.add(z3.Sum([z3.If(amount <= found, 1, 0) for amount in amounts]) >= rank)
    return found


def _ranks(encoder: Encoder, node: Node) -> Ranks | None:
    if node.op == "percentile":
        share: Fraction = decimal(encoder.amount(node.args[1]))
        return lambda count: (min(count, max(1, ceil(share * count / 100))),)
    return _RANKS.get(node.op)


_RANKS: dict[str, Ranks] = {
    "smallest": lambda _count: (1,),
    "largest": lambda count: (count,),
    "median": lambda count: ((count + 1) // 2, count // 2 + 1),
}
RANK_FORMS: dict[str, Form] = dict.fromkeys(RANKED, ranked)
