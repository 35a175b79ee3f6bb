"""Calculation: which units go together and what comes out."""

from __future__ import annotations

from exitgate.language.check_context import as_percent, child, short, with_type
from exitgate.language.check_tests import agree, pair
from exitgate.language.types import BROKEN, PLAIN, joined, numeric, phrase
from exitgate.model.type import NUMBER, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking
    from exitgate.language.tree import Node


def _operands(node: Node, checking: Checking) -> tuple[Node, Node] | None:
    """Return both sides typed, or None when one of them is nothing to calculate with."""
    left, right = pair(child(node, 0), child(node, 1), checking)
    good = [_is_numeric(side, checking) for side in (left, right)]
    return (left, right) if all(good) else None


def _is_numeric(node: Node, checking: Checking) -> bool:
    assert node.type is not None
    if not numeric(node.type):
        message = f"{short(node)} is {phrase(node.type)}; only numbers can be calculated with"
        checking.report("EP409", message, node)
        return False
    return node.type != BROKEN


def sum_(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a + b`` and ``a - b``: both sides alike; the difference of two counts is a number."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right, covering = agree(*sides, node, checking)
    if node.op == "sub" and covering.kind == "count":
        covering = NUMBER
    return with_type(node, covering, (left, right))


def product(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a * b``: at most one side has a unit, and the product has it."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right = sides
    assert left.type is not None
    assert right.type is not None
    if left.type.kind in PLAIN:
        both = joined(left.type, right.type)
        return with_type(node, both if both is not None else right.type, (left, right))
    if right.type.kind in PLAIN:
        return with_type(node, left.type, (left, right))
    return _refuse(node, left, right, "multiplied", checking)


def quotient(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a / b``: by a plain number, which keeps the unit, or by the same unit, which drops it."""
    del hint
    sides = _operands(node, checking)
    if sides is None:
        return with_type(node, BROKEN)
    left, right = sides
    assert left.type is not None
    assert right.type is not None
    if right.op in ("number", "percent", "duration", "money") and right.args[0] == 0:
        message = f"{short(node)} divides by zero, so it is never known"
        return checking.broken("EP422", message, node, "divide by something else")
    if right.type.kind in PLAIN:
        return with_type(node, NUMBER if left.type.kind in PLAIN else left.type, (left, right))
    if joined(left.type, right.type) is not None:
        return with_type(node, NUMBER, (left, right))
    return _refuse(node, left, right, "divided", checking)


def _refuse(node: Node, left: Node, right: Node, done: str, checking: Checking) -> Node:
    assert left.type is not None
    assert right.type is not None
    message = f"{short(left)} is {phrase(left.type)} and {short(right)} is {phrase(right.type)}"
    return checking.broken("EP407", f"{message}; they cannot be {done}", node)


def neg(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``-a``."""
    value = checking.typed(child(node, 0), hint)
    assert value.type is not None
    if not _is_numeric(value, checking):
        return with_type(node, BROKEN)
    return with_type(node, NUMBER if value.type.kind == "count" else value.type, (value,))


def or_else(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``a or else b``: both sides alike; an empty list is of the type of the other side."""
    value, default = child(node, 0), child(node, 1)
    if default.op == "list" and not default.args:
        left = checking.typed(value, hint)
        if left.type is not None and left.type.kind == "list":
            return with_type(node, left.type, (left, with_type(default, left.type, ())))
    if hint is not None:
        left, right = checking.typed(value, hint), checking.typed(default, hint)
    else:
        left, right = pair(value, default, checking)
    if left.op in ("number", "percent", "duration", "money", "text") and right.op == "bool":
        message = f"`or else` takes {short(left)} alone, which is always known"
        return checking.broken(
            "EP407", message, node, "put parentheses around the whole test before `or else`"
        )
    left, right, covering = agree(left, right, node, checking)
    if covering.kind == "percent":
        right = as_percent(right)
    return with_type(node, covering, (left, right))
