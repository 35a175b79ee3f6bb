"""What is said of policies with patterns is so on the engine; `benchmarks/texts.py` does it at length."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pattern_policies import Tally, contradictions, pattern_policies, policy_of
from random_policies import written

from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.solver import queries as solver
from exitgate.analysis.walk import queries as walk
from exitgate.core.policy.compiled import CompiledPolicy


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(pattern_policies(), pattern_policies(), st.integers(0, 2**31))
def test_what_is_said_of_rules_on_texts_is_so(one: CompiledPolicy, other: CompiledPolicy, seed: int) -> None:
    tally = Tally()
    assert contradictions(one, seed, tally, with_z3=True) == [], written(one)
    assert contradictions(other, seed, tally, with_z3=False) == [], written(other)


@pytest.mark.parametrize(
    "condition",
    [
        "(not (s.a repeats 2 times within last 4)) for 3 consecutive iterations",
        "s.a is not s.b and s.a is not previous(s.b) and s.b is not previous(s.b)",
    ],
)
def test_what_takes_three_different_texts_is_not_proved_impossible(condition: str) -> None:
    policy = policy_of([condition], "ok")
    assert walk.can_decide(policy, "r0").status != PROVED
    assert solver.can_decide(policy, "r0").status == REFUTED
