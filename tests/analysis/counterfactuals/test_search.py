"""What it takes to get another result: fewest facts, ties told together, what cannot be said to be so."""

from __future__ import annotations

import pytest

from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.parameters import parameter_changes
from exitgate.analysis.counterfactuals.search import Limits, smallest_changes
from exitgate.analysis.counterfactuals.search_space import SearchSpace
from exitgate.analysis.results.counterfactual import FAR, FOUND, NONE, OPEN
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, PERCENT, SIGNATURE, Unknown
from exitgate.core.policy.compiled import Derived, Extraction
from policies import FACTS, UNKNOWN, bb3, bb3_record, compare, node, op, parameter, points, policy, rule

PATIENT = Limits(tests=10**6, seconds=20.0)
COMPLETE, STUCK, CONTINUE = ("EXIT", "complete"), ("EXIT", "stuck"), ("CONTINUE", None)


def scene(made, *records, stages=("after_iteration",), **more):
    program = Program(made)
    *earlier, last = program.complete(records)
    base = last if isinstance(last, Record) else Record(last)
    return SearchSpace(LastIteration(program, earlier, stages), base, **more)


def turns(made, *records, limits=PATIENT, **more):
    return {one.result: one for one in smallest_changes(scene(made, *records, **more), limits)}


def edits(turn):
    return [{e.name: e.after for e in change.edits} for change in turn.best]


def test_the_smallest_change_is_told_and_nothing_smaller_does_it():
    found = turns(bb3(), bb3_record(tasks__done=7, tasks__percent=70))
    assert edits(found[COMPLETE]) == [{"tasks.done": 8}]
    assert edits(found["EXIT", "review"]) == [{"confidence": 69}]
    assert edits(found["EXIT", "failed"]) == [{"errors.count": 6}]
    assert found[STUCK].status == NONE, "no history that long"


def test_two_facts_where_one_does_not_do_it():
    made = policy(
        rule("both", op("and", "flag", compare("confidence", "<", 50), compare("errors.count", ">", 2)))
    )
    found = turns(made, {"flag": False, "confidence": 90, "errors.count": 5})
    assert edits(found[COMPLETE]) == [{"flag": True, "confidence": 49}]
    assert found[COMPLETE].fewer == 2


def test_three_facts_and_no_more():
    three = op("and", "flag", compare("confidence", "<", 50), compare("errors.count", ">", 2))
    record = {"flag": False, "confidence": 90, "errors.count": 0, "tasks.total": 0}
    assert turns(policy(rule("three", three)), record)[COMPLETE].fewer == 3
    four = op("and", *three.args, compare("tasks.total", ">", 3))
    found = turns(policy(rule("four", four)), record)[COMPLETE]
    assert (found.status, found.changes, found.fewer) == (FAR, (), 4)


def test_changes_of_the_same_effort_are_alternatives():
    facts = {name: FactSpec(name, BOOL, "") for name in ("a.x", "a.y", "a.z")}
    whens = [Node("fact", (name,), type=BOOL) for name in facts]
    made = policy(rule("any", Node("or", tuple(whens), type=BOOL)), facts=facts)
    found = turns(made, {"a.x": False, "a.y": False, "a.z": UNKNOWN})
    assert edits(found[COMPLETE]) == [{"a.x": True}, {"a.y": True}]
    assert [e.name for c in found[COMPLETE].changes for e in c.edits] == ["a.x", "a.y", "a.z"]


def test_a_rule_above_has_to_give_way():
    made = policy(rule("going", node("flag"), "continue"), rule("high", compare("tasks.percent", ">=", 80)))
    found = turns(made, {"flag": True, "tasks.percent": 10})
    assert edits(found[COMPLETE]) == [{"flag": False, "tasks.percent": 80}]


def test_what_the_history_rules_out_is_ruled_out():
    form = op("consecutive", "flag", 3)
    made = policy(rule("long", form, "stuck"))
    assert turns(made, {"flag": True}, {"flag": False}, {"flag": False})[STUCK].status == NONE
    found = turns(made, {"flag": True}, {"flag": True}, {"flag": False})[STUCK]
    assert edits(found) == [{"flag": True}]
    assert turns(made, {"flag": UNKNOWN}, {"flag": True}, {"flag": False})[STUCK].status == NONE


def test_a_form_that_is_full_is_left_by_its_last_iteration():
    for form in (op("consecutive", "flag", 3), compare(Node("streak", (node("flag"), None, None)), ">=", 3)):
        made = policy(rule("long", form, "stuck"))
        found = turns(made, {"flag": True}, {"flag": True}, {"flag": True})[CONTINUE]
        assert edits(found) == [{"flag": False}]
        assert found.fewer == 1


def test_a_sum_that_takes_two_facts():
    high = compare(Node("add", (node("confidence"), node("tasks.percent")), type=PERCENT), ">", 150)
    made = policy(rule("high", high))
    found = turns(made, {"confidence": 10, "tasks.percent": 10})[COMPLETE]
    assert found.status == FOUND
    assert sum(edit.after for edit in found.best[0].edits) == pytest.approx(150, abs=0.1)
    assert found.fewer == 1, "values are computed with, so nothing is proved of fewer changes"


def test_a_value_from_before_is_found_again():
    signature = FactSpec("sig.nature", SIGNATURE, "")
    form = Node("repeats", (Node("fact", ("sig.nature",), type=SIGNATURE), node(3), None), type=BOOL)
    made = policy(rule("loop", form, "stuck"), facts={"sig.nature": signature})
    records = [{"sig.nature": "moved-on"}, {"sig.nature": "moved-on"}, {"sig.nature": "other"}]
    assert edits(turns(made, *records)[STUCK]) == [{"sig.nature": "moved-on"}]
    (change,) = turns(made, *[{"sig.nature": "moved-on"}] * 3)[CONTINUE].best
    assert change.edits[0].new, "any other value does it"


def test_an_unknown_fact_becomes_known():
    found = turns(policy(rule("sure", node("flag"))), {"flag": Unknown("no block", "flag")})
    assert edits(found[COMPLETE]) == [{"flag": True}]
    assert found[COMPLETE].best[0].edits[0].before == Unknown("no block", "flag")


def test_a_fact_that_becomes_unknown_comes_last():
    made = policy(rule("known", op("known", "flag")))
    found = turns(made, {"flag": True})
    assert isinstance(found[CONTINUE].best[0].edits[0].after, Unknown)
    either = policy(rule("yes", op("and", op("known", "flag"), "flag")))
    assert edits(turns(either, {"flag": True})[CONTINUE]) == [{"flag": False}]


def test_points_are_followed_to_the_rows_that_count():
    rows = [(node("flag"), 30), (compare("errors.count", "<", 3), 30), (compare("tasks.total", ">", 5), 20)]
    made = policy(rule("sure", compare("score", ">=", 50)), derived=(points("score", rows),))
    found = turns(made, {"flag": False, "errors.count": 9, "tasks.total": 9})
    assert {frozenset(one) for one in edits(found[COMPLETE])} == {frozenset({"errors.count"})}
    assert {tuple(e.name for e in c.edits) for c in found[COMPLETE].changes} == {("errors.count",), ("flag",)}
    none = turns(made, {"flag": False, "errors.count": 9, "tasks.total": 0})
    assert {frozenset(one) for one in edits(none[COMPLETE])} <= {
        frozenset({"flag", "errors.count"}), frozenset({"flag", "tasks.total"}),
        frozenset({"errors.count", "tasks.total"}),
    }  # fmt: skip


def test_both_counts_of_a_plan_are_two_facts():
    made = policy(
        rule("big", op("and", compare("tasks.total", ">=", 9), compare("tasks.done", "==", "tasks.total")))
    )
    found = turns(made, {"tasks.done": 1, "tasks.total": 3, "tasks.percent": 100 / 3})
    assert edits(found[COMPLETE]) == [{"tasks.done": 9, "tasks.total": 9}]
    assert found[COMPLETE].fewer == 2


def test_a_field_becomes_known_only_with_its_block():
    block = Extraction("status", "status_block", "output", {"fields": {"signal": {"unreadable": False}}})
    facts = {n: FactSpec(n, BOOL, "") for n in ("status.present", "status.signal")}
    present, signal = (Node("fact", (n,), type=BOOL) for n in facts)
    made = policy(
        rule("signal", op("and", present, signal)), facts=facts, extractions=(block,),
        unreadable={"status.signal": False},
    )  # fmt: skip
    record = Record({"status.present": False, "status.signal": False}, frozenset(["status.signal"]))
    assert edits(turns(made, record)[COMPLETE]) == [{"status.signal": True}], "the block comes with it"
    with_it = Record({"status.present": True, "status.signal": True})
    one = scene(made, with_it)
    lost = next(c for s in one.slots for c in s.choices if c.values.get("status.present") is False)
    assert lost.values["status.signal"] is False
    assert "status.signal" in lost.stand_ins


def test_the_stage_behind_has_to_go_on_too():
    made = policy(
        rule("done", compare("tasks.percent", ">=", 80)),
        rule("spent", compare("run.iterations", ">=", 9), "exhausted", stage="before_iteration"),
    )
    record = {"tasks.percent": 90, "run.iterations": 9}
    both = ("after_iteration", "before_iteration")
    found = turns(made, record, stages=both)
    assert edits(found["EXIT", "exhausted"]) == [{"tasks.percent": 79}]
    assert edits(found[CONTINUE]) == [{"run.iterations": 8, "tasks.percent": 79}]
    fixed = turns(made, record, stages=both, fixed={"run.iterations"})[CONTINUE]
    assert fixed.status == NONE


def test_a_blind_decision_that_ends_the_run_is_averted_by_anything_known():
    made = policy(rule("done", compare("tasks.percent", ">=", 80)), exit_after_blind=2)
    silent = {"flag": UNKNOWN, **{name: UNKNOWN for name in FACTS if not name.startswith(("circuit", "run"))}}
    one = scene(made, silent, silent)
    assert one.result == ("EXIT", "undetermined")
    found = {turn.result: turn for turn in smallest_changes(one, PATIENT)}
    assert {e.name for c in found[CONTINUE].changes for e in c.edits} >= {"flag", "confidence", "tasks.total"}
    assert found[CONTINUE].fewer == 1


def test_progress_follows_from_its_signals():
    made = policy(
        rule(
            "flat", Node("is", (Node("fact", ("progress.made",), type=BOOL), node(False)), type=BOOL), "stuck"
        ),
        derived=(Derived("progress.made", BOOL, signals=("tasks.done",)),),
    )
    found = turns(made, {"tasks.done": 4}, {"tasks.done": 2}, {"tasks.done": 3})
    assert edits(found[CONTINUE])[0] == {"tasks.done": 5}, "better than the best before"


def test_limits_are_told():
    names = [f"n.{letter}" for letter in "abcdefghij"]
    facts = {name: FactSpec(name, COUNT, "", low=0) for name in names}
    total = Node("fact", (names[0],), type=COUNT)
    for name in names[1:]:
        total = Node("add", (total, Node("fact", (name,), type=COUNT)), type=COUNT)
    made = policy(rule("sum", compare(total, ">=", 99), "stuck"), facts=facts)
    found = turns(made, dict.fromkeys(names, 0), limits=Limits(tests=5))[STUCK]
    assert (found.status, found.why) == (OPEN, "not decided within 5 tests")


@pytest.mark.parametrize(("low", "expected"), [(None, 70), (75, None)])
def test_a_parameter_stays_within_its_bounds(low, expected):
    base = bb3()
    knob = parameter("min_completion", 80, base.parameters["min_completion"].type, low=low)
    made = base.but(parameters={**base.parameters, "min_completion": knob})
    one = scene(made, bb3_record(tasks__done=7, tasks__percent=70))
    found = {c.name: c.after for c in parameter_changes(one) if c.result == COMPLETE}
    assert found.get("$min_completion") == expected


def test_a_found_change_is_exact_at_the_border():
    made = policy(
        rule("sure", compare("tasks.percent", ">=", "$need")), parameters=(parameter("need", 80.0),)
    )
    (change,) = parameter_changes(scene(made, {"tasks.percent": 66.6}))
    assert change.after == 66.6


def test_a_value_that_stands_in_is_another_than_the_same_value_known():
    made = policy(rule("blank", op("silence")), unreadable={"flag": False})
    found = turns(made, {"flag": False, "confidence": 90})
    assert [list(change) for change in edits(found[COMPLETE])] == [["confidence", "flag"]]
