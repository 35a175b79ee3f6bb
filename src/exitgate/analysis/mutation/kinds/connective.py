"""`and` for `or`."""

from __future__ import annotations

from exitgate.core.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.mutation.sites import NodeSite


KIND = "connective"
DOC = "`or` for `and`, and `and` for `or`"

OTHER = {"and": "or", "or": "and"}


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the same parts joined the other way."""
    node = site.node
    if node.op in OTHER:
        yield Node(OTHER[node.op], node.args, node.start, node.end, node.type)
