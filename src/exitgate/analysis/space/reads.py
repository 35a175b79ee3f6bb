"""How far back a condition reads, computed facts and progress included."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.counters import BEFORE
from exitgate.analysis.space.domains import IdentityKey, trees
from exitgate.core.language.measure import facts_of, is_chosen, lookback, reachable
from exitgate.core.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Derived


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
    return _reach(IdentityKey(policy, node), windows)


@lru_cache(maxsize=REMEMBERED)
def _reach(asked: IdentityKey, windows: bool) -> int:
    policy: CompiledPolicy
    node: Node
    policy, node = asked.held  # type: ignore[assignment]
    if not windows:
        policy, node = without_windows(policy), _without(node)
    return _of_tree(node, policy, {fact.name: fact for fact in policy.derived})


def has_windows(policy: CompiledPolicy, node: Node) -> bool:
    """Return whether a condition looks at the iterations of a time or of a key, or a fact it reads does."""
    return _has_windows(IdentityKey(policy, node))


@lru_cache(maxsize=REMEMBERED)
def _has_windows(asked: IdentityKey) -> bool:
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
            trees += derived[name].trees()
    return False


def without_windows(policy: CompiledPolicy) -> CompiledPolicy:
    """Return a policy that reads as far back as this one does beside windows in time and per key."""
    return _measured(IdentityKey(policy))


def is_windowed(node: Node) -> bool:
    """Return whether a test itself holds such a form; `after 45m` reads the current clock alone."""
    return "window" in node.uses() and any(is_chosen(part) and part.op != "after" for part in node.walk())


@lru_cache(maxsize=8)
def _measured(policy: IdentityKey) -> CompiledPolicy:
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
    return node.mapped(_without)


def _of_tree(node: Node, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    below = [_of_fact(name, policy, derived) for name in facts_of(node, policy.conditions)]
    return lookback(node, policy.values(), policy.conditions) + max(below, default=0)


def _of_fact(name: str, policy: CompiledPolicy, derived: Mapping[str, Derived]) -> int:
    fact = derived.get(name)
    if fact is None:
        return 0
    others = {other: one for other, one in derived.items() if other != name}
    below = [_of_tree(tree, policy, others) for tree in fact.trees()]
    below += [1 + _of_fact(signal, policy, others) for signal in fact.signals]
    return max(below, default=0)


# The facts that conditions rest on.


def read_by(nodes: Sequence[Node], policy: CompiledPolicy) -> set[str]:
    """Return the facts that conditions read, and those that computed ones of them rest on."""
    derived = {fact.name: fact for fact in policy.derived}
    found: set[str] = set()
    todo = [name for node in nodes for name in facts_of(node, policy.conditions)]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        fact = derived.get(name)
        if fact is not None:
            trees = fact.trees()

            todo += [*fact.signals, *(other for tree in trees for other in facts_of(tree, policy.conditions))]
    return found


def reads(policy: CompiledPolicy, name: str) -> bool:
    """Return whether some condition or formula of a policy reads a fact."""
    return _reads(IdentityKey(policy), name)


@lru_cache(maxsize=64)
def _reads(policy: IdentityKey, name: str) -> bool:
    return any(name in tree.uses().get("fact", ()) for tree in trees(policy.held[0]))  # type: ignore[arg-type]


def is_looked_at(policy: CompiledPolicy, nodes: Sequence[Node]) -> bool:
    """Return whether a stage before an iteration asks for one of some conditions, or no rule for any."""
    stages = _stages_of_parts(IdentityKey(policy))
    asked = frozenset().union(*(stages.get(id(part), ()) for node in nodes for part in node.walk()))
    return BEFORE in (asked or {rule.stage for rule in policy.rules})


@lru_cache(maxsize=8)
def _stages_of_parts(policy: IdentityKey) -> Mapping[int, frozenset[str]]:
    """Return the stages whose rules have a part of a condition, by its id: the policy keeps them all."""
    (held,) = policy.held
    found: dict[int, frozenset[str]] = {}
    for rule in held.rules:  # type: ignore[attr-defined]
        for part in rule.when.walk():
            found[id(part)] = found.get(id(part), frozenset()) | {rule.stage}
    return found
