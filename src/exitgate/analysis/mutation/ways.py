"""How named conditions count wherever a policy uses them."""

from __future__ import annotations

from exitgate.analysis.mutation.places import CONDITION, mutable
from exitgate.analysis.mutation.trees import EITHER, spots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


def ways(policy: CompiledPolicy) -> dict[str, int]:
    """
    Return `WITH`, `AGAINST` or `EITHER` of each named condition that something uses.

    One that is used in two ways is `EITHER`: no telling whether it is better true or false.
    """
    found: dict[str, set[int]] = {}
    for where, tree in mutable(policy):
        if where.section != CONDITION:
            _follow(tree, where.way, policy, found)
    return {name: next(iter(one)) if len(one) == 1 else EITHER for name, one in found.items()}


def _follow(tree: Node, way: int, policy: CompiledPolicy, found: dict[str, set[int]]) -> None:
    for spot in spots(tree, way):
        if spot.node.op != "condition":
            continue
        name = str(spot.node.args[0])
        seen = found.setdefault(name, set())
        if spot.way not in seen:
            seen.add(spot.way)
            _follow(policy.conditions[name], spot.way, policy, found)
