"""Parts of a condition's tree, where they are, and what they do to the whole."""

from __future__ import annotations

from exitgate.language.measure import sizes_of
from exitgate.language.tree import Node
from exitgate.language.unparse import unparse
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[int, ...]

#: How a part moves the whole: the truer it is, the truer the whole; the less true; or no telling.
WITH, AGAINST, EITHER = 1, -1, 0
#: Operations that join conditions; every other operation of type bool is a test, a leaf of the condition.
JOINING = frozenset(("and", "or", "not", "consecutive", "quantified"))
#: Operations that count iterations in which a condition is true.
COUNTING = frozenset(("streak", "count"))
#: Operations that look at this iteration alone: what is known of it stays known in their parts.
AT_ONCE = frozenset(("and", "or", "not"))


class Spot(Value):
    """
    A part of a tree.

    Args:
        node: The part.
        path: Numbers of arguments from the root down to it.
        way: `WITH`, `AGAINST` or `EITHER`.
        is_size: Whether it is a number of iterations or times.
        above: The operation it is part of, empty for the root.
        known: Facts and conditions, as they are written, that are known wherever the part counts.
    """

    __slots__ = ("above", "is_size", "known", "node", "path", "way")

    def __init__(
        self, node: Node, path: Path, way: int, is_size: bool, above: str, known: frozenset[str]
    ) -> None:
        self.node = node
        self.path = path
        self.way = way
        self.is_size = is_size
        self.above = above
        self.known = known

    @property
    def is_test(self) -> bool:
        """Whether it is a condition that joins no others; a value compared with true or false is none."""
        node = self.node
        if node.type is None or node.type.kind != "bool" or node.op in (*JOINING, "bool"):
            return False
        return not self.above or self.above in JOINING or self.above in COUNTING


def spots(
    tree: Node, way: int, known: frozenset[str] = frozenset(), ever: frozenset[str] = frozenset()
) -> tuple[Spot, ...]:
    """
    Return every part of a checked tree, parents first, from left to right.

    `way` is that of the root; what is `known` in this iteration, and what is known in all of them, is
    reported, other facts are found where an ``and`` asks for them.
    """
    sizes = frozenset(id(size) for size in sizes_of(tree))
    return tuple(_spots(tree, (), way, sizes, "", known | ever, ever))


def _spots(
    node: Node,
    path: Path,
    way: int,
    sizes: frozenset[int],
    above: str,
    known: frozenset[str],
    ever: frozenset[str],
) -> Iterator[Spot]:
    yield Spot(node, path, way, id(node) in sizes, above, known)
    below = _way_below(node, way)
    if node.op not in AT_ONCE:
        known = ever
    elif node.op == "and":
        known = known | asked_for(node)
    for index, arg in enumerate(node.args):
        if isinstance(arg, Node):
            yield from _spots(arg, (*path, index), below, sizes, node.op, known, ever)


def asked_for(node: Node, whether: str = "known") -> frozenset[str]:
    """Return what parts of an ``and`` ask to be known, an ``or`` to be unknown: as it is written."""
    asked = [arg.args[0] for arg in node.args if isinstance(arg, Node) and arg.op == whether]
    return frozenset(unparse(one) for one in asked if isinstance(one, Node))


def _way_below(node: Node, way: int) -> int:
    if node.op == "not" or (node.op == "quantified" and node.args[0] == "at_most"):
        return -way
    return way if node.op in JOINING else EITHER


def put(tree: Node, path: Path, part: Node) -> Node:
    """Return the tree with `part` at `path`."""
    if not path:
        return part
    args = list(tree.args)
    below = args[path[0]]
    assert isinstance(below, Node)
    args[path[0]] = put(below, path[1:], part)
    return Node(tree.op, tuple(args), tree.start, tree.end, tree.type)


def with_args(node: Node, *args: Node | str | int | float | bool | None) -> Node:
    """Return the same operation with other arguments."""
    return Node(node.op, args, node.start, node.end, node.type)


def negated(node: Node) -> Node:
    """Return ``not node``."""
    return Node("not", (node,), node.start, node.end, node.type)
