"""How far back a condition reads, computed facts and progress included."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.same import Same
from exitgate.language.measure import facts_of, is_chosen, lookback
from exitgate.language.named import reachable
from exitgate.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy, Derived

#: What a window in time or per key is measured as where it is left out.
_ONE = Node("number", (1,))
#: Conditions of policies whose answers are remembered: of many rules, each is asked about for each.
REMEMBERED = 8192


def reach(policy: CompiledPolicy, node: Node, windows: bool = True) -> int:
    """
    Return how many earlier iterations the truth of `node` can rest on.

    What a computed fact reads adds to what the condition reads of that fact. Progress reads one more:
    what its signals were before. Without `windows` in time and per key: what the rest of it reads. Raises
    KeyError for a parameter or condition the policy does not have.
    """
    return _reach(Same(policy, node), windows)


@lru_cache(maxsize=REMEMBERED)
def _reach(asked: Same, windows: bool) -> int:
    policy: CompiledPolicy
    node: Node
    policy, node = asked.held  # type: ignore[assignment]
    if not windows:
        policy, node = without_windows(policy), _without(node)
    return _of_tree(node, policy, {fact.name: fact for fact in policy.derived})


def has_windows(policy: CompiledPolicy, node: Node) -> bool:
    """Return whether a condition looks at the iterations of a time or of a key, or a fact it reads does."""
    return _has_windows(Same(policy, node))


@lru_cache(maxsize=REMEMBERED)
def _has_windows(asked: Same) -> bool:
    policy: CompiledPolicy
    node: Node
    policy, node = asked.held  # type: ignore[assignment]
    trees, seen = [node], set[str]()
    derived = {fact.name: fact for fact in policy.derived}
    while trees:
        tree = trees.pop()
        named = [policy.conditions[name] for name in reachable(tree, policy.conditions)]
        if any(map(is_windowed, (tree, *named))):
            return True
        for name in facts_of(tree, policy.conditions) & derived.keys() - seen:
            seen.add(name)
            trees += _trees(derived[name])
    return False


def without_windows(policy: CompiledPolicy) -> CompiledPolicy:
    """Return a policy that reads as far back as this one does beside windows in time and per key."""
    return _measured(Same(policy))


def is_windowed(node: Node) -> bool:
    """Return whether a test itself holds such a form; `after 45m` reads the current clock alone."""
    return "window" in node.uses() and any(is_chosen(part) and part.op != "after" for part in node.walk())


@lru_cache(maxsize=8)
def _measured(policy: Same) -> CompiledPolicy:
    one: CompiledPolicy = policy.held[0]  # type: ignore[assignment]
    return one.but(
        rules=tuple(rule.but(when=_without(rule.when)) for rule in one.rules),
        invariants=tuple(invariant.but(given=_without(invariant.given)) for invariant in one.invariants),
        conditions={name: _without(node) for name, node in one.conditions.items()},
        derived=tuple(map(_fact_without, one.derived)),
    )


def _fact_without(fact: Derived) -> Derived:
    rows = tuple(row.but(when=_without(row.when)) for row in fact.rows)
    return fact.but(rows=rows, formula=None if fact.formula is None else _without(fact.formula))


def _without(node: Node) -> Node:
    if "window" not in node.uses():
        return node
    if node.op == "window":
        return _ONE
    args = tuple(_without(arg) if isinstance(arg, Node) else arg for arg in node.args)
    return Node(node.op, args, node.start, node.end, node.type)


def _of_tree(node: Node, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    below = [_of_fact(name, policy, derived) for name in facts_of(node, policy.conditions)]
    return lookback(node, policy.values(), policy.conditions) + max(below, default=0)


def _of_fact(name: str, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    fact = derived.get(name)
    if fact is None:
        return 0
    others = {other: one for other, one in derived.items() if other != name}
    below = [_of_tree(tree, policy, others) for tree in _trees(fact)]
    below += [1 + _of_fact(signal, policy, others) for signal in fact.signals]
    return max(below, default=0)


def _trees(fact: Derived) -> list[Node]:
    return [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
