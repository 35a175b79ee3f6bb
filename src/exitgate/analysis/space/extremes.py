"""
`max` and `min` of a fact over a window, beside a constant, as conditions on its iterations.

The largest value is above a constant where any value is, and below it where all are; with unknown values
too, as `any` and `all` are definite where the bounds of `max` and `min` are.
"""

from __future__ import annotations

from collections.abc import Collection

from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import Derived

_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}
_SIGNS = {"is": "==", "is_not": "!="}
_LITERALS = ("number", "percent", "duration", "money", "parameter")


def over_iterations(node: Node, derived: Collection[Derived] = ()) -> Node | None:
    """
    Return a test of `max(a, last N)` or `min(a, last N)` by quantifiers; None for any other node.

    None, too, where `a` is one of the computed facts `derived`: of such a number bounds may be known, which a
    comparison reads and `max` does not.
    """
    found = _over_iterations(node)
    names = {fact.name for fact in derived}
    return None if found is None or not names.isdisjoint(found.uses().get("fact", ())) else found


def _over_iterations(node: Node) -> Node | None:
    if node.op == "between":
        value, low, high = node.children()
        parts = [_tested(sign, value, end) for sign, end in ((">=", low), ("<=", high))]
        return None if None in parts else _joined("and", parts)
    if node.op not in ("compare", *_SIGNS):
        return None
    left, right = node.children()
    sign = _SIGNS.get(node.op) or str(node.args[0])
    return _tested(sign, left, right) or _tested(_MIRRORED[sign], right, left)


def _tested(sign: str, value: Node, limit: Node) -> Node | None:
    if value.op not in ("largest", "smallest") or limit.op not in _LITERALS:
        return None
    inner, window = value.children()
    if inner.op != "fact" or window.op not in ("number", "parameter"):
        return None  # it is recorded; what is calculated would be compared before it is rounded
    if sign in ("==", "!="):
        signs = (">=", "<=") if sign == "==" else (">", "<")
        parts = [_tested(one, value, limit) for one in signs]
        return _joined("and" if sign == "==" else "or", parts)
    upwards = sign in (">", ">=")
    quantifier = "any" if upwards == (value.op == "largest") else "all"
    test = Node("compare", (sign, inner, limit), inner.start, limit.end, BOOL)
    return Node("quantified", (quantifier, None, window, test), inner.start, limit.end, BOOL)


def _joined(op: str, parts: list[Node | None]) -> Node:
    return Node(op, tuple(parts), type=BOOL)
