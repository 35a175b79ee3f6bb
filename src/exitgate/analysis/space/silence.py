"""
What `nothing is known` means in an invariant.

In a rule it passes over clocks, counters and the breaker, which say something in every iteration.
A promise about silence is about the case that no fact at all is known: that an open breaker or a
used-up budget ends a run is no answer to silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.language.tree import Node
from exitgate.model.type import BOOL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.fact_spec import FactSpec


def strict(node: Node, names: Iterable[str], facts: Mapping[str, FactSpec]) -> Node:
    """Return `node` with each `nothing is known` in it as: every fact of `names` is unknown."""
    names = tuple(names)
    if node.op == "silence" and names:
        leaves = tuple(
            Node("unknown", (Node("fact", (name,), node.start, node.end, facts[name].type),),
                 node.start, node.end, BOOL)
            for name in names
        )  # fmt: skip
        return leaves[0] if len(leaves) == 1 else Node("and", leaves, node.start, node.end, BOOL)
    args = tuple(strict(arg, names, facts) if isinstance(arg, Node) else arg for arg in node.args)
    return Node(node.op, args, node.start, node.end, node.type)
