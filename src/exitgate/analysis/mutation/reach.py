"""Which conditions come out otherwise by a change, at most."""

from __future__ import annotations

from exitgate.analysis.mutation import changes
from exitgate.analysis.mutation.places import BREAKER, CONDITION, FORMULA, ROW, RULE, places
from exitgate.language.measure import facts_of, parameters_of
from exitgate.language.named import reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.mutation.changes import Change
    from exitgate.analysis.mutation.places import Where
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


def sites(change: Change, policy: CompiledPolicy) -> tuple[Where, ...]:
    """
    Return the places whose conditions or formulas a change may bring to another value.

    Named conditions are not among them, but the places that use them are. A change of the chain or of
    points has none: it changes what is made of the values.
    """
    return tuple(
        where
        for where, tree in places(policy)
        if where.section != CONDITION and _touches(change, where, tree, policy)
    )


def _touches(change: Change, where: Where, tree: Node, policy: CompiledPolicy) -> bool:
    if isinstance(change, changes.ChangedParameter):
        return change.name in parameters_of(tree, policy.conditions)
    if isinstance(change, changes.ChangedTree):
        if change.where.section == CONDITION:
            return change.where.name in reachable(tree, policy.conditions)
        return where == change.where
    return False


def rules_touched(change: Change, touched: tuple[Where, ...]) -> frozenset[str]:
    """Return the ids of the rules that a change with these `sites` moves, drops, or makes others."""
    if isinstance(change, changes.ChangedRules):
        return frozenset(change.touched)
    if isinstance(change, changes.ChangedEffect):
        return frozenset((change.rule,))
    return frozenset(where.name for where in touched if where.section == RULE)


def computed_anew(change: Change, touched: tuple[Where, ...], policy: CompiledPolicy) -> frozenset[str]:
    """Return the computed facts that a change with these `sites` may change, and all that rest on them."""
    found = {where.name for where in touched if where.section in (ROW, FORMULA)}
    if isinstance(change, changes.ChangedFact):
        found.add(change.fact.name)
    for fact in policy.derived:  # each follows what it uses
        trees = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
        uses = {name for tree in trees for name in facts_of(tree, policy.conditions)} | set(fact.signals)
        if not found.isdisjoint(uses):
            found.add(fact.name)
    return frozenset(found)


def moves_breaker(
    change: Change, touched: tuple[Where, ...], anew: frozenset[str], policy: CompiledPolicy
) -> bool:
    """Return whether a change with these `sites`, computing facts `anew`, may move the breaker otherwise."""
    if isinstance(change, changes.DroppedOpening):
        return True
    if policy.breaker is None:
        return False
    trees = policy.breaker.conditions()
    read = {name for tree in trees for name in facts_of(tree, policy.conditions)}
    return not anew.isdisjoint(read) or any(where.section in BREAKER for where in touched)
