"""`and` for `or`."""

from __future__ import annotations

from exitgate.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.mutation.trees import Spot

KIND = "connective"
DOC = "`or` for `and`, and `and` for `or`"

OTHER = {"and": "or", "or": "and"}


def of_spot(spot: Spot) -> Iterator[Node]:
    """Yield the same parts joined the other way."""
    node = spot.node
    if node.op in OTHER:
        yield Node(OTHER[node.op], node.args, node.start, node.end, node.type)
