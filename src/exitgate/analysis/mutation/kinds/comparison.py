"""Comparisons: strict or not, equal or not, in or not, up or down."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.tree import Node

KIND = "comparison"
DOC = (
    "`<` for `<=`, `is` for `is not`, `in` for `not in`, `rose` for `declined`, `min` for `max` "
    "over iterations, and vice versa"
)

SIGNS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPPOSITES = {
    "is": "is_not", "is_not": "is", "in": "not_in", "not_in": "in", "rose": "declined", "declined": "rose",
    "largest": "smallest", "smallest": "largest",
}  # fmt: skip


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield what may replace a part by mistake."""
    node = site.node
    if node.op == "compare":
        yield with_args(node, SIGNS[str(node.args[0])], *node.args[1:])
    elif node.op in OPPOSITES:
        yield Node(OPPOSITES[node.op], node.args, node.start, node.end, node.type)
