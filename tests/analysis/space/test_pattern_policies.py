"""What is said of policies with patterns is so on the engine; `benchmarks/texts.py` does it at length."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pattern_policies import Tally, contradictions, pattern_policies
from random_policies import written

from exitgate.policy.compiled import CompiledPolicy


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(pattern_policies(), pattern_policies(), st.integers(0, 2**31))
def test_what_is_said_of_rules_on_texts_is_so(one: CompiledPolicy, other: CompiledPolicy, seed: int) -> None:
    tally = Tally()
    assert contradictions(one, seed, tally, with_z3=True) == [], written(one)
    assert contradictions(other, seed, tally, with_z3=False) == [], written(other)
