"""The facts that conditions rest on."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.domains import trees
from exitgate.analysis.space.same import Same
from exitgate.analysis.walk.first import BEFORE
from exitgate.language.measure import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


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
            trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
            todo += [*fact.signals, *(other for tree in trees for other in facts_of(tree, policy.conditions))]
    return found


def reads(policy: CompiledPolicy, name: str) -> bool:
    """Return whether some condition or formula of a policy reads a fact."""
    return _reads(Same(policy), name)


@lru_cache(maxsize=64)
def _reads(policy: Same, name: str) -> bool:
    return any(name in tree.uses().get("fact", ()) for tree in trees(policy.held[0]))  # type: ignore[arg-type]


def is_looked_at(policy: CompiledPolicy, nodes: Sequence[Node]) -> bool:
    """Return whether a stage before an iteration asks for one of some conditions, or no rule for any."""
    stages = _stages_of_parts(Same(policy))
    asked = frozenset().union(*(stages.get(id(part), ()) for node in nodes for part in node.walk()))
    return BEFORE in (asked or {rule.stage for rule in policy.rules})


@lru_cache(maxsize=8)
def _stages_of_parts(policy: Same) -> Mapping[int, frozenset[str]]:
    """Return the stages whose rules have a part of a condition, by its id: the policy keeps them all."""
    (held,) = policy.held
    found: dict[int, frozenset[str]] = {}
    for rule in held.rules:  # type: ignore[attr-defined]
        for part in rule.when.walk():
            found[id(part)] = found.get(id(part), frozenset()) | {rule.stage}
    return found
