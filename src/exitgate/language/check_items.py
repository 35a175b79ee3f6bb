"""Conditions on the items of a list, and what may be in them."""

from __future__ import annotations

from exitgate.language.check_context import short, with_type
from exitgate.language.functions import HISTORY_OPS, ON_ITEMS
from exitgate.language.named import reachable
from exitgate.language.tree import Node
from exitgate.language.types import BROKEN, phrase
from exitgate.language.unparse import unparse
from exitgate.model.type import BOOL, COUNT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.check_context import Checking

#: Operations that look at more than this iteration.
_HISTORY = frozenset(
    (*HISTORY_OPS, "after", "unchanged", "consecutive", "repeats", "quantified", "declined", "rose")
)


def of_items(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type ``any of LIST where (P)`` and ``count of LIST where (P)``; in P `item` has the type of an item."""
    del hint
    *quantifier, listed, condition = node.args
    assert isinstance(listed, Node)
    assert isinstance(condition, Node)
    typed = checking.typed(listed)
    assert typed.type is not None
    outside, item = checking.item, typed.type.item or BROKEN
    if typed.type.kind not in ("list", "broken"):
        message = f"{short(listed)} is {phrase(typed.type)}, not a list"
        checking.report("EP409", message, listed, _instead(node, listed))
        item = BROKEN
    checking.item = item
    _alone(node, condition, checking)
    inner = checking.condition(condition)
    checking.item = outside
    return with_type(node, BOOL if quantifier else COUNT, (*quantifier, typed, inner))


def _instead(node: Node, listed: Node) -> str:
    if listed.op not in ("number", "duration", "parameter"):
        return "write a fact that is a list, or `[...]`"
    text = unparse(listed)
    if node.op == "count_items":
        return f"write `count(..., last {text})` to count iterations"
    return f"write `{node.args[0]} of last {text} where (...)` for iterations"


def _alone(node: Node, condition: Node, checking: Checking) -> None:
    """Report history, or another list, within a condition on the items of one; also by way of a name."""
    conditions = checking.scope.conditions
    words = f"`{node.args[0] if node.op == 'of_items' else 'count'} of ... where`"
    for part in condition.walk():
        ops = {part.op}
        for name in reachable(part, conditions) if part.op == "condition" else ():
            ops |= conditions[name].uses().keys()
        if ops & ON_ITEMS:
            message = f"{short(part)} looks at the items of a list within {words}"
            help_ = "test the items of one list at a time, and join the tests with `and` or `or`"
        elif ops & _HISTORY:
            message = f"{short(part)} looks at other iterations within {words}"
            help_ = "put the history form around it: `(any of ... where (...)) for 3 consecutive iterations`"
        else:
            continue
        checking.report("EP425", message, part, help_)
        return


def item(node: Node, checking: Checking, hint: Type | None) -> Node:
    """Type `item`, an item of the list that the condition around it is about."""
    del hint
    return with_type(node, checking.item or BROKEN)
