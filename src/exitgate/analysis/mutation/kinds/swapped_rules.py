"""Two rules in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from exitgate.analysis.mutation.mutant import ChangedRules, Draft
from exitgate.analysis.mutation.sites import ENFORCE
from exitgate.core.model.decision import STAGES
from exitgate.core.policy.compiled import CompiledPolicy, Rule

KIND = "swapped_rules"
DOC = "two adjacent rules of the same stage swap places"


def of_policy(policy: CompiledPolicy) -> Iterator[Draft]:
    """Yield the policy with each two neighbours among the deciding rules of a stage swapped."""
    for stage in STAGES:
        deciding = [i for i, rule in enumerate(policy.rules) if rule.stage == stage and _decides(rule)]
        for upper, lower in pairwise(deciding):
            order = list(range(len(policy.rules)))
            order[upper], order[lower] = lower, upper
            first, second = policy.rules[upper], policy.rules[lower]
            change = ChangedRules(tuple(order), (first.id, second.id))
            yield Draft(first.id, f"{first.id}, {second.id}", f"{second.id}, {first.id}", change, first.place)


def _decides(rule: Rule) -> bool:
    return rule.effect != "warn" and rule.mode == ENFORCE
