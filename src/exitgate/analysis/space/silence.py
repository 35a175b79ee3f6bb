"""
What `nothing is known` means in an invariant.

In a rule it passes over clocks, counters and the breaker, which say something in every iteration.
A promise about silence is about the case that no fact at all is known: that an open breaker or a
used-up budget ends a run is not an answer to silence.
"""

from __future__ import annotations

from exitgate.core.engine.record import read_facts
from exitgate.core.facts.registry import BUILT_IN
from exitgate.core.language.evaluation.kleene import UNREAD_GROUPS
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from exitgate.core.policy.compiled import CompiledPolicy


#: Extractors of what lies around the agent: their facts end no blindness, but where one is known
#: a promise about silence speaks of something else.
_AROUND = ("git", "infrastructure")
#: Extractors whose facts are known or unknown together.
_TOGETHER = ("checklist", "status_block")


def strict(node: Node, names: Iterable[str], policy: CompiledPolicy) -> Node:
    """
    Return `node` with each `nothing is known` in it as: every fact of `names` is unknown.

    One with a value under `unreadable:` is never unknown to a condition: it has that value, and was not read.
    """
    names = tuple(names)
    if node.op == "silence" and names:
        leaves = [_lost(name, policy, node) for name in names]
        if not policy.unreadable.keys().isdisjoint(names):
            leaves.append(node)
        return leaves[0] if len(leaves) == 1 else Node("and", tuple(leaves), node.start, node.end, BOOL)
    return node.mapped(lambda child: strict(child, names, policy))


#: Kind of a fact -> operation of a literal of it.
_LITERALS = {
    "bool": "bool", "count": "number", "number": "number", "percent": "percent", "duration": "duration",
    "money": "money", "text": "text", "enum": "enum", "signature": "text",
}  # fmt: skip


def _lost(name: str, policy: CompiledPolicy, place: Node) -> Node:
    """Return the condition that a fact is unknown, or has the value that is taken for it then."""
    kind = policy.facts[name].type
    fact = Node("fact", (name,), place.start, place.end, kind)
    stand_in = policy.unreadable.get(name)
    if stand_in is None or kind.kind not in _LITERALS:
        return Node("unknown", (fact,), place.start, place.end, BOOL)
    value = Node(_LITERALS[kind.kind], (stand_in, *_unit(kind, stand_in)), place.start, place.end, kind)  # type: ignore[arg-type]
    return Node("is", (fact, value), place.start, place.end, BOOL)


def _unit(kind: Type, value: object) -> tuple[str, ...]:
    """Return what a literal has beside its value."""
    if kind.kind == "duration":
        return (f"{value}s",)
    return (kind.currency,) if kind.kind == "money" and kind.currency else ()


def heard(policy: CompiledPolicy) -> tuple[str, ...]:
    """
    Return the facts read from what the agent said or did: with one of them known no decision is blind.

    Built-in facts are only there where something asks for them.
    """
    absent = BUILT_IN.keys() - {extraction.prefix for extraction in policy.extractions}
    passed = (*UNREAD_GROUPS, *(f"{prefix}." for prefix in sorted(absent)))
    return tuple(name for name in read_facts(policy) if not name.startswith(passed))


def voices(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts that break a silence: those that are heard, and what lies around the agent."""
    around = tuple(f"{e.prefix}." for e in policy.extractions if e.extractor in _AROUND)
    return (*heard(policy), *(name for name in policy.facts if name.startswith(around)))


def another_voice(policy: CompiledPolicy, names: Collection[str]) -> set[str]:
    """Return one fact beside `names` that can break a silence, one that says nothing of others; or none."""
    together = tuple(f"{e.prefix}." for e in policy.extractions if e.extractor in _TOGETHER)
    others = [name for name in heard(policy) if name not in names]
    return set(sorted(others, key=lambda name: (name.startswith(together), name))[:1])
