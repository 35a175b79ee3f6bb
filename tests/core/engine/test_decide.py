"""First true enforced rule decides; warn and shadow never do; what is unknown is told, not guessed."""

import pickle

import pytest
from cases import each

from exitgate.core.engine.program import Program
from exitgate.core.model.decision import Alternative, Decision, Warned
from exitgate.core.model.value import Unknown
from policies import UNKNOWN, bb3, bb3_record, compare, node, op, policy, rule


@each(
    ("changes", "want", "exit_class"),
    [
        ({}, None, None),
        ({"circuit__state": "OPEN", "tasks__percent": 100}, "circuit_open", "halted"),
        ({"tasks__percent": 80}, "high_completion", "complete"),
        ({"tasks__percent": 79.99}, None, None),
        ({"confidence": 69}, "low_confidence", "review"),
        ({"confidence": 70}, None, None),
        ({"errors__count": 6}, "too_many_errors", "failed"),
        ({"errors__count": 5}, None, None),
        ({"tasks__total": 3, "tasks__done": 3, "tasks__percent": UNKNOWN}, "all_tasks_done", "complete"),
        ({"confidence": 10, "errors__count": 99}, "low_confidence", "review"),
    ],
)
def test_first_true_rule_decides(changes, want, exit_class):
    program = Program(bb3())
    records = [bb3_record(**changes)]
    decision = program.decide(records)
    assert (decision.rule, decision.exit_class) == (want, exit_class)
    assert decision.verdict == ("EXIT" if want else "CONTINUE")
    assert decision.outcome == (want or "otherwise")
    ids = [r.id for r in program.policy.rules]
    assert program.winner(records) == (ids.index(want) if want else -1)


def test_history_reaches_back_and_pending_says_how_far():
    program = Program(bb3())
    records = [bb3_record(tasks__done=1)] * 3
    waiting = program.decide(records)
    assert waiting.verdict == "CONTINUE"
    assert [(p.have, p.need) for p in waiting.steps[5].pending] == [(2, 3)]
    stuck = program.decide([*records, bb3_record(tasks__done=1)])
    assert (stuck.rule, stuck.exit_class) == ("stagnation", "stuck")
    assert stuck.message == "No task finished in 3 iterations"
    assert stuck.advice == "Pick another task than the 1 done"


def test_steps_stop_at_the_winner_and_trace_asks_on():
    program = Program(bb3())
    records = [bb3_record(tasks__percent=90, confidence=10)]
    decision = program.decide(records)
    assert [s.truth for s in decision.steps] == [False, True, None, None, None, None]
    assert [s.truth for s in program.trace(records)] == [False, True, True, False, False, False]
    assert [s.rule for s in decision.steps] == [r.id for r in program.policy.rules]


def test_unknown_rule_above_makes_it_tentative_with_alternatives_named():
    decision = Program(bb3()).decide([bb3_record(circuit__state=UNKNOWN, tasks__percent=95)])
    assert decision.rule == "high_completion"
    assert not decision.firm
    assert decision.alternatives == (Alternative("circuit_open", "EXIT", "halted", "circuit_open"),)
    assert [s.rule for s in decision.undetermined] == ["circuit_open"]
    assert decision.steps[0].unknowns == (UNKNOWN,)


def test_unknown_rule_that_would_change_nothing_leaves_it_firm():
    same = policy(
        rule("a", op("is", "flag", True)),
        rule("b", compare("tasks.done", ">", 0)),
        rule("c", compare("errors.count", ">", 0), "stuck"),
    )
    record = {"flag": UNKNOWN, "tasks.done": 1, "errors.count": UNKNOWN}
    decision = Program(same).decide([record])
    assert (decision.rule, decision.firm, decision.alternatives) == ("b", True, ())
    assert len(decision.undetermined) == 1, "the rule behind the winner was not asked"


def test_continue_rule_shields_and_unknown_continue_rule_matters():
    shield = policy(rule("work_left", op("is", "flag", True), "continue"), rule("done", node(True)))
    assert Program(shield).decide([{"flag": True}]).rule == "work_left"
    decision = Program(shield).decide([{"flag": UNKNOWN}])
    assert (decision.rule, decision.firm) == ("done", False)
    assert decision.alternatives == (Alternative("work_left", "CONTINUE", None, "work_left"),)
    lone = policy(rule("work_left", op("is", "flag", True), "continue"))
    assert Program(lone).decide([{"flag": UNKNOWN}]).firm, "CONTINUE either way"


def test_warn_rules_are_all_asked_and_never_decide():
    loud = policy(
        rule("w1", node(True), "warn"),
        rule("soft", node(True), "halted", mode="warn", because=("would have halted",)),
        rule("done", node(True)),
        rule("w2", node(True), "warn"),
        rule("w3", node(False), "warn"),
        rule("late", node(True), "stuck", mode="warn"),
    )
    decision = Program(loud).decide([{}], notes=(Warned("the response is empty"),))
    assert decision.rule == "done"
    assert [(w.rule, w.message) for w in decision.warnings] == [
        (None, "the response is empty"),
        ("w1", "w1 holds"),
        ("soft", "would have halted"),
        ("w2", "w2 holds"),
        ("late", "late holds"),
    ]
    assert Program(loud).winner([{}]) == 0, "only enforced deciding rules are counted"


def test_shadow_rules_are_recorded_where_they_would_have_decided():
    dark = policy(
        rule("quiet", node(False), "stuck", mode="shadow"),
        rule("first", node(True), "stuck", mode="shadow"),
        rule("hint", node(True), "warn", mode="shadow"),
        rule("done", node(True)),
        rule("behind", node(True), "stuck", mode="shadow"),
    )
    decision = Program(dark).decide([{}])
    assert (decision.rule, decision.shadows, decision.warnings) == ("done", ("first",), ())


def test_unknown_warn_and_shadow_rules_leave_it_firm():
    soft = policy(
        rule("w", op("is", "flag", True), "warn"),
        rule("s", op("is", "flag", True), "halted", mode="shadow"),
        rule("m", op("is", "flag", True), "halted", mode="warn"),
    )
    decision = Program(soft).decide([{"flag": UNKNOWN}])
    assert decision.firm
    assert [s.rule for s in decision.undetermined] == ["w", "s", "m"]


def test_rules_belong_to_stages():
    staged = policy(
        rule("budget", compare("run.iterations", ">=", 3), "exhausted", stage="before_iteration"),
        rule("done", node(True)),
        rule("died", node(True), "failed", stage="after_failure"),
    )
    program = Program(staged)
    record = [{"run.iterations": 3}]
    assert program.decide(record).rule == "done"
    assert program.decide(record, "before_iteration").rule == "budget"
    assert program.decide(record, "after_failure").exit_class == "failed"
    assert program.decide(record, "after_failure").stage == "after_failure"
    assert [s.rule for s in program.decide(record, "before_iteration").steps] == ["budget"]
    with pytest.raises(KeyError):
        program.decide(record, "sometime")


def test_a_stage_without_rules_continues():
    decision = Program(policy()).decide([{}], "before_iteration")
    assert (decision.verdict, decision.outcome, decision.rule, decision.steps) == (
        "CONTINUE", "otherwise", None, (),
    )  # fmt: skip


def test_outcome_overrides_the_id():
    decision = Program(policy(rule("a", node(True), outcome="project_complete"))).decide([{}])
    assert (decision.rule, decision.outcome) == ("a", "project_complete")


def test_a_decision_is_one_to_equality_pickle_and_repr():
    decision = Program(bb3()).decide([bb3_record(circuit__state=UNKNOWN)])
    plain = decision.plain()
    assert type(plain) is Decision
    assert plain == decision and decision == plain
    assert hash(plain) == hash(decision)
    assert pickle.loads(pickle.dumps(decision)) == plain
    assert repr(decision) == repr(plain)
    assert decision != Program(bb3()).decide([bb3_record()])
    assert decision.steps is decision.steps
    with pytest.raises(AttributeError):
        decision.nothing_of_the_kind  # noqa: B018


def test_unknown_leaves_of_named_conditions_are_told():
    named = policy(
        rule("a", op("and", "@half", compare("tasks.done", ">", 0))),
        conditions={"half": compare("tasks.percent", ">=", 50)},
    )
    reason = Unknown("no task items in the plan", "tasks.percent")
    decision = Program(named).decide([{"tasks.percent": reason, "tasks.done": 1}])
    assert decision.steps[0].truth == reason
    assert decision.verdict == "CONTINUE"
