"""
The faults of the seeds' rules are found on the faithful policies, by proof or by example.

Faults of the seeds' reading of texts come before any fact and are out of reach here. They are pinned by cases
and tests of their own:

- "not confident" reads as confident, "unlikely" as likely: policies/bb3-faithful/tests.yaml
- `COMPLETE` matches "incomplete", and the block's own key: policies/ralph-faithful/tests.yaml
- two different lists of phrases in one text: policies/ralph-faithful/tests.yaml
- a pattern that is quartic on one long line: tests/core/facts/test_linear.py
- a plan without tasks divides by zero: policies/bb3-faithful/tests.yaml, tests/core/facts/test_checklist.py
- the window that is said to hold five entries and keeps four: policies/loop-detection-faithful/tests.yaml
"""

from __future__ import annotations

from functools import cache

import pytest
from cases import some

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.bound import prove_longest
from exitgate.analysis.prove.cycles import endless
from exitgate.analysis.prove.proof import BROKEN
from exitgate.analysis.prove.prove import condition
from exitgate.analysis.prove.reachability import prove_rules
from exitgate.analysis.simulation import iterations_simulated
from exitgate.analysis.walk import queries
from exitgate.analysis.walk.queries import NOT_TRUE, PROVED, REFUTED, Answer, Limits
from exitgate.core.language.tree import Node
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = Limits(seconds=60)
MONOTONE = ("tasks.total == 5", "tasks.done >= previous(tasks.done)")


@cache
def policy(name: str) -> CompiledPolicy:
    return load_policy(f"{name}-faithful")


def rule(name: str, id: str) -> Node:
    return next(rule.when for rule in policy(name).rules if rule.id == id)


def decided(name: str, result: str, given: str) -> Answer:
    """Return an input on which the rules decide `result` although `given` is true."""
    of = policy(name)
    return queries.decides(of, result, condition(of, given), LIMITS)


def both(name: str, *wanted: str | tuple[str, object]) -> Answer:
    """Return an input on which conditions are true; a pair gives another truth for one."""
    of = policy(name)
    pairs = [one if isinstance(one, tuple) else (one, True) for one in wanted]
    return queries.all_be(of, [(condition(of, text), truth) for text, truth in pairs], LIMITS)  # type: ignore[misc]


def round_of(name: str, *assumed: str) -> tuple[Answer, int]:
    of = policy(name)
    return endless(of, [condition(of, text) for text in assumed], LIMITS)


def with_only(name: str, ids: tuple[str, ...]) -> CompiledPolicy:
    of = policy(name)
    return of.but(rules=tuple(one for one in of.rules if one.id in ids))


# --- seven rules in priority order ---


def test_all_tasks_done_is_dead_whatever_share_is_enough() -> None:
    of = policy("bb3")
    enough = of.parameters["min_completion"]
    for share in (*some(range(1, 101), 12), 100, 0.5, 99.9):
        changed = of.but(parameters={**of.parameters, "min_completion": enough.but(value=share)})
        answer = queries.can_decide(changed, "all_tasks_done", LIMITS)
        assert answer.status == PROVED, share


def test_the_dead_rule_is_told_with_the_one_that_shadows_it() -> None:
    told = {proof.subject: proof for proof in prove_rules(policy("bb3"), Backend(limits=LIMITS))}
    dead = [name for name, proof in told.items() if proof.status == BROKEN]
    assert dead == ["all_tasks_done"]
    assert "whenever it is true, `high_completion` is true before it" in told["all_tasks_done"].says
    assert "$min_completion" in told["all_tasks_done"].says


@pytest.mark.parametrize("grade", [50, 60])
def test_a_plain_answer_always_exits(grade: int) -> None:
    answer = decided("bb3", "CONTINUE", f"confidence == {grade}")
    assert answer.status == PROVED
    assert decided("bb3", "CONTINUE", "confidence == 70").status == REFUTED


def test_unticking_defeats_stagnation_for_ever() -> None:
    answer, period = round_of("bb3", "tasks.total == 5")
    assert (answer.status, period) == (REFUTED, 2)
    assert answer.run is not None
    done = [values["tasks.done"] for values in answer.run]
    assert done[0] != done[1]
    assert iterations_simulated(policy("bb3"), answer.run * 100) == 200


def test_five_tasks_that_stay_ticked_last_twelve_iterations() -> None:
    of = policy("bb3")
    (proof,) = prove_longest(of, Backend(limits=LIMITS), [condition(of, text) for text in MONOTONE])
    assert proof.says.startswith("runs of 12 iterations are possible, longer ones: no example at any of ")
    assert iterations_simulated(of, proof.example) == len(proof.example) == 12


def test_the_override_that_is_called_stricter_lets_runs_go_on() -> None:
    settings = {"min_completion": "90", "min_confidence": "80", "stagnation_loops": "2"}
    strict = load_policy("bb3-faithful", settings=settings)
    assert queries.differ(policy("bb3"), strict, LIMITS).status == REFUTED
    given = condition(strict, "tasks.total == 100 and tasks.done == 89")
    assert queries.decides(strict, "CONTINUE", given, LIMITS).status == REFUTED
    assert queries.decides(policy("bb3"), "CONTINUE", given, LIMITS).status == PROVED
    directions = {
        (before[0][0], after[0][0])
        for _, before, after in (a.kind for a in queries.differences(policy("bb3"), strict, LIMITS) if a.kind)
    }
    assert {("EXIT", "CONTINUE"), ("CONTINUE", "EXIT")} <= directions


# --- a loop, read off signatures ---


def test_a_loop_is_any_two_of_the_last_three_and_the_current_one() -> None:
    wanted = ("@same_signature", ("signature repeats 3 times", NOT_TRUE))
    answer = both("loop-detection", *wanted)
    assert answer.status == REFUTED
    assert answer.run is not None
    assert len(answer.run) == 4
    signatures = [values.get("signature") for values in answer.run]
    assert signatures.count(signatures[-1]) == 3


# --- the status block and its heuristics ---


def test_blocked_with_two_phrases_goes_on_for_ever() -> None:
    assumed = ("status.status is BLOCKED", "status.exit_signal is false", "indicators.signals >= 2")
    answer, period = round_of("ralph", *assumed)
    assert (answer.status, period) == (REFUTED, 1)
    assert answer.run is not None
    assert answer.run[0]["status.status"] == "BLOCKED"


def test_complete_against_an_explicit_false_goes_on() -> None:
    said = "status.present and status.status is COMPLETE and status.exit_signal is false"
    given = f"{said} and indicators.signals < 2"
    assert decided("ralph", "CONTINUE", given).status == REFUTED
    never = decided("ralph", "complete", given)
    assert never.status == PROVED


def test_without_a_block_the_written_order_has_no_exit() -> None:
    written = ("promise_kept", "dual_condition", "more_work_needed", "exit_signal", "blocked")
    of = with_only("ralph", written)
    answer = queries.decides(of, "EXIT", condition(of, "not status.present"), LIMITS)
    assert answer.status == PROVED
    assert queries.reaches(of, "EXIT", LIMITS).status == REFUTED


def test_the_dual_condition_is_covered_by_the_signal_alone() -> None:
    of = policy("ralph")
    dual, signal = rule("ralph", "dual_condition"), rule("ralph", "exit_signal")
    covered = queries.all_be(of, [(dual, True), (signal, NOT_TRUE)], LIMITS)
    assert covered.status == PROVED
    without = of.but(rules=tuple(one for one in of.rules if one.id != "dual_condition"))
    assert queries.differ(of, without, LIMITS).status == PROVED
    assert queries.differ(of, without, LIMITS, key=queries.RULE).status == REFUTED


def test_three_outputs_without_an_error_count_as_stuck() -> None:
    assert both("ralph", "@stuck_loop", "not errors.present").status == REFUTED


def test_the_same_error_is_looked_for_in_three_iterations_and_not_in_five() -> None:
    wanted = ("@stuck_loop", "errors.present", ("errors.signature repeats 5 times", NOT_TRUE))
    assert both("ralph", *wanted).status == REFUTED


# --- points of evidence ---


def test_without_a_block_there_are_at_most_45_points() -> None:
    most = both("doyaken", "not status.present", "completion_confidence > 45")
    assert most.status == PROVED
    assert both("doyaken", "not status.present", "completion_confidence == 45").status == REFUTED
    completes = decided("doyaken", "complete", "not status.present")
    assert completes.status == PROVED


@pytest.mark.parametrize(
    "against", ["not completion.found", "status.phase_complete is false", "status.tests_status is FAIL"]
)
def test_seventy_points_are_reached_against_what_is_asked_for(against: str) -> None:
    of = policy("doyaken")
    answer = queries.can_decide_after(of, "confident_completion", condition(of, against), LIMITS)
    assert answer.status == REFUTED


def test_claims_between_the_two_thresholds_go_on_for_ever() -> None:
    assumed = ("@claimed", "completion_confidence between 50 and 69", "not @low_confidence_claim")
    answer, period = round_of("doyaken", *assumed)
    assert (answer.status, period) == (REFUTED, 1)


# --- four scores ---


def test_quality_and_no_errors_reach_the_threshold_without_a_keyword() -> None:
    wanted = (
        "confidence >= $min_confidence",
        "completion.signals == 0",
        "not completion.found",
        "not tests.passing",
    )
    answer = both("response-analyzer", *wanted)
    assert answer.status == REFUTED


def test_keywords_and_confidence_are_two_criteria() -> None:
    detected = ("@completion_detected", ("confidence >= $min_confidence", NOT_TRUE))
    confident = (("@completion_detected", NOT_TRUE), "confidence >= $min_confidence")
    assert both("response-analyzer", *detected).status == REFUTED
    assert both("response-analyzer", *confident).status == REFUTED
