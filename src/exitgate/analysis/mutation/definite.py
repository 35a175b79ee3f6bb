"""Conditions that are true or false no matter what is known, because they ask first."""

from __future__ import annotations

from exitgate.analysis.mutation.trees import asked_for
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Operations that have a value no matter what their parts are.
ASKING = frozenset(("known", "unknown", "silence"))
#: Operations that are known where all their parts are.
AS_PARTS = frozenset(
    ("not", "compare", "is", "is_not", "in", "not_in", "between", "contains", "matches", "list")
)
SUMS = frozenset(("add", "sub", "mul", "neg"))
VALUES = frozenset(("number", "percent", "duration", "money", "text", "enum", "bool", "parameter"))


def definite(conditions: Mapping[str, Node]) -> frozenset[str]:
    """
    Return the conditions that are never unknown, in this iteration and in every earlier one, as ``@name``.

    Args:
        conditions: Checked trees by name, as `CompiledPolicy.conditions` has them; none rests on itself.
    """
    found: dict[str, bool] = {}
    for name in conditions:
        _of_condition(name, conditions, found)
    return frozenset(f"@{name}" for name, is_definite in found.items() if is_definite)


def _of_condition(name: str, conditions: Mapping[str, Node], found: dict[str, bool]) -> bool:
    if name not in found:
        found[name] = _is_definite(conditions[name], frozenset(), conditions, found)
    return found[name]


def _is_definite(
    node: Node, known: frozenset[str], conditions: Mapping[str, Node], found: dict[str, bool]
) -> bool:
    """Return whether a part is known: its facts are among `known`, or it comes to something without them."""
    if node.op in ASKING or node.op in VALUES or unparse(node) in known:
        return True
    if node.op == "condition":
        return _of_condition(str(node.args[0]), conditions, found)
    if node.op == "or_else":
        return isinstance(node.args[1], Node) and _is_definite(node.args[1], known, conditions, found)
    if node.op == "and":  # where something that is asked for is missing, the whole is false
        known = known | asked_for(node)
    elif node.op == "or":  # and true where something is missing that may be
        known = known | asked_for(node, "unknown")
    elif node.op not in AS_PARTS and node.op not in SUMS:
        return False
    return all(_is_definite(arg, known, conditions, found) for arg in node.args if isinstance(arg, Node))
