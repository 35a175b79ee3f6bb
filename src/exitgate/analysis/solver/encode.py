"""Conditions and values of one policy, written out for z3."""

from __future__ import annotations

import z3

from exitgate.analysis.solver import aggregates, history, logic
from exitgate.analysis.solver.facts import with_stand_in
from exitgate.analysis.solver.terms import (
    UNKNOWN_TRUTH,
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
    z3_of,
)
from exitgate.core.language.evaluation import kleene
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.functions import COUNTING
from exitgate.core.language.measure import is_chosen
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.analysis.solver.context import Context
    from exitgate.analysis.solver.facts import Facts
    from exitgate.analysis.solver.terms import Flag
    from exitgate.core.policy.compiled import CompiledPolicy

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

    def __init__(self, policy: CompiledPolicy, world: Context, facts: Facts) -> None:
        from exitgate.analysis.solver.derived import Computed

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
            form = self._forms.get(node.op) if node.op == "after" or not is_chosen(node) else None
            found = self.world.texts.tested(self, node, at)
            if found is None:
                found = self.left_open(node) if form is None else form(self, node, at)
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

    def left_open(self, node: Node) -> Term:
        """Return a form that is not written out, such as one over a time: it can come out in any way."""
        world, reason = self.world, f"`{unparse(node)}`"
        world.add_strictly(False)
        if node.op not in COUNTING:
            return self.open(node, reason, world.fresh("open", "Bool"))
        least, most = world.fresh("least", "Int"), world.fresh("most", "Int")
        world.add(z3.And(least >= 0, most >= least))
        world.note(reason)
        return Counted(least, most)

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
        return term if stand_in is None else with_stand_in(term, stand_in, self.world, spec.type)


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


BASIC_FORMS: dict[str, Form] = {
    **dict.fromkeys((*_LITERALS, "text", "enum", "bool"), literal),
    "parameter": parameter,
    "fact": fact,
    "list": listed,
    "condition": condition,
}


# Conditions on the items of a list: what the engine says of each list in the table.

#: The fact that a list of the table is to the engine.
_LIST = "~list"


def of_items(encoder: Encoder, node: Node, at: int) -> Term:
    """
    Return `any of`, `all of` or `count of LIST where (P)`.

    Of a list beyond the table it may be anything, also unknown: that list may be longer than is looked at.
    """
    *before, _, _ = node.args
    listed, condition = node.children()
    world = encoder.world
    world.note(f"`{unparse(node)}`")
    if listed.op == "list" or any(part.op in ("fact", "condition", "silence") for part in condition.walk()):
        world.add_strictly(False)
        return encoder.open(node, f"`{unparse(node)}`", world.fresh("settled", "Bool"))
    whole = encoder.item(listed, at)
    number = z3_of(whole.number)
    world.add_strictly(either(negated(whole.known), number < world.atoms.size))
    as_fact = Node(node.op, (*before, Node("fact", (_LIST,), type=listed.type), condition), type=node.type)
    test = compile_node(as_fact, encoder.parameters, {})
    counts = node.op == "count_items"
    sort = z3.IntSort() if counts else z3.BoolSort()
    function = z3.Function(f"{unparse(node)} of a list", z3.IntSort(), sort)
    settled = z3.Function(f"{unparse(node)} of a list is known", z3.IntSort(), z3.BoolSort())
    for index, value in world.atoms.candidates("list"):
        found = test([{_LIST: value}])
        if isinstance(found, bool | int):
            world.add(function(index) == found)
            world.add(settled(index))
    known = both(whole.known, settled(number))
    came_out = function(number)
    if counts:
        world.add(came_out >= 0)
        return Amount(known, came_out, True)
    return Truth(both(known, came_out), both(known, negated(came_out)))


ITEM_FORMS: dict[str, Form] = dict.fromkeys(("of_items", "count_items"), of_items)


# Every operation of the language and how it is written out.

FORMS: dict[str, Form] = {
    **BASIC_FORMS,
    **logic.FORMS,
    **history.FORMS,
    **history.COUNTING_FORMS,
    **aggregates.VALUE_FORMS,
    **aggregates.RANK_FORMS,
    **ITEM_FORMS,
}
