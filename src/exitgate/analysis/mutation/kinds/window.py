"""How many iterations or times a history form asks for, and of how many."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.tree import Node

KIND = "window"
DOC = "a history form reads one iteration less or more; `any` for `all`, or `at least` for `at most`"

QUANTIFIERS = {"any": "all", "all": "any", "at_least": "at_most", "at_most": "at_least"}


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the number one lower and higher, or the other quantifier."""
    node = site.node
    if site.is_size and node.op == "number":
        value = node.args[0]
        assert isinstance(value, int)
        yield from (with_args(node, moved) for moved in (value - 1, value + 1) if moved >= 0)
    elif node.op in ("quantified", "of_items"):
        yield with_args(node, QUANTIFIERS[str(node.args[0])], *node.args[1:])
