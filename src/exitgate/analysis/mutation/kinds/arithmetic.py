"""Calculation: `+` for `-`, `*` for `/`, `min` for `max`."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.tree import Node

KIND = "arithmetic"
DOC = "`+` for `-`, `*` for `/`, `min` for `max`, and vice versa"

OTHER = {"add": "sub", "sub": "add", "mul": "div", "div": "mul"}
CALLS = {"min": "max", "max": "min"}


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the other operation on the same operands."""
    node = site.node
    if node.op in OTHER:
        yield Node(OTHER[node.op], node.args, node.start, node.end, node.type)
    elif node.op == "call" and str(node.args[0]) in CALLS:
        yield with_args(node, CALLS[str(node.args[0])], *node.args[1:])
