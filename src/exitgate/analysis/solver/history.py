"""History forms that are true, false or unknown, over iterations that the run may or may not have."""

from __future__ import annotations

from itertools import pairwise

import z3

from exitgate.analysis.solver import numbers as numbers_module
from exitgate.analysis.solver.logic import conjoined, disjoined, equal
from exitgate.analysis.solver.numbers import compared, settled
from exitgate.analysis.solver.terms import (
    Amount,
    Counted,
    Item,
    Number,
    Truth,
    both,
    constant,
    either,
    every,
    is_fixed,
    negated,
    some,
    when,
    z3_of,
)
from exitgate.core.language.functions import CAP, PERIODS
from exitgate.core.language.measure import is_timed
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.terms import Arith, Flag
    from exitgate.core.language.tree import Node


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
    parts = [encoder.truth(node.child(0), one) for one in back]
    return where(encoder.world.there(back[-1]), conjoined(parts))


def after(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `after n iterations`: the first of them is there; `after 45m` is a test of the clock."""
    window = node.child(0)
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
    terms = [encoder.term(node.child(0), one) for one in back]
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
    terms = [encoder.term(node.child(0), one) for one in back]
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
    parts = [encoder.truth(node.child(3), one) for one in back]
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
    now, *before = (encoder.number(node.child(0), one) for one in back)
    extreme = extreme_known(before, falls, world)
    way, by = ("sub", min(by, 100)) if falls else ("add", by)
    share = numbers_module.calculated(way, constant(100), constant(by), world)
    limit = numbers_module.calculated("mul", extreme, share, world)
    ours = numbers_module.calculated("mul", now, constant(100), world)
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


def extreme_known(numbers: Sequence[Number], highest: bool, world: Context) -> Amount:
    """Return the highest (or lowest) of those that are known; known where one is."""
    found: Amount | None = None
    for number in numbers:
        one = settled(number, world)
        if found is None:
            found = one
            continue
        more = compared(">" if highest else "<", one.like(True, one.value), found, world)
        better = both(one.known, either(negated(found.known), more))
        found = numbers_module.one_of(better, one, found, either(one.known, found.known))
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


# The counting history forms, as bounds.


def window(encoder: Encoder, node: Node, at: int) -> range:
    """Return the iterations that a history function reads, newest first."""
    size = node.args[-1] if len(node.args) > 1 else None
    return encoder.world.back(at, CAP if size is None else encoder.steps(size))


def streak(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `streak(P) skipping (Q)`: each iteration counts as long as no earlier one has ended it."""
    back, world = window(encoder, node, at), encoder.world
    going_sure, going = True, True
    sure: list[Flag] = []
    possible: list[Flag] = []
    for one in back:
        there, part = world.there(one), encoder.truth(node.child(0), one)
        skip = encoder.truth(node.child(1), one) if node.args[1] is not None else Truth(False, True)
        sure.append(every((going_sure, there, skip.no, part.yes)))
        possible.append(every((going, there, negated(skip.yes), negated(part.no))))
        passed_sure = both(there, either(skip.yes, both(negated(skip.no), part.yes)))
        passed = both(there, either(skip.yes, both(negated(skip.no), part.no)))
        going_sure = some((both(passed_sure, going_sure), sure[-1]))
        going = some((both(passed, going), possible[-1]))
    return _counted(tally(sure), tally(possible))


def count(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `count(P, last n)`."""
    back, world = window(encoder, node, at), encoder.world
    parts = [(world.there(one), encoder.truth(node.child(0), one)) for one in back]
    sure = tally([both(there, part.yes) for there, part in parts])
    return _counted(sure, tally([both(there, negated(part.no)) for there, part in parts]))


def repeated(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `repeats(x)`, or with `last n` how often the current value is among them."""
    back, world = window(encoder, node, at), encoder.world
    there = [world.there(one) for one in back]
    terms = [encoder.term(node.child(0), one) for one in back]
    if node.args[-1] is not None and len(node.args) > 1:
        return _counted(*occurrences(terms, there, encoder))
    sure: list[Flag] = []
    possible: list[Flag] = []
    going_sure, going = True, True
    for number, (flag, term) in enumerate(zip(there, terms, strict=True)):
        fits = _unknown_or_like(term, terms[:number], encoder)
        going = every((going, flag, fits))
        going_sure = every((going_sure, going, term.known))
        possible.append(going)
        sure.append(going_sure)
    return _counted(tally(sure), tally(possible))


def _unknown_or_like(term: Term, newer: Sequence[Term], encoder: Encoder) -> Flag:
    """Return whether a value is unknown, or equal to the newer ones that are known."""
    apart = some(every((term.known, one.known, negated(equal(term, one, encoder)))) for one in newer)
    return negated(apart)


def distinct(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `distinct(x, last n)`: an iteration counts where no newer one has its value."""
    back, world = window(encoder, node, at), encoder.world
    there = [world.there(one) for one in back]
    terms = [encoder.term(node.child(0), one) for one in back]
    new = [
        every(
            (
                flag,
                term.known,
                *(negated(both(one.known, equal(one, term, encoder))) for one in terms[:number]),
            )
        )
        for number, (flag, term) in enumerate(zip(there, terms, strict=True))
    ]
    different = tally(new)
    unknown = tally([both(flag, negated(term.known)) for flag, term in zip(there, terms, strict=True)])
    least = when(_positive(different), different, 1)
    return _counted(least, different + unknown)


def _positive(count: Arith) -> Flag:
    return bool(count > 0) if isinstance(count, int) else count > 0


def occurring(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `occurrences(x, last n)`."""
    child = node.child(0)
    assert child.type is not None
    back, world = window(encoder, node, at), encoder.world
    terms, there = [encoder.term(child, one) for one in back], [world.there(one) for one in back]
    if child.type.kind != "list":
        return _counted(*occurrences(terms, there, encoder))
    return _sharing(encoder, node, [term for term in terms if isinstance(term, Item)], there)


def _sharing(encoder: Encoder, node: Node, lists: list[Item], there: list[Flag]) -> Counted:
    """
    Return how many lists hold the item of the newest one that most of them hold.

    Lists that are not in the table may share more than the items of those that are.
    """
    world, atoms = encoder.world, encoder.world.atoms
    table = atoms.candidates("list")
    items = dict.fromkeys(item for _, value in table if isinstance(value, tuple) for item in value)
    best: Arith = 0
    for item in items:
        holds = [some(_is(one, number) for number, value in table if item in value) for one in lists]  # type: ignore[operator]
        count = tally(
            [every((flag, one.known, held)) for flag, one, held in zip(there, lists, holds, strict=True)]
        )
        count = when(holds[0], count, 0)
        best = when(z3_of(count) > z3_of(best), count, best)
    found, most = world.fresh("occurrences", "Int"), world.fresh("occurrences", "Int")
    known = tally([both(flag, one.known) for flag, one in zip(there, lists, strict=True)])
    world.add(z3.And(found >= z3_of(best), found <= z3_of(known), most >= found, most <= z3_of(tally(there))))
    inside = [z3_of(one.number) < atoms.size for one in lists]
    world.add(z3.Implies(z3.And(inside), found == z3_of(best)))
    world.add_strictly(z3.And(inside))
    world.note(f"`{unparse(node)}`")
    return _counted(when(lists[0].known, found, 0), most)


def _is(one: Item, number: int) -> Flag:
    return one.number == number if is_fixed(one.number) else z3_of(one.number) == number


def cycling(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `cycles(x, last n)`: for each length of sequence, the rounds for certain and at most."""
    back, world = window(encoder, node, at), encoder.world
    terms = [encoder.term(node.child(0), one) for one in back]
    series = _Series(terms, [world.there(one) for one in back], encoder)
    shortest, longest = PERIODS
    least: Arith = 1
    most: Arith = 1
    for period in reversed(range(shortest, min(longest, len(back) // 2) + 1)):
        sure, possible = series.rounds(period, True), series.rounds(period, False)
        again, may = _more_than_one(sure), _more_than_one(possible)
        # a shorter sequence that may have come again comes first; if it has not, this one holds
        later = when(_more_than_one(least), 2, 1)
        least = when(again, sure, when(may, later, least))
        most = when(again, possible, when(may, _larger(possible, most), most))
    return _counted(least, most)


def _more_than_one(count: Arith) -> Flag:
    return bool(count > 1) if isinstance(count, int) else count > 1


def _larger(one: Arith, other: Arith) -> Arith:
    return when(z3_of(one) > z3_of(other), one, other)


class _Series:
    """Values newest first, and how often a sequence of some length ends them."""

    def __init__(self, terms: Sequence[Term], there: Sequence[Flag], encoder: Encoder) -> None:
        self._terms = terms
        self._there = there
        self._encoder = encoder

    def rounds(self, period: int, sure: bool) -> Arith:
        """Return how many blocks are the same, but not one value: for certain, or if what is unknown fits."""
        going: Flag = every(self._there[:period])
        rounds: Arith = 1
        for times in range(2, len(self._terms) // period + 1):
            size = period * times
            new = range(size - period, size)
            fits = self._same if sure else self._may_be_same
            going = every((going, *(self._there[one] for one in new), *(fits(one, period) for one in new)))
            rounds = when(both(going, self._varied(period, size, sure)), times, rounds)
        return rounds

    def _same(self, one: int, period: int) -> Flag:
        other = one - period
        known = (self._terms[one].known, self._terms[other].known)
        return every((*known, equal(self._terms[one], self._terms[other], self._encoder)))

    def _may_be_same(self, one: int, period: int) -> Flag:
        return _unknown_or_like(self._terms[one], self._terms[one % period : one : period], self._encoder)

    def _varied(self, period: int, size: int, sure: bool) -> Flag:
        """Return whether the sequence holds two values, or may hold them."""
        differ = some(
            every((self._terms[a].known, self._terms[b].known,
                   negated(equal(self._terms[a], self._terms[b], self._encoder))))
            for a in range(size) for b in range(a + 1, size)
        )  # fmt: skip
        if sure:
            return differ
        columns = (every(negated(self._terms[one].known) for one in range(place, size, period))
                   for place in range(period))  # fmt: skip
        return either(differ, some(columns))


def _counted(least: Arith, most: Arith) -> Counted:
    if isinstance(least, int) and isinstance(most, int):
        return Counted(least, most)
    return Counted(z3.simplify(z3_of(least)), z3.simplify(z3_of(most)))


COUNTING_FORMS: dict[str, Form] = {
    "streak": streak,
    "count": count,
    "repeated": repeated,
    "distinct": distinct,
    "occurrences": occurring,
    "cycles": cycling,
}
