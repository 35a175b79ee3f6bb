"""History forms that are true, false or unknown, over iterations that the run may or may not have."""

from __future__ import annotations

from itertools import pairwise

import z3

from exitgate.analysis.solver import arithmetic
from exitgate.analysis.solver.flags import both, either, every, negated, some
from exitgate.analysis.solver.logic import conjoined, disjoined, equal
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.terms import Amount, Number, Truth, constant, when, z3_of
from exitgate.language.measure import is_timed
from exitgate.language.tree import Node
from exitgate.model.type import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.analysis.solver.world import World


def where(flag: Flag, truth: Truth) -> Truth:
    """Return a truth that is false unless `flag` holds: too little history is false."""
    return Truth(both(flag, truth.yes), either(negated(flag), truth.no))


def tally(flags: Sequence[Flag]) -> Arith:
    """Return how many flags hold."""
    sure = sum(flag is True for flag in flags)
    open_ = [z3.If(flag, 1, 0) for flag in flags if flag is not True and flag is not False]
    return z3.Sum([z3.IntVal(sure), *open_]) if open_ else sure


def consecutive(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `(P) for n consecutive iterations`."""
    n = encoder.steps(node.args[1])
    back = encoder.world.back(at, n)
    if len(back) < n:
        return Truth(False, True)
    parts = [encoder.truth(encoder.child(node, 0), one) for one in back]
    return where(encoder.world.there(back[-1]), conjoined(parts))


def after(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `after n iterations`: the first of them is there; `after 45m` is a test of the clock."""
    window = encoder.child(node, 0)
    if is_timed(window):
        size, clock = window.args[:2]
        return encoder.truth(Node("compare", (">=", clock, size), type=BOOL), at)
    n = encoder.steps(node.args[0])
    back = encoder.world.back(at, n)
    return where(encoder.world.there(back[-1]), Truth(True, False)) if len(back) == n else Truth(False, True)


def alike(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x unchanged for n iterations` or `x repeats n times`."""
    if node.op == "repeats" and node.args[2] is not None:
        return repeated_within(encoder, node, at)
    n = encoder.steps(node.args[1]) + (node.op == "unchanged")
    back = encoder.world.back(at, n)
    if len(back) < n:
        return Truth(False, True)
    terms = [encoder.term(encoder.child(node, 0), one) for one in back]
    return where(encoder.world.there(back[-1]), _all_equal(terms, encoder))


def _all_equal(terms: Sequence[Term], encoder: Encoder) -> Truth:
    known = every(term.known for term in terms)
    pairs = [(a, b) for number, a in enumerate(terms) for b in terms[number + 1 :]]
    differ = some(every((a.known, b.known, negated(equal(a, b, encoder)))) for a, b in pairs)
    return Truth(both(known, every(equal(a, b, encoder) for a, b in pairwise(terms))), differ)


def repeated_within(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x repeats n times within last N`."""
    need, world = encoder.steps(node.args[1]), encoder.world
    back = world.back(at, encoder.steps(node.args[2]))
    there = [world.there(one) for one in back]
    terms = [encoder.term(encoder.child(node, 0), one) for one in back]
    least, most = occurrences(terms, there, encoder)
    return Truth(_reach(least, need), negated(_reach(most, need)))


def _reach(count: Arith, need: int) -> Flag:
    return count >= need if not isinstance(count, int) else bool(count >= need)


def occurrences(terms: Sequence[Term], there: Sequence[Flag], encoder: Encoder) -> tuple[Arith, Arith]:
    """Return how often the newest value occurs, at least and at most; `terms` are newest first."""
    current = terms[0]
    unsure = tally([both(flag, negated(term.known)) for flag, term in zip(there, terms, strict=True)])

    def like(one: Term) -> Arith:
        return tally([
            every((flag, term.known, True if term is one else equal(term, one, encoder)))
            for flag, term in zip(there, terms, strict=True)
        ])  # fmt: skip

    same = like(current)
    most_of_others: Arith = 0
    for flag, term in zip(there[1:], terms[1:], strict=True):
        count = when(both(flag, term.known), like(term), 0)
        more = _ordered_more(count, most_of_others)
        most_of_others = when(more, count, most_of_others)
    least = when(current.known, same, 0)
    return least, when(current.known, _plus(same, unsure), _plus(unsure, most_of_others))


def _ordered_more(one: Arith, other: Arith) -> Flag:
    return one > other if not (isinstance(one, int) and isinstance(other, int)) else bool(one > other)


def _plus(one: Arith, other: Arith) -> Arith:
    return one + other


def quantified(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `any / all / at least k / at most k of last n where (P)`."""
    quantifier, number, window, _condition = node.args
    n, world = encoder.steps(window), encoder.world
    back = world.back(at, n)
    there = [world.there(one) for one in back]
    parts = [encoder.truth(encoder.child(node, 3), one) for one in back]
    if quantifier == "all":
        return conjoined([Truth(either(negated(flag), part.yes), both(flag, part.no))
                          for flag, part in zip(there, parts, strict=True)])  # fmt: skip
    held = [where(flag, part) for flag, part in zip(there, parts, strict=True)]
    if quantifier == "any":
        return disjoined(held)
    k = encoder.steps(number)
    sure = tally([part.yes for part in held])
    possible = tally([negated(part.no) for part in held])
    if quantifier == "at_least":
        return Truth(_reach(sure, k), negated(_reach(possible, k)))
    full = len(back) == n and world.there(back[-1])
    return where(full, Truth(negated(_reach(possible, k + 1)), _reach(sure, k + 1)))


def moved(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x declined by p% over last n` or `x rose by p% over last n`."""
    by = encoder.amount(node.args[1])
    n = encoder.steps(node.args[2]) if node.args[2] is not None else 1
    world = encoder.world
    back = world.back(at, n + 1)
    if len(back) <= n:
        return Truth(False, True)
    falls = node.op == "declined"
    now, *before = (encoder.number(encoder.child(node, 0), one) for one in back)
    extreme = extreme_known(before, falls, world)
    way, by = ("sub", min(by, 100)) if falls else ("add", by)
    share = arithmetic.calculated(way, constant(100), constant(by), world)
    limit = arithmetic.calculated("mul", extreme, share, world)
    ours = arithmetic.calculated("mul", now, constant(100), world)
    holds = compared("<=" if falls else ">=", ours, limit, world)
    above = compared(">", extreme, constant(0), world)
    known, all_known = both(now.known, extreme.known), every(number.known for number in before)
    if falls:
        yes, no = every((known, above, holds)), every((known, above, negated(holds)))
    else:
        rises = compared(">", now, extreme, world)
        enough = either(both(above, holds), both(negated(above), rises))
        yes, no = both(known, enough), both(known, negated(enough))
    return where(world.there(back[-1]), Truth(yes, both(no, all_known)))


def extreme_known(numbers: Sequence[Number], highest: bool, world: World) -> Amount:
    """Return the highest (or lowest) of those that are known; known where one is."""
    found: Amount | None = None
    for number in numbers:
        one = settled(number, world)
        if found is None:
            found = one
            continue
        more = compared(">" if highest else "<", one.like(True, one.value), found, world)
        better = both(one.known, either(negated(found.known), more))
        found = arithmetic.one_of(better, one, found, either(one.known, found.known))
    assert found is not None
    return found.like(found.known, z3_of(found.value))


FORMS: dict[str, Form] = {
    "after": after,
    "consecutive": consecutive,
    "unchanged": alike,
    "repeats": alike,
    "quantified": quantified,
    "declined": moved,
    "rose": moved,
}
