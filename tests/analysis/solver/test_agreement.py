"""z3, the boundary walk and the engine agree; `benchmarks/agreement.py` compares them at length."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from agreement import Tally, disagreements
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import small_policies, written

from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.solver import queries as solver
from exitgate.analysis.walk import leaves
from exitgate.analysis.walk import queries as walk
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = Limits(1.0, 5_000)


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), st.integers(0, 2**31))
def test_random_policies(policy: CompiledPolicy, seed: int) -> None:
    assert disagreements(policy, seed, Tally(), LIMITS, LIMITS, most=2) == [], written(policy)


#: What was once answered wrongly: body of a policy, a condition, its truth, whether there is one.
ONCE_WRONG = {
    "computed facts read further back than the conditions that read them": (
        """
facts:
  errors: {extract: error_lines, from: response, words: [error]}
  score: {points: [{when: (errors.count > 2) for 3 consecutive iterations, add: 30, because: x}]}
""",
        "score >= 10",
        True,
        REFUTED,
    ),
    "another fact may break the silence": (
        """
facts:
  errors: {extract: error_lines, from: response, words: [error]}
  tasks: {extract: checklist, from: plan}
""",
        "errors.count is unknown and not (nothing is known)",
        True,
        REFUTED,
    ),
    "a share that only a plan of a thousand items has": (
        "facts:\n  tasks: {extract: checklist, from: plan}\n",
        "tasks.percent == 33.3%",
        True,
        REFUTED,
    ),
    "no plan of nine items is done to 30 percent": (
        "facts:\n  tasks: {extract: checklist, from: plan}\n",
        "tasks.percent == 30% and tasks.total == 9",
        True,
        PROVED,
    ),
    "an optional task keeps no plan from being complete": (
        "facts:\n  tasks: {extract: checklist, from: plan, optional_sections: [Later]}\n",
        "tasks.complete and tasks.open > 0 and tasks.percent < 100%",
        True,
        REFUTED,
    ),
    "without optional sections every open task does": (
        "facts:\n  tasks: {extract: checklist, from: plan}\n",
        "tasks.complete and tasks.open > 0",
        True,
        PROVED,
    ),
    "a cancelled task is neither done nor open": (
        """
facts:
  tasks: {extract: checklist, from: plan, marks: {"-": cancelled}}
""",
        "tasks.total == 3 and tasks.done == 1 and tasks.open == 1",
        True,
        REFUTED,
    ),
    "what stands in for a fact breaks no silence": (
        """
facts:
  status:
    extract: status_block
    from: output
    name: STATUS
    fields: {exit_signal: {key: EXIT_SIGNAL, type: bool}}
    unreadable: {exit_signal: false}
""",
        "status.exit_signal is false and nothing is known",
        True,
        REFUTED,
    ),
    "a template says what the extractor puts in the place of a field": (
        """
facts:
  status:
    extract: status_block
    from: output
    name: STATUS
    fields: {exit_signal: {key: EXIT_SIGNAL, type: bool, unreadable: false}, mark: {key: MARK, type: text}}
""",
        "status.exit_signal is false and status.present is false",
        True,
        REFUTED,
    ),
}


def test_a_fact_with_more_values_than_are_combined_is_settled(
    load: Callable, condition: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan can have hundreds of shares; without an earlier iteration the test comes out alike for all."""
    monkeypatch.setattr(leaves, "COMBINATIONS", 3)
    policy = load(
        "facts:\n  tasks: {extract: checklist, from: plan}\n"
        "rules: [{id: end, when: tasks.percent > 50%, exit: stuck, because: x}]\n"
    )
    node = condition(policy, "previous(tasks.percent) > tasks.percent")
    for truth in (True, False, None):
        assert walk.can_be(policy, node, truth).status == REFUTED


@pytest.mark.parametrize("name", ONCE_WRONG)
def test_once_wrong(name: str, load: Callable, condition: Callable) -> None:
    body, text, truth, status = ONCE_WRONG[name]
    policy = load(body + "rules: [{id: end, when: run.iterations > 5, exit: exhausted, because: x}]\n")
    node = condition(policy, text)
    for module in (solver, walk):
        answer = module.can_be(policy, node, truth)
        assert answer.status == status, module.__name__
