"""A `not` too few, or one too many."""

from __future__ import annotations

from exitgate.analysis.mutation import comparison
from exitgate.analysis.mutation.trees import negated
from exitgate.language.tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.mutation.trees import Spot

KIND = "negation"
DOC = "a `not` is removed, or added to a test that has no other opposite"

#: Tests that other kinds turn round.
TURNED = frozenset(("compare", "known", "unknown", *comparison.OPPOSITES))


def of_spot(spot: Spot) -> Iterator[Node]:
    """Yield the part without its `not`, or with one."""
    node = spot.node
    if node.op == "not":
        inner = node.args[0]
        assert isinstance(inner, Node)
        yield inner
    elif spot.is_test and node.op not in TURNED:
        yield negated(node)
