"""The counting history forms, as bounds: `streak`, `count`, `repeats(x)`, `distinct`."""

from __future__ import annotations

import z3

from exitgate.analysis.solver.flags import both, every, negated, some
from exitgate.analysis.solver.history import occurrences, tally
from exitgate.analysis.solver.logic import equal
from exitgate.analysis.solver.terms import Counted, when, z3_of
from exitgate.language.functions import CAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.terms import Arith
    from exitgate.language.tree import Node


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
        there, part = world.there(one), encoder.truth(encoder.child(node, 0), one)
        skipped = encoder.truth(encoder.child(node, 1), one).yes if node.args[1] is not None else False
        sure.append(every((going_sure, there, negated(skipped), part.yes)))
        possible.append(every((going, there, negated(skipped), negated(part.no))))
        passed = both(there, skipped)
        going_sure = some((both(passed, going_sure), sure[-1]))
        going = some((both(passed, going), possible[-1]))
    return _counted(tally(sure), tally(possible))


def count(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `count(P, last n)`."""
    back, world = window(encoder, node, at), encoder.world
    parts = [(world.there(one), encoder.truth(encoder.child(node, 0), one)) for one in back]
    sure = tally([both(there, part.yes) for there, part in parts])
    return _counted(sure, tally([both(there, negated(part.no)) for there, part in parts]))


def repeated(encoder: Encoder, node: Node, at: int) -> Counted:
    """Return `repeats(x)`, or with `last n` how often the current value is among them."""
    back, world = window(encoder, node, at), encoder.world
    there = [world.there(one) for one in back]
    terms = [encoder.term(encoder.child(node, 0), one) for one in back]
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
    terms = [encoder.term(encoder.child(node, 0), one) for one in back]
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


def _counted(least: Arith, most: Arith) -> Counted:
    if isinstance(least, int) and isinstance(most, int):
        return Counted(least, most)
    return Counted(z3.simplify(z3_of(least)), z3.simplify(z3_of(most)))


FORMS: dict[str, Form] = {"streak": streak, "count": count, "repeated": repeated, "distinct": distinct}
