"""How long a run can go on under assumptions, and rounds that never end."""

from __future__ import annotations

from collections.abc import Callable

from exitgate.analysis.prove.backend import BOTH, Backend
from exitgate.analysis.prove.bound import prove_bound
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED
from exitgate.analysis.simulation import iterations_simulated
from exitgate.analysis.solver import bound
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

LIMITS = Limits(30)


def test_five_tasks_that_never_fall_end_after_twelve_iterations(condition: Callable) -> None:
    policy = load_policy("bb3-faithful")
    assumed = [condition(policy, "tasks.total == 5"), condition(policy, "tasks.done >= previous(tasks.done)")]
    found = bound.longest(policy, assumed, LIMITS)
    assert (found.iterations, found.answer.status) == (12, PROVED)
    run = found.run
    assert run is not None
    assert iterations_simulated(policy, run) == len(run) == 12
    assert bound.endless(policy, assumed, LIMITS)[0].run is None


def test_whoever_unticks_a_task_is_never_stuck(condition: Callable) -> None:
    policy = load_policy("bb3-faithful")
    assumed = [condition(policy, "tasks.total == 5")]
    found = bound.longest(policy, assumed, LIMITS, most=20)
    assert (found.iterations, found.answer.status) == (20, REFUTED)
    answer, period = bound.endless(policy, assumed, LIMITS)
    assert (answer.status, period) == (REFUTED, 2)
    assert answer.run is not None
    assert len({values["tasks.done"] for values in answer.run}) == 2


def test_a_budget_of_iterations_is_a_bound_by_itself(load: Callable) -> None:
    policy = load("rules: [{id: end, when: run.iterations >= 7, exit: exhausted, because: x}]\n")
    found = bound.longest(policy, (), LIMITS)
    assert (found.iterations, found.answer.status) == (6, PROVED)


def test_a_run_that_is_blind_for_too_long_ends(load: Callable, condition: Callable) -> None:
    policy = load(
        "facts:\n  errors: {extract: error_lines, from: response, words: [error]}\n"
        "undetermined: {exit_after: 4}\n"
        "rules: [{id: end, when: errors.count > 5, exit: stuck, because: x}]\n"
    )
    silent = [condition(policy, "nothing is known")]
    found = bound.longest(policy, silent, LIMITS)
    assert (found.iterations, found.answer.status) == (3, PROVED)


def test_the_policys_own_breaker_is_played(load: Callable, condition: Callable) -> None:
    body = (
        "facts:\n  errors: {extract: error_lines, from: response, words: [error]}\n"
        "circuit:\n  open: [{id: many, when: (errors.count > 0) for 3 consecutive iterations}]\n"
        "rules: [{id: broken, when: circuit.state is OPEN, exit: halted, because: x}]\n"
    )
    policy = load(body)
    failing = [condition(policy, "errors.count > 0")]
    found = bound.longest(policy, failing, Limits(5))
    assert found.iterations == 2
    assert found.answer.status in (PROVED, UNDECIDED), (
        "how the breaker moves is left open, never proved wrongly"
    )
    calm = [condition(policy, "errors.count == 0")]
    answer, period = bound.endless(policy, calm, LIMITS)
    assert (answer.status, period) == (REFUTED, 1)


def test_the_bound_of_a_policy_is_proved_where_the_solver_is_asked(condition: Callable) -> None:
    policy = load_policy("bb3-faithful")
    assumed = [condition(policy, "tasks.total == 5"), condition(policy, "tasks.done >= previous(tasks.done)")]
    (proof,) = prove_bound(policy, Backend(BOTH, LIMITS), assumed)
    assert (proof.status, proof.says) == (PROVED, "at most 12 iterations without an exit or a failure")
    assert len(proof.example) == 12
