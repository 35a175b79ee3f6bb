"""Conditions and values of one policy, written out for z3."""

from __future__ import annotations

import z3

from exitgate.analysis.solver.facts import stood_in
from exitgate.analysis.solver.flags import both, every, negated
from exitgate.analysis.solver.terms import (
    UNKNOWN_TRUTH,
    Amount,
    Counted,
    Item,
    Number,
    Truth,
    constant,
    is_fixed,
)
from exitgate.language import kleene
from exitgate.language.closures_tests import COUNTING
from exitgate.language.measure import is_chosen
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.analysis.solver.facts import Facts
    from exitgate.analysis.solver.flags import Flag
    from exitgate.analysis.solver.world import World
    from exitgate.policy.compiled import CompiledPolicy

    Term = Truth | Number | Item
    Form = Callable[["Encoder", Node, int], Term]

_ITEMS = ("enum", "text", "signature", "list")
_LITERALS = ("number", "percent", "duration", "money")


class Encoder:
    """
    Writes out the conditions of one policy.

    Every tree is written out once for each iteration: equal trees give the very same term, so that a
    rounded number, say, is one and the same wherever it is.
    """

    def __init__(self, policy: CompiledPolicy, world: World, facts: Facts) -> None:
        from exitgate.analysis.solver.derived import Computed
        from exitgate.analysis.solver.forms import FORMS

        self.policy = policy
        self.world = world
        self.facts = facts
        self.parameters = policy.values()
        self._computed = Computed(self)
        self._forms: dict[str, Form] = FORMS
        self._made: dict[tuple[Node, int], Term] = {}

    def term(self, node: Node, at: int) -> Term:
        """Return a node as it comes out `at` iterations before the last one."""
        key = (node, at)
        found = self._made.get(key)
        if found is None:
            self.world.in_time()
            chosen = is_chosen(node) and node.op != "after"
            form = windows_left_open if chosen else self._forms[node.op]
            found = self.world.texts.tested(self, node, at) or form(self, node, at)
            self._made[key] = found
        return found

    def truth(self, node: Node, at: int) -> Truth:
        """Return a boolean node."""
        found = self.term(node, at)
        assert isinstance(found, Truth), node
        return found

    def number(self, node: Node, at: int) -> Number:
        """Return a numeric node."""
        found = self.term(node, at)
        assert isinstance(found, Number), node
        return found

    def item(self, node: Node, at: int) -> Item:
        """Return a node that is a member, a text, a signature or a list."""
        found = self.term(node, at)
        assert isinstance(found, Item), node
        return found

    def child(self, node: Node, number: int) -> Node:
        """Return an argument of a node that is a node itself."""
        found = node.args[number]
        assert isinstance(found, Node)
        return found

    def steps(self, node: object) -> int:
        """Return a number of iterations or times."""
        return int(self.amount(node))

    def amount(self, node: object) -> float:
        """Return the value of a literal or parameter that is a number."""
        assert isinstance(node, Node)
        value = self.parameters[str(node.args[0])] if node.op == "parameter" else node.args[0]
        assert isinstance(value, int | float)
        return value

    def open(self, node: Node, reason: str, known: Flag) -> Term:
        """Return a term of the node's type whose value is not written out, and tell why."""
        assert node.type is not None
        self.world.note(reason)
        kind = node.type.kind
        if kind == "bool":
            value = self.world.fresh("open", "Bool")
            return Truth(both(known, value), both(known, negated(value)))
        if kind in _ITEMS:
            return Item(known, self.world.fresh("open", "Int"))
        value = self.world.fresh("open", "Int" if kind == "count" else "Real")
        return Amount(known, value, kind == "count", recorded=True, calculated=True)

    def fact(self, name: str, at: int) -> Term | None:
        """
        Return a fact by name as conditions read it; None where the policy does not declare it.

        A computed fact is computed; another one that is unknown has the value that stands in for it.
        """
        computed = self._computed.fact(name, at)
        if computed is not None:
            return computed
        spec = self.policy.facts.get(name)
        if spec is None:
            return None
        term = self.facts.term(spec, at)
        stand_in = self.policy.unreadable.get(name)
        return term if stand_in is None else stood_in(term, stand_in, self.world, spec.type)


def windows_left_open(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a form over a time, or over what shares a key, as one that can come out in any way."""
    del at
    world, reason = encoder.world, f"`{unparse(node)}`"
    world.add_strictly(False)
    if node.op not in COUNTING:
        return encoder.open(node, reason, world.fresh("open", "Bool"))
    least, most = world.fresh("least", "Int"), world.fresh("most", "Int")
    world.add(z3.And(least >= 0, most >= least))
    world.note(reason)
    return Counted(least, most)


def literal(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a literal."""
    del at
    if node.op in _LITERALS:
        value = node.args[0]
        assert isinstance(value, int | float)
        return constant(value)
    return _plain(encoder, node, node.args[0])


def parameter(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a parameter by its effective value."""
    del at
    value = encoder.parameters[str(node.args[0])]
    return _plain(encoder, node, kleene.fold(value) if kleene.holds_members(node.type) else value)


def _plain(encoder: Encoder, node: Node, value: object) -> Term:
    if isinstance(value, bool):
        return Truth(value, not value)
    if isinstance(value, int | float):
        return constant(value)
    assert node.type is not None
    kind = node.type.kind if node.type.kind in _ITEMS else "text"
    return Item(True, encoder.world.atoms.add(tuple(value) if isinstance(value, list) else value, kind))


def fact(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a fact; one of another type than the condition was checked with is unknown."""
    found = encoder.fact(str(node.args[0]), at)
    assert node.type is not None
    kind = node.type.kind
    if kind == "bool":
        return found if isinstance(found, Truth) else UNKNOWN_TRUTH
    if kind in _ITEMS:
        return found if isinstance(found, Item) else Item(False, 0)
    return found if isinstance(found, Number) else Amount(False, 0, True)


def listed(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a list whose items are fixed."""
    parts = [encoder.term(child, at) for child in node.children()]
    numbers = [part.number for part in parts if isinstance(part, Item) and part.known is True]
    if len(numbers) == len(parts) and all(is_fixed(number) for number in numbers):
        atoms = encoder.world.atoms
        value = tuple(atoms.value(number, "text") for number in numbers)
        return Item(True, atoms.add(value, "list"))
    return encoder.open(node, "a list made of facts", every(part.known for part in parts))


def condition(encoder: Encoder, node: Node, at: int) -> Term:
    """Return a named condition."""
    return encoder.truth(encoder.policy.conditions[str(node.args[0])], at)


FORMS: dict[str, Form] = {
    **dict.fromkeys((*_LITERALS, "text", "enum", "bool"), literal),
    "parameter": parameter,
    "fact": fact,
    "list": listed,
    "condition": condition,
}
