"""One part of an `and` or `or` left out."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.tree import Node

KIND = "dropped_part"
DOC = "one part of an `and` or an `or`, or the `skipping` of a streak, is removed"


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the condition without each of its parts in turn."""
    node = site.node
    if node.op in ("and", "or"):
        for index in range(len(node.args)):
            first, *others = rest = [part for at, part in enumerate(node.children()) if at != index]
            yield with_args(node, *rest) if others else first
    elif node.op == "streak" and node.args[1] is not None:
        yield with_args(node, node.args[0], None, *node.args[2:])
