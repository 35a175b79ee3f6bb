"""Which facts are surely known when a condition is true: what Kleene logic lets a message rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.language.functions import HISTORY_OPS, ON_ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: True only when what they hold is known in this iteration.
_NOW = frozenset(("unchanged", "declined", "rose", "repeats"))
_NOTHING: frozenset[str] = frozenset()


def known_when(node: Node, truth: bool, conditions: Mapping[str, Node]) -> frozenset[str]:
    """
    Return facts that are known in every iteration in which `node` is `truth`.

    There may be more: what several conditions together imply is not looked for.

    Args:
        node: A checked condition.
        truth: Which way it comes out.
        conditions: Named conditions, without circles.
    """
    op = node.op
    if op == "condition":
        return known_when(conditions[str(node.args[0])], truth, conditions)
    if op == "not":
        return known_when(next(node.children()), not truth, conditions)
    if op in ("and", "or"):
        parts = [known_when(child, truth, conditions) for child in node.children()]
        every = (op == "and") is truth
        return frozenset().union(*parts) if every else frozenset.intersection(*parts)
    if op in ("known", "unknown"):
        return strict_facts(next(node.children())) if (op == "known") is truth else _NOTHING
    if op == "consecutive":
        return known_when(next(node.children()), True, conditions) if truth else _NOTHING
    if op in _NOW:
        return strict_facts(next(node.children())) if truth else _NOTHING
    if op in HISTORY_OPS or op in ("after", "quantified", "silence", "or_else"):
        return _NOTHING
    return strict_facts(node)


def strict_facts(node: Node) -> frozenset[str]:
    """Return the facts of an expression without which it is unknown: not those of a default or of history."""
    if node.op == "fact":
        return frozenset((str(node.args[0]),))
    if node.op in HISTORY_OPS or node.op in ("or_else", "known", "unknown", "condition"):
        return _NOTHING
    if node.op in ON_ITEMS:  # the list may be empty
        return strict_facts(next(node.children()))
    return frozenset().union(*(strict_facts(child) for child in node.children()))


def surely_known(name: str, known: Iterable[str], policy: CompiledPolicy) -> bool:
    """
    Return whether a fact is known where the facts `known` are.

    Facts of one extractor are known together where they declare the same reasons for being unknown, or
    one fewer of them.
    """
    spec = policy.facts[name]
    points = {fact.name for fact in policy.derived if fact.rows}
    if name in known or name in points or (not spec.read and not spec.unknown_when):
        return True
    prefix = name.partition(".")[0]
    for other in known:
        same = other.partition(".")[0] == prefix
        if same and policy.facts[other].unknown_when.startswith(spec.unknown_when):
            return True
        if same and name == "circuit.reason" and policy.breaker is not None:
            return True  # a breaker that the policy keeps never opens without one
    return not spec.unknown_when and _source_known(prefix, known, policy)


def _source_known(prefix: str, known: Iterable[str], policy: CompiledPolicy) -> bool:
    """Return whether a fact of the same source is among `known`: then that source was readable."""
    sources = {extraction.prefix: extraction.source for extraction in policy.extractions}
    source = sources.get(prefix)
    return source is not None and any(sources.get(other.partition(".")[0]) == source for other in known)
