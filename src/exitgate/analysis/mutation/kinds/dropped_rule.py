"""A rule left out, or a reason of the breaker to open."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation.mutant import ChangedRules, Draft, DroppedOpening
from exitgate.analysis.mutation.sites import SHADOW
from exitgate.core.policy.compiled import CompiledPolicy

KIND = "dropped_rule"
DOC = "a rule, or one of the breaker's reasons to open, is removed"


def of_policy(policy: CompiledPolicy) -> Iterator[Draft]:
    """Yield the policy without each rule and each opening in turn."""
    for index, rule in enumerate(policy.rules):
        if rule.mode == SHADOW:
            continue
        order = tuple(i for i in range(len(policy.rules)) if i != index)
        yield Draft(rule.id, rule.text, "", ChangedRules(order, (rule.id,)), rule.place)
    for opening in policy.breaker.openings if policy.breaker is not None else ():
        change = DroppedOpening(opening.id)
        yield Draft(f"circuit.{opening.id}", opening.text, "", change, opening.place)
