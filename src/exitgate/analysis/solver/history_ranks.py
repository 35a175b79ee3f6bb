"""
What is read off a window by size: `max`, `min`, `median`, `percentile`.

Where all of the window is known, it is the value of its rank. Where something is unknown, the value may be
known or not, and a comparison may be definite where it is not: it is left open. Where only what the engine is
sure to do is wanted, all must be known. The value of a `deviation` is never written out, but that it is at
most half of the range: `exitgate.language.history_ranks`.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import z3

from exitgate.analysis.solver.flags import both, either, every, negated, some
from exitgate.analysis.solver.history_counts import window
from exitgate.analysis.solver.numbers import settled
from exitgate.analysis.solver.terms import Amount, decimal, z3_of
from exitgate.language.functions import HISTORY_OPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World
    from exitgate.language.tree import Node

    #: How many values there are -> the ranks whose mean the value is, 1 for the smallest.
    Ranks = Callable[[int], tuple[int, ...]]


#: Twice what a deviation may be above that: values are taken to millionths, and so is the deviation.
ROUNDED = (2, 10**6)


def ranked(encoder: Encoder, node: Node, at: int) -> Term:
    """Return the value of a rank, or the mean of two, over the iterations there are."""
    world, inner = encoder.world, encoder.child(node, 0)
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
    whole = all(value.whole for value in values) and node.op != "median"
    found = world.fresh("ranked", "Int" if whole else "Real")
    for count in range(1, len(back) + 1):
        older = world.there(back[count]) if count < len(back) else False
        there = both(world.there(back[count - 1]), negated(older))
        amounts = [z3_of(value.value) for value in values[:count]]
        ends = [_at_rank(amounts, rank, world) for rank in ranks(count)]
        sum_of = ends[0] + ends[-1]
        world.add(either(negated(both(all_known, there)), 2 * found == sum_of))
    return Amount(known, found, whole, recorded=True, calculated=node.op == "median")


def _limit(found: Amount, numbers: Sequence[Amount], back: Sequence[int], world: World) -> None:
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


def _at_rank(amounts: Sequence[Arith], rank: int, world: World) -> Arith:
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
FORMS: dict[str, Form] = dict.fromkeys(("largest", "smallest", "median", "percentile", "deviation"), ranked)
