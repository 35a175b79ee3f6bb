"""No command states as fact what a run on the engine refutes; `make soak` looks for such a run at length."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from random_policies import small_policies, written
from stated import statements, wild_runs

from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compiled import CompiledPolicy

#: Of each question; ended by regions, not by time.
LIMITS = Limits(seconds=20.0, points=400)
RUNS = 150


#: Operations whose answers change between the points of a walk.
BETWEEN = frozenset(("order", "arithmetic", "texts", "formulas"))


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(small_policies(), small_policies(BETWEEN)), st.integers(0, 2**31))
def test_no_run_refutes_what_is_stated_as_fact(policy: CompiledPolicy, seed: int) -> None:
    stated = list(statements(policy, LIMITS, seed))
    event(f"{min(len(stated) // 5 * 5, 20)} statements or more")
    for run in wild_runs(policy, seed, RUNS):
        for told, refutes in stated:
            assert not refutes(run), f"{told}\nrefuted by {run}\n{written(policy)}"
