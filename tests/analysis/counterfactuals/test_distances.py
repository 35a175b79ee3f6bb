"""How far thresholds are, held against values worked out by hand."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.distances import distances
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import Location
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, Type
from exitgate.core.policy.compiled import Parameter
from exitgate.report.decision.counterfactuals import distance_rows
from policies import UNKNOWN, bb3, bb3_record, compare, node, op, parameter, policy, rule

MONEY = Type("money", currency="USD")


def far(made, *records, stages=("after_iteration",)):
    return distances(made, Program(made).complete(records), stages)


def rows(made, *records, **more):
    return distance_rows(far(made, *records), made, **more)


def test_all_thresholds_of_bb3_by_hand():
    found = far(
        bb3(), bb3_record(tasks__done=6, tasks__percent=60), bb3_record(tasks__done=6, tasks__percent=60)
    )
    told = {one.text: (one.value, one.wants, one.threshold, one.gap, round(one.share, 3)) for one in found}
    assert told == {
        "tasks.percent": (60, ">=", 80, 20, 0.25),
        "confidence": (90, "<", 70, 20, 0.222),
        "errors.count": (0, ">", 5, 6, 1.0),
        "tasks.done": (6, "==", 10, 4, 0.4),
        "tasks.done unchanged for $stagnation_loops iterations": (1, "of", 3, 2, 0.667),
    }
    assert [one.share for one in found] == sorted(one.share for one in found)
    assert [one.rules for one in found][:2] == [("low_confidence",), ("high_completion",)]


def test_in_words():
    made = bb3()
    place = Location("team.yaml", 7, 3)
    old = made.parameters["min_completion"]
    knob = Parameter(old.name, PERCENT, 80, 80, None, None, "", place)
    made = made.but(parameters={**made.parameters, "min_completion": knob})
    quiet = bb3_record(tasks__done=6, tasks__percent=60, confidence=70)
    assert rows(made, quiet, quiet) == [
        ("low_confidence", "confidence 70%, has to be below $min_confidence 70%"),
        ("high_completion", "tasks.percent 60%, needs $min_completion 80% (team.yaml:7)"),
        ("all_tasks_done", "tasks.done 6, 4 away from 10"),
        (
            "stagnation",
            "1 of 3, 2 to go: tasks.done unchanged for $stagnation_loops iterations, $stagnation_loops 3",
        ),
        ("too_many_errors", "errors.count 0, 6 to pass $max_errors 5"),
    ]


def test_budgets_say_what_is_left():
    cost = FactSpec("run.cost", MONEY, "", low=0, read=False)
    limit = Node("money", (10, "USD"), type=MONEY)
    made = policy(
        rule(
            "spent",
            Node("compare", (">=", Node("fact", ("run.cost",), type=MONEY), limit), type=BOOL),
            "exhausted",
        ),
        facts={"run.cost": cost},
    )
    assert rows(made, {"run.cost": 3.1}) == [("spent", "run.cost 3.10 USD of 10 USD, 6.90 USD left")]


def test_what_is_true_already_or_cannot_be_is_no_distance():
    made = policy(
        rule("off", op("and", compare("$limit", ">", 0), compare("errors.count", ">", "$limit")), "stuck"),
        rule("young", compare("run.iterations", "<", 1), "continue"),
        rule("odd", compare("tasks.percent", ">", 120)),
        rule("half", op("and", compare("tasks.total", ">", 2), compare("tasks.done", ">", 2))),
        parameters=(parameter("limit", 0, COUNT),),
    )
    found = far(
        made, {"errors.count": 0, "run.iterations": 4, "tasks.percent": 3, "tasks.total": 5, "tasks.done": 1}
    )
    assert [(one.rules, one.text) for one in found] == [(("half",), "tasks.done")]


def test_under_not_the_other_side_is_wanted():
    made = policy(rule("calm", op("not", compare("errors.count", ">", 2))))
    (one,) = far(made, {"errors.count": 6})
    assert (one.wants, one.gap) == ("<=", 4)
    (turned,) = far(policy(rule("calm", compare(2, ">=", "errors.count"))), {"errors.count": 6})
    assert (turned.text, turned.wants, turned.gap) == ("errors.count", "<=", 4)


def test_between_is_as_far_as_its_nearer_end():
    within = op("between", "confidence", 50, 70)
    made = policy(rule("doubt", within, "review"))
    assert [(o.wants, o.gap) for o in far(made, {"confidence": 90})] == [("<=", 20)]
    assert [(o.wants, o.gap) for o in far(made, {"confidence": 20})] == [(">=", 30)]
    assert far(made, {"confidence": 60}) == ()


def test_counts_over_iterations_say_how_far_they_have_come():
    streak = Node("streak", (node("flag"), None, None), type=COUNT)
    made = policy(rule("long", compare(streak, ">=", 4), "stuck"))
    (one,) = far(made, {"flag": False}, {"flag": True}, {"flag": True})
    assert (one.value, one.wants, one.threshold, one.gap, one.share) == (2, "of", 4, 2, 0.5)
    assert far(made, {"flag": True}, {"flag": False}) == (), "it has to begin anew"


def test_the_same_comparison_of_two_rules_is_told_once():
    more = op("and", "flag", compare("tasks.percent", ">=", 80))
    made = policy(rule("a", compare("tasks.percent", ">=", 80)), rule("b", more, "review"))
    assert rows(made, {"tasks.percent": 60, "flag": True}) == [("a +1", "tasks.percent 60%, needs 80%")]


def test_unknown_values_come_last_and_only_if_all_are_wanted():
    record = bb3_record(tasks__percent=UNKNOWN, tasks__total=UNKNOWN, tasks__done=UNKNOWN)
    assert [label for label, _ in rows(bb3(), record)] == ["low_confidence", "too_many_errors"]
    unknown = ("high_completion", "tasks.percent unknown, wanted >= $min_completion 80%")
    assert unknown in rows(bb3(), record, all=True)[2:]
