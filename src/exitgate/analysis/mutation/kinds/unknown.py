"""What is made of values that are not known."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.sites import AGAINST, WITH, NodeSite, with_args
from exitgate.core.language.functions import CONDITION_ARGS
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.value import BOOL

KIND = "unknown"
DOC = "`is known` for `is unknown`, a default of `or else` changed, removed or added"

OTHER = {"known": "unknown", "unknown": "known"}
#: Tests that are known no matter what else is.
DEFINITE = frozenset(("known", "unknown", "silence", "or_else"))
#: Tests and values that are known where all their parts are.
AS_PARTS = frozenset(("compare", "is", "is_not", "in", "not_in", "between", "contains", "matches", "list"))
VALUES = frozenset(("number", "percent", "duration", "money", "text", "enum", "bool", "parameter"))


def of_node(site: NodeSite) -> Iterator[Node]:
    """
    Yield the part with what is unknown taken otherwise.

    A default that cannot change whether the whole is definitely true is not given: false to a test that
    counts as it is, true to one that is negated, any to one that is always known where it counts.
    """
    node = site.node
    if node.op in OTHER:
        yield Node(OTHER[node.op], node.args, node.start, node.end, node.type)
    elif node.op == "or_else":
        value, default = node.children()
        yield value
        if default.op == "bool":
            yield with_args(node, value, with_args(default, not default.args[0]))
    elif site.is_test and node.op not in DEFINITE and not _is_known(node, site.known):
        if site.way != WITH:
            yield _defaulted(node, False)
        if site.way != AGAINST:
            yield _defaulted(node, True)


def _is_known(node: Node, known: frozenset[str]) -> bool:
    if node.op in AS_PARTS:
        return all(_is_known(child, known) for child in node.children())
    if node.op == "or_else":  # the default is what it comes to at worst
        return _is_known(node.child(1), known)
    if node.op in CONDITION_ARGS:  # over iterations in each of which the condition is known
        parts = (child for child in node.children() if child.op not in VALUES)
        return all(part.op == "condition" and unparse(part) in known for part in parts)
    return node.op in VALUES or (bool(known) and unparse(node) in known)


def _defaulted(node: Node, default: bool) -> Node:
    literal = Node("bool", (default,), node.start, node.end, BOOL)
    return Node("or_else", (node, literal), node.start, node.end, node.type)
