"""How far back a condition reads, computed facts and progress included."""

from __future__ import annotations

from exitgate.language.measure import facts_of, lookback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Derived


def reach(policy: CompiledPolicy, node: Node) -> int:
    """
    Return how many earlier iterations the truth of `node` can rest on.

    What a computed fact reads adds to what the condition reads of that fact. Progress reads one more:
    what its signals were before. Raises KeyError for a parameter or condition the policy does not have.
    """
    return _of_tree(node, policy, {fact.name: fact for fact in policy.derived})


def _of_tree(node: Node, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    below = [_of_fact(name, policy, derived) for name in facts_of(node, policy.conditions)]
    return lookback(node, policy.values(), policy.conditions) + max(below, default=0)


def _of_fact(name: str, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    fact = derived.get(name)
    if fact is None:
        return 0
    others = {other: one for other, one in derived.items() if other != name}
    trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
    below = [_of_tree(tree, policy, others) for tree in trees]
    below += [1 + _of_fact(signal, policy, others) for signal in fact.signals]
    return max(below, default=0)
