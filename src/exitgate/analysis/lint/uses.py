"""What a compiled policy uses of what it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.facts.given import NAME as GIVEN
from exitgate.language.named import reachable
from exitgate.model.value import Value
from exitgate.policy.compiled import NUMBER
from exitgate.policy.views import facts_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Template
    from exitgate.policy.merged import Merged
    from exitgate.policy.part import Part


class Uses(Value):
    """Names that some rule, breaker, invariant, computed fact, message, view or option needs."""

    __slots__ = ("conditions", "facts", "parameters")

    def __init__(self, facts: frozenset[str], parameters: frozenset[str], conditions: frozenset[str]) -> None:
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions


def uses(policy: CompiledPolicy, merged: Merged) -> Uses:
    """Return what a policy uses; `merged` is the same policy as text, for options and the cooldown."""
    trees = list(_trees(policy))
    conditions = {name for tree in trees for name in reachable(tree, policy.conditions)}
    trees += [policy.conditions[name] for name in conditions]
    named = _named(trees, "fact") | {signal for fact in policy.derived for signal in fact.signals}
    parameters = _named(trees, "parameter")
    for template in _templates(policy):
        for slot in template:
            if isinstance(slot, tuple):
                (parameters if slot[0].startswith("$") else named).add(slot[0].removeprefix("$"))
                if len(slot) == 2:
                    named.add(NUMBER)
                    parameters |= {slot[1][1:]} if slot[1].startswith("$") else set()
    for extraction in policy.extractions:
        parameters |= set(extraction.parameters)
        if extraction.extractor != GIVEN:  # whose options are its own declaration
            named |= {word for option in extraction.options.values() for word in _texts(option)}
    for key in ("circuit", "undetermined", "views"):
        for part in merged.root.fields[key].walk() if key in merged.root.fields else ():
            if isinstance(part.value, str) and part.value.startswith("$"):
                parameters.add(part.value[1:])
    return Uses(frozenset(named | facts_in(policy.views)), frozenset(parameters), frozenset(conditions))


def _trees(policy: CompiledPolicy) -> Iterator[Node]:
    for rule in policy.rules:
        yield rule.when
        if rule.retry_after is not None:
            yield rule.retry_after
    yield from (invariant.given for invariant in policy.invariants)
    if policy.breaker is not None:
        yield from policy.breaker.conditions()
    for fact in policy.derived:
        yield from (row.when for row in fact.rows)
        if fact.formula is not None:
            yield fact.formula


def _templates(policy: CompiledPolicy) -> Iterator[Template]:
    yield policy.otherwise_message
    for rule in policy.rules:
        yield from (rule.because, rule.advice, rule.escalation)


def _named(trees: list[Node], op: str) -> set[str]:
    return {str(part.args[0]) for tree in trees for part in tree.walk() if part.op == op}


def _texts(option: object) -> Iterator[str]:
    """Yield texts of an option in which facts may be named: itself, or the items of a list."""
    for one in option if isinstance(option, list) else (option,):
        if isinstance(one, str):
            yield one


def lists_named(part: Part) -> set[str]:
    """Return the names of lists that a part of a policy asks for, ``{list: name}``."""
    found = set()
    for below in part.walk():
        if list(below.fields) == ["list"] and isinstance(below.fields["list"].value, str):
            found.add(below.fields["list"].text)
    return found
