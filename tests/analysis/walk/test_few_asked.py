"""Of many rules only those are asked that read what is known: the engine, which asks all, agrees."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from looping_policies import policies
from random_policies import small_policies, written

from exitgate.analysis.simulation import Simulation
from exitgate.analysis.space.samples import Sampler, known
from exitgate.analysis.walk import chain
from exitgate.analysis.walk.chain import winner
from exitgate.analysis.walk.query_cache import program_of
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import STAGES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

ANYTHING = Node("bool", (True,), type=BOOL)
RUNS = 12


def ends(policy: CompiledPolicy, run: tuple[dict[str, object], ...]) -> list[object]:
    """Return how each iteration ends the run: its rule, or None."""
    play, found = Simulation(policy), []
    for number, values in enumerate(run, 1):
        play.step(values, number)
        decision = play.end()
        found.append(None if decision is None else (decision.rule, decision.outcome))
        found += [play.goes_on(stage) for stage in STAGES]
    return found


def check(policy: CompiledPolicy, seed: int) -> None:
    for drawn in Sampler(policy, seed).runs(ANYTHING, RUNS):
        run = known(drawn)
        whole = program_of(policy).complete_all(run)
        every = ends(policy, run), [program_of(policy).winner(whole, stage) for stage in STAGES]
        with patch.object(chain, "MANY", 0):
            few = ends(policy, run), [winner(program_of(policy), whole, stage) for stage in STAGES]
        assert few == every, f"{written(policy)}\n{run}"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), st.integers(0, 10**6))
def test_of_random_policies(policy: CompiledPolicy, seed: int) -> None:
    check(policy, seed)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=policies(), seed=st.integers(0, 10**6))
def test_of_policies_with_stages_silence_and_a_breaker(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int
) -> None:
    path = tmp_path_factory.mktemp("few") / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        policy = load_policy(str(path))
    except ExitgateError as error:  # a rule that would end a silent run
        assert "EP4" in str(error), error
        return
    check(policy, seed)
