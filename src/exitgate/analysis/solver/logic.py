"""Conditions on one iteration: Kleene logic, comparison, membership, texts, knowledge and silence."""

from __future__ import annotations

import z3

from exitgate.analysis.solver import numbers as numbers_module
from exitgate.analysis.solver.numbers import compared, counted
from exitgate.analysis.solver.terms import (
    Amount,
    Counted,
    Item,
    Number,
    Truth,
    both,
    every,
    is_fixed,
    negated,
    picked,
    same,
    some,
    when,
    z3_flag,
    z3_of,
)
from exitgate.analysis.space.extremes import over_iterations
from exitgate.analysis.space.silence import heard
from exitgate.core.language.functions import FUNCTIONS, NUMERIC
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Form, Term
    from exitgate.analysis.solver.terms import Flag


def negation(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `not a`."""
    return turned(encoder.truth(node.child(0), at))


def turned(truth: Truth) -> Truth:
    """Return the opposite; unknown stays unknown."""
    return Truth(truth.no, truth.yes)


def joined(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `a and b` or `a or b`."""
    parts = [encoder.truth(child, at) for child in node.children()]
    return conjoined(parts) if node.op == "and" else disjoined(parts)


def conjoined(parts: list[Truth]) -> Truth:
    """Return strong Kleene `and`."""
    return Truth(every(part.yes for part in parts), some(part.no for part in parts))


def disjoined(parts: list[Truth]) -> Truth:
    """Return strong Kleene `or`."""
    return Truth(some(part.yes for part in parts), every(part.no for part in parts))


def comparison(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return a comparison by its sign, or `is` and `is not`."""
    extreme = over_iterations(node, encoder.policy.derived)
    if extreme is not None:
        return encoder.truth(extreme, at)
    *signs, _left, _right = node.args
    left, right = node.children()
    sign = str(signs[0]) if signs else "==" if node.op == "is" else "!="
    return tested(encoder, sign, encoder.term(left, at), encoder.term(right, at))


def tested(encoder: Encoder, sign: str, one: Term, other: Term) -> Truth:
    """Return `left sign right`; numbers between bounds are compared by these."""
    if isinstance(one, Number) and isinstance(other, Number) and Counted in (type(one), type(other)):
        known = every(term.bounded if isinstance(term, Counted) else term.known for term in (one, other))
        yes, no = counted(sign, one, other, encoder.world)
        return Truth(both(known, yes), both(known, no))
    known = both(one.known, other.known)
    if isinstance(one, Number):
        assert isinstance(other, Number)
        holds = compared(sign, one, other, encoder.world)
    else:
        holds = equal(one, other, encoder)
        holds = holds if sign == "==" else negated(holds)
    return Truth(both(known, holds), both(known, negated(holds)))


def equal(one: Term, other: Term, encoder: Encoder) -> Flag:
    """Return whether two known terms of one type are equal."""
    if isinstance(one, Truth):
        return same(one.yes, other.yes) if isinstance(other, Truth) else False
    if isinstance(one, Number):
        return compared("==", one, other, encoder.world) if isinstance(other, Number) else False
    if not isinstance(other, Item):
        return False
    if is_fixed(one.number) and is_fixed(other.number):
        return bool(one.number == other.number)
    return z3_of(one.number) == z3_of(other.number)


def between(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x between low and high`."""
    extreme = over_iterations(node, encoder.policy.derived)
    if extreme is not None:
        return encoder.truth(extreme, at)
    value, low, high = (encoder.term(child, at) for child in node.children())
    return conjoined([tested(encoder, ">=", value, low), tested(encoder, "<=", value, high)])


def member(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x in [...]` or `x not in [...]`."""
    left, right = node.children()
    value = encoder.term(left, at)
    if right.op == "list":
        found = disjoined(
            [tested(encoder, "==", value, encoder.term(child, at)) for child in right.children()]
        )
    else:
        found = _holds(encoder, node, encoder.item(right, at), value)
    if not isinstance(value, Counted):
        found = Truth(both(value.known, found.yes), both(value.known, found.no))
    return found if node.op == "in" else turned(found)


def _holds(encoder: Encoder, node: Node, held: Item, value: Term) -> Truth:
    """Return whether a list that is one term holds a value."""
    atoms = encoder.world.atoms
    if is_fixed(held.number):
        items = atoms.value(held.number, "list")
        assert isinstance(items, tuple)
        if not isinstance(value, Item):
            return _opened(encoder, node, both(held.known, value.known))
        numbers = [atoms.add(item, "text") for item in items]
        found = some(equal(Item(True, number), value, encoder) for number in numbers)
        return Truth(both(held.known, found), both(held.known, negated(found)))
    if isinstance(value, Item) and is_fixed(value.number):
        wanted = atoms.value(value.number, "text")
        return _looked_up(encoder, node, held, "list", lambda items: wanted in items)
    settled = encoder.world.fresh("settled", "Bool") if isinstance(value, Counted) else value.known
    return _opened(encoder, node, both(held.known, settled))


def _opened(encoder: Encoder, node: Node, known: Flag) -> Truth:
    encoder.world.note(f"`{unparse(node)}`")
    found = encoder.world.fresh("held", "Bool")
    return Truth(both(known, found), both(known, negated(found)))


def _looked_up(encoder: Encoder, node: Node, whole: Item, kind: str, test) -> Truth:  # type: ignore[no-untyped-def]
    """Return a test of a text or list: what it says of those in the table; of others it may say anything."""
    world = encoder.world
    function = z3.Function(f"test {unparse(node)} of {kind}", z3.IntSort(), z3.BoolSort())
    for number, value in world.atoms.candidates(kind):
        world.add(function(number) == bool(test(value)))
    if not is_fixed(whole.number):
        world.add_strictly(z3.Or(z3.Not(z3_flag(whole.known)), whole.number < world.atoms.size))
        world.note(f"`{unparse(node)}`")
    found = function(z3_of(whole.number))
    return Truth(both(whole.known, found), both(whole.known, negated(found)))


def contains(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `whole contains part`, of a text or of a list."""
    left, right = node.children()
    whole, part = encoder.item(left, at), encoder.item(right, at)
    assert left.type is not None
    if is_fixed(part.number) and part.known is True:
        wanted = encoder.world.atoms.value(part.number, "text")
        return _looked_up(encoder, node, whole, left.type.kind, lambda value: wanted in value)
    return _opened(encoder, node, both(whole.known, part.known))


def matches(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `text matches pattern`."""
    from exitgate.core.language.evaluation.kleene import searcher

    whole = encoder.item(node.child(0), at)
    return _looked_up(encoder, node, whole, "text", searcher(str(node.args[1])))


def knowledge(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `x is known` or `x is unknown`."""
    known = encoder.term(node.child(0), at).known
    return Truth(known, negated(known)) if node.op == "known" else Truth(negated(known), known)


def or_else(encoder: Encoder, node: Node, at: int) -> Term:
    """Return `a or else b`."""
    first, second = (encoder.term(child, at) for child in node.children())
    return either_term(first.known, first, second, encoder)


def either_term(flag: Flag, first: Term, second: Term, encoder: Encoder) -> Term:
    """Return one of two terms of one type."""
    if isinstance(first, Truth):
        assert isinstance(second, Truth)
        return Truth(picked(flag, first.yes, second.yes), picked(flag, first.no, second.no))
    if isinstance(first, Number):
        assert isinstance(second, Number)
        return numbers_module.either_of(flag, first, second, encoder.world)
    assert isinstance(second, Item)
    return Item(picked(flag, first.known, second.known), when(flag, first.number, second.number))


def silence(encoder: Encoder, node: Node, at: int) -> Truth:
    """Return `nothing is known`: of the facts that are read from what the agent said or did."""
    del node
    nothing = silent(encoder, at)
    return Truth(nothing, negated(nothing))


def silent(encoder: Encoder, at: int) -> Flag:
    """Return whether nothing is known in an iteration; what stands in for a fact is not known."""
    policy = encoder.policy
    return every(negated(encoder.facts.term(policy.facts[name], at).known) for name in heard(policy))


def calculated(encoder: Encoder, node: Node, at: int) -> Number:
    """Return a sum, difference, product or quotient."""
    left, right = (encoder.number(child, at) for child in node.children())
    return numbers_module.calculated(node.op, left, right, encoder.world)


def minus(encoder: Encoder, node: Node, at: int) -> Number:
    """Return `-a`."""
    return numbers_module.minus(encoder.number(node.child(0), at), encoder.world)


def call(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a call of a function."""
    name = str(node.args[0])
    if name in numbers_module.CALLS:
        numbers = [encoder.number(child, at) for child in node.children()]
        return numbers_module.CALLS[name](numbers, encoder.world)
    argument, called = node.child(1), FUNCTIONS[name]
    kind = argument.type
    assert kind is not None
    assert called.value is not None
    if kind.kind in NUMERIC:
        return encoder.left_open(node)
    whole = encoder.item(argument, at)
    world, atoms = encoder.world, encoder.world.atoms
    function = z3.Function(f"{name} of {kind.kind}", z3.IntSort(), z3.IntSort())
    for number, value in atoms.candidates(kind.kind):
        came_out = called.value(value)
        world.add(function(number) == (atoms.add(came_out, "text") if called.result == "text" else came_out))
    found = function(z3_of(whole.number))
    world.add(found >= 0)
    world.add_strictly(z3.Or(z3.Not(z3_flag(whole.known)), z3_of(whole.number) < atoms.size))
    world.note(f"`{unparse(node)}`")
    return Item(whole.known, found) if called.result == "text" else Amount(whole.known, found, True)


FORMS: dict[str, Form] = {
    "and": joined,
    "or": joined,
    "not": negation,
    "compare": comparison,
    "is": comparison,
    "is_not": comparison,
    "between": between,
    "in": member,
    "not_in": member,
    "contains": contains,
    "matches": matches,
    "known": knowledge,
    "unknown": knowledge,
    "or_else": or_else,
    "silence": silence,
    **dict.fromkeys(("add", "sub", "mul", "div"), calculated),
    "neg": minus,
    "call": call,
}
