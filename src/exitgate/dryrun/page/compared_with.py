"""Which values the rules of a policy compare facts with: the lines that a chart can show."""

from __future__ import annotations

from exitgate.language.written import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: Operation of a literal: its value is its first argument.
_LITERALS = ("number", "percent", "duration", "money")


def thresholds(policy: CompiledPolicy) -> dict[str, dict[str, float]]:
    """Return fact -> name of what it is compared with (``$min_completion``, ``2h``) -> the value."""
    found: dict[str, dict[str, float]] = {}
    trees = [rule.when for rule in policy.rules] + list(policy.conditions.values())
    for tree in trees:
        for node in tree.walk():
            for fact, other in _sides(node):
                value = _value(other, policy)
                if value is not None:
                    found.setdefault(fact, {})[_name(other)] = value
    return found


def _sides(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield each fact and what it is compared with."""
    if node.op == "between":
        value, low, high = node.children()
        if value.op == "fact":
            yield from ((str(value.args[0]), low), (str(value.args[0]), high))
    elif node.op == "compare":
        left, right = node.children()
        if left.op == "fact":
            yield str(left.args[0]), right
        if right.op == "fact":
            yield str(right.args[0]), left


def _value(node: Node, policy: CompiledPolicy) -> float | None:
    value = node.args[0] if node.args else None
    if node.op == "parameter":
        value = policy.parameters[str(value)].value  # type: ignore[assignment]
    elif node.op not in _LITERALS:
        return None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _name(node: Node) -> str:
    return f"${node.args[0]}" if node.op == "parameter" else value_text(node.args[0], node.type)
