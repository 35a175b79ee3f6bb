"""What is made of values that are not known."""

from __future__ import annotations

from exitgate.analysis.mutation.trees import AGAINST, WITH, with_args
from exitgate.language.tree import Node
from exitgate.model.type import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.mutation.trees import Spot

KIND = "unknown"
DOC = "`is known` for `is unknown`, a default of `or else` changed or left out, or one given to a test"

OTHER = {"known": "unknown", "unknown": "known"}
#: Tests that are known whatever is known.
DEFINITE = frozenset(("known", "unknown", "silence", "or_else"))


def of_spot(spot: Spot) -> Iterator[Node]:
    """
    Yield the part with what is unknown taken otherwise.

    A default that cannot change whether the whole is definitely true is not given: false to a test that
    counts as it is, true to one that is negated.
    """
    node = spot.node
    if node.op in OTHER:
        yield Node(OTHER[node.op], node.args, node.start, node.end, node.type)
    elif node.op == "or_else":
        value, default = node.args
        assert isinstance(value, Node) and isinstance(default, Node)
        yield value
        if default.op == "bool":
            yield with_args(node, value, with_args(default, not default.args[0]))
    elif spot.is_test and node.op not in DEFINITE:
        if spot.way != WITH:
            yield _defaulted(node, False)
        if spot.way != AGAINST:
            yield _defaulted(node, True)


def _defaulted(node: Node, default: bool) -> Node:
    literal = Node("bool", (default,), node.start, node.end, BOOL)
    return Node("or_else", (node, literal), node.start, node.end, node.type)
