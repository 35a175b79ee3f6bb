"""Lists with one item less."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.tree import Node

KIND = "member"
DOC = "one item of a list is removed"


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the list without each of its items in turn; the only one stays."""
    node = site.node
    if node.op == "list" and len(node.args) > 1:
        for index in range(len(node.args)):
            yield with_args(node, *node.args[:index], *node.args[index + 1 :])
