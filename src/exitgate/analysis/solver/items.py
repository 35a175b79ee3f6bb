"""Conditions on the items of a list: what the engine says of each list in the table."""

from __future__ import annotations

import z3

from exitgate.analysis.solver.flags import both, either, negated
from exitgate.analysis.solver.terms import Amount, Truth, z3_of
from exitgate.language.closures import compile_node
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Encoder, Form, Term

#: The fact that a list of the table is to the engine.
_LIST = "~list"


def of_items(encoder: Encoder, node: Node, at: int) -> Term:
    """
    Return `any of`, `all of` or `count of LIST where (P)`.

    Of a list beyond the table it may be anything, also unknown: that list may be longer than is looked at.
    """
    *before, listed, condition = node.args
    assert isinstance(listed, Node)
    assert isinstance(condition, Node)
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


FORMS: dict[str, Form] = dict.fromkeys(("of_items", "count_items"), of_items)
