"""A `not` too few, or one too many."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.kinds import comparison
from exitgate.analysis.mutation.sites import NodeSite, negated
from exitgate.core.language.tree import Node

KIND = "negation"
DOC = "a `not` is removed, or added to a test that has no other opposite"

#: Tests that other kinds turn round.
TURNED = frozenset(("compare", "known", "unknown", *comparison.OPPOSITES))


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the part without its `not`, or with one."""
    node = site.node
    if node.op == "not":
        yield node.child(0)
    elif site.is_test and node.op not in TURNED:
        yield negated(node)
