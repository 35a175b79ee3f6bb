"""Whether a condition can be true with nothing but prose to bear it out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exitgate.core.language.functions import HISTORY_OPS, ON_ITEMS
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy, Derived

#: Extractors that judge sentences. What others find is there or not: marks, fields, counts, files.
PROSE = frozenset(
    ("phrases", "graded_words", "questions", "work_summary", "similarity", "matching_lines")
)  # fmt: skip
#: Prefixes of facts that say nothing of the work, only of time, counts and the size of what was said.
SILENT = frozenset(("run", "clock", "day", "output", "circuit"))


def can_rest_on_prose(node: Node, policy: CompiledPolicy, truth: bool = True) -> bool:
    """
    Return whether `node` can come out as `truth` with only facts of prose, clocks and counters for it.

    The answer looks at the form of the condition: an `and` needs one part with a evidence, an `or` needs it
    in each. That something is *not* said, open or failing is not evidence.
    """
    op = node.op
    if op == "condition":
        return can_rest_on_prose(policy.conditions[str(node.args[0])], policy, truth)
    if op == "not":
        return can_rest_on_prose(next(node.children()), policy, not truth)
    if op in ("and", "or"):
        parts = [can_rest_on_prose(child, policy, truth) for child in node.children()]
        return all(parts) if (op == "and") is truth else any(parts)
    if op == "consecutive":
        return can_rest_on_prose(next(node.children()), policy, truth)
    if op in ("known", "unknown"):
        return True  # being there says nothing about the work
    if op == "compare":
        reached = _points_on_prose(node, policy)
        if reached is not None:
            return reached
    if op == "or_else" or op in HISTORY_OPS or op == "quantified":
        return all(can_rest_on_prose(child, policy, truth) for child in node.children())
    return not any(_bears_out(name, policy) for name in strict_facts(node))


def _bears_out(name: str, policy: CompiledPolicy) -> bool:
    """Return whether a fact is found by something other than reading sentences."""
    prefix = name.partition(".")[0]
    if prefix in SILENT:
        return False
    derived = next((fact for fact in policy.derived if fact.name == name), None)
    if derived is not None:
        if derived.formula is not None:
            return any(_bears_out(part, policy) for part in _facts(derived.formula))
        return bool(derived.signals) or any(not _row_on_prose(row.when, policy) for row in derived.rows)
    extractors = [
        e.extractor for e in policy.extractions if e.prefix == prefix or name.startswith(f"{e.prefix}.")
    ]
    return not any(extractor in PROSE for extractor in extractors)


def _facts(node: Node) -> set[str]:
    return {str(part.args[0]) for part in node.walk() if part.op == "fact"}


def _row_on_prose(when: Node, policy: CompiledPolicy) -> bool:
    return can_rest_on_prose(when, policy)


def _points_on_prose(node: Node, policy: CompiledPolicy) -> bool | None:
    """
    Return whether a comparison of points with a constant can be reached by rows that rest on prose.

    None for anything but ``points >= CONSTANT`` and ``points > CONSTANT``.
    """
    sign, left, right = node.args
    from exitgate.core.language.tree import Node as Tree

    if (
        sign not in (">=", ">")
        or not isinstance(left, Tree)
        or not isinstance(right, Tree)
        or left.op != "fact"
    ):
        return None
    points = _points(str(left.args[0]), policy)
    value = policy.values().get(str(right.args[0])) if right.op == "parameter" else right.args[0]
    if (
        points is None
        or right.op not in ("parameter", "number", "percent")
        or not isinstance(value, int | float)
    ):
        return None
    most = sum(row.add for row in points.rows if row.add > 0 and _row_on_prose(row.when, policy))
    most = min(most, points.high) if points.high is not None else most
    return most >= value if sign == ">=" else most > value


def _points(name: str, policy: CompiledPolicy) -> Derived | None:
    return next((fact for fact in policy.derived if fact.name == name and fact.rows), None)


# Which facts are surely known when a condition is true: what Kleene logic lets a message rely on.

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
