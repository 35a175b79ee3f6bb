"""A question about a few conditions has the answer on the part of the policy that they rest on."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from random_policies import small_policies

from exitgate.analysis.walk import queries, questions
from exitgate.analysis.walk.queries import REFUTED, UNDECIDED, can_be, can_decide
from exitgate.analysis.walk.questions import Condition, Winner, bit_of
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = queries.Limits(seconds=2.0, points=5_000, small=False)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies())
def test_conditions_and_rules_of_random_policies(policy: CompiledPolicy) -> None:
    for rule in policy.rules:
        for truth in (True, None):
            whole = can_be(policy, rule.when, truth, LIMITS)
            with patch.object(questions, "MANY", 0):
                part = can_be(policy, rule.when, truth, LIMITS)
            if UNDECIDED not in (whole.status, part.status):
                assert part.status == whole.status
            if part.status == REFUTED:
                assert Condition(policy, [(rule.when, bit_of(truth))]).holds(part.run or ())
        whole = can_decide(policy, rule.id, LIMITS)
        with patch.object(questions, "MANY", 0):
            part = can_decide(policy, rule.id, LIMITS)
        if UNDECIDED not in (whole.status, part.status):
            assert part.status == whole.status
        if part.status == REFUTED:
            assert Winner(policy, rule.id).holds(part.run or ())
