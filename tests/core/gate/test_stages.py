"""Which stages are asked, and how two become one decision."""

import pytest

from exitgate.core.engine.program import Program
from exitgate.core.engine.stages import decide_stages, stages_due
from exitgate.core.model.decision import Warned
from policies import UNKNOWN, compare, node, op, policy, rule

BEFORE, AFTER, FAILURE = "before_iteration", "after_iteration", "after_failure"


@pytest.mark.parametrize(
    ("forced", "agent_exit", "response", "begun", "want"),
    [
        (None, None, True, False, (AFTER, BEFORE)),
        (None, 0, True, True, (AFTER, BEFORE)),
        (None, 1, True, True, (FAILURE, BEFORE)),
        (None, 137, False, False, (FAILURE, BEFORE)),
        (None, 0, False, False, (AFTER, BEFORE)),
        (None, None, False, False, (BEFORE,)),
        (None, None, False, True, (AFTER, BEFORE)),
        (FAILURE, 0, True, True, (FAILURE,)),
        (BEFORE, None, True, True, (BEFORE,)),
    ],
)
def test_stages_due(forced, agent_exit, response, begun, want):
    assert stages_due(forced, agent_exit, response=response, begun=begun) == want


BUDGET = rule("budget", compare("run.iterations", ">=", 3), "exhausted", stage=BEFORE)
DONE = rule("done", op("is", "flag", True))
DUE = (AFTER, BEFORE)


def decide(made, record, stages=DUE, **more):
    return decide_stages(Program(made), [record], stages, **more)


def test_the_first_exit_wins_and_the_next_stage_is_not_asked():
    decision = decide(policy(DONE, BUDGET), {"flag": True, "run.iterations": 9})
    assert (decision.rule, decision.stage) == ("done", AFTER)
    assert [s.rule for s in decision.steps] == ["done"]


def test_before_the_next_iteration_a_budget_ends_the_run():
    decision = decide(policy(DONE, BUDGET), {"flag": False, "run.iterations": 3})
    assert (decision.rule, decision.exit_class, decision.stage) == ("budget", "exhausted", BEFORE)
    assert [s.rule for s in decision.steps] == ["done", "budget"]


def test_continue_of_both_is_the_first_stages_answer_with_the_warnings_of_both():
    made = policy(
        rule("stay", node(True), "continue", advice=("go on",)),
        rule("w1", node(True), "warn"),
        rule("w2", node(True), "warn", stage=BEFORE),
        BUDGET,
    )
    decision = decide(made, {"flag": False, "run.iterations": 1}, notes=(Warned("remark"),))
    assert (decision.verdict, decision.rule, decision.stage) == ("CONTINUE", "stay", AFTER)
    assert [w.message for w in decision.warnings] == ["remark", "w1 holds", "w2 holds"]
    assert decision.advice == "go on"


def test_advice_of_warnings_reaches_the_agent_of_a_run_that_goes_on():
    made = policy(
        rule("w1", node(True), "warn", advice=("look at ", ("run.iterations",), ".")),
        rule("silent", node(False), "warn", advice=("never.",)),
        rule("stay", node("flag"), "continue", advice=("Go on.",)),
        rule("w2", node(True), "complete", advice=("Rest.",), mode="warn"),
        rule("w3", node(True), "warn", stage=BEFORE, advice=("Be quick.",)),
        BUDGET,
    )
    goes_on = {"flag": True, "run.iterations": 1}
    assert decide(made, goes_on).advice == "Go on. look at 1. Rest. Be quick."
    assert decide(made, {**goes_on, "flag": False}).advice == "look at 1. Rest. Be quick."
    ended = decide(made, {**goes_on, "run.iterations": 9})
    assert (ended.rule, ended.advice) == ("budget", "")


def test_a_run_that_ends_has_the_advice_of_its_end_only():
    nudge = rule("w1", node(True), "warn", advice=("Look.",))
    made = policy(nudge, rule("done", node(True), "complete", advice=("Rest.",)))
    assert decide(made, {}).advice == "Rest."
    assert decide(policy(nudge, DONE), {"flag": True}).advice == ""


def test_a_stage_without_rules_is_skipped():
    decision = decide(policy(DONE), {"flag": False})
    assert [s.rule for s in decision.steps] == ["done"]
    assert decision.stage == AFTER
    alone = decide(policy(DONE), {"flag": False}, stages=(BEFORE,))
    assert (alone.verdict, alone.stage, alone.steps) == ("CONTINUE", BEFORE, ())


def test_what_is_undetermined_in_either_stage_makes_both_tentative():
    decision = decide(policy(DONE, BUDGET), {"flag": UNKNOWN, "run.iterations": 3})
    assert (decision.exit_class, decision.firm) == ("exhausted", False)
    assert [a.rule for a in decision.alternatives] == ["done"]
    same = policy(DONE, rule("late", node(True), "complete", stage=BEFORE))
    assert decide(same, {"flag": UNKNOWN}).firm, "complete either way"
    unsure = decide(policy(DONE, BUDGET), {"flag": False, "run.iterations": UNKNOWN})
    assert (unsure.verdict, [a.rule for a in unsure.alternatives]) == ("CONTINUE", ["budget"])


def test_a_blind_run_ends_after_the_iteration_before_the_next_is_asked():
    made = policy(BUDGET, exit_after_blind=1)
    assert decide(made, {"run.iterations": 9}).exit_class == "undetermined"
    assert decide(policy(exit_after_blind=3), {}, stages=(BEFORE,), silent=2).exit_class == "undetermined"
