"""Which conditions come out otherwise by a change, at most."""

from __future__ import annotations

from exitgate.analysis.mutation import changes
from exitgate.analysis.mutation.places import CONDITION, RULE, places
from exitgate.language.measure import parameters_of
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
