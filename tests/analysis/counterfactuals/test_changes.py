"""Every change named flips the decision, is as small as can be, and keeps tied facts in step."""

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.counterfactuals.search import counterfactuals, with_parameter
from exitgate.analysis.counterfactuals.slots import with_dependents
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, Unknown
from exitgate.report.decision.changes import change_text
from policies import UNKNOWN, bb3, bb3_record, compare, formula, node, op, points, policy, rule


def found(made, *records, **more):
    program = Program(made)
    changes = counterfactuals(program, program.complete(records), **more)
    return {
        (c.name, c.after, c.decision.rule): c for c in changes
    }  # fmt: skip


def test_bb3_from_continue():
    changes = found(bb3(), bb3_record(tasks__done=7, tasks__percent=70), limit=20)
    names = set(changes)
    assert ("tasks.done", 8, "high_completion") in names
    assert ("confidence", 69, "low_confidence") in names
    assert ("errors.count", 6, "too_many_errors") in names
    assert ("circuit.state", "OPEN", "circuit_open") in names
    assert ("$min_completion", 70, "high_completion") in names
    assert ("$min_confidence", 91, "low_confidence") in names
    assert not any(name == "tasks.percent" for name, _, _ in names), "it follows from the counts"


def test_nearest_fact_comes_first_and_parameters_last():
    program = Program(bb3())
    changes = counterfactuals(
        program, [bb3_record(confidence=71, tasks__done=5, tasks__percent=50)], limit=20
    )
    assert (changes[0].name, changes[0].before, changes[0].after) == ("confidence", 71, 69)
    kinds = [c.name.startswith("$") for c in changes]
    assert kinds == sorted(kinds)


def test_bb3_from_exit():
    changes = found(bb3(), bb3_record(tasks__done=8, tasks__percent=80))
    assert changes[("tasks.done", 7, None)].decision.verdict == "CONTINUE"
    assert ("$min_completion", 81, None) in changes


def test_history_parameter_turns_at_the_length_of_the_history():
    records = [bb3_record(), bb3_record(), bb3_record()]
    assert ("$stagnation_loops", 2, "stagnation") in found(bb3(), *records, limit=20)
    stuck = [bb3_record()] * 4
    changes = found(bb3(), *stuck, limit=20)
    assert ("$stagnation_loops", 4, None) in changes
    assert ("tasks.done", 2, None) in changes


def test_unknown_to_known():
    changes = found(bb3(), bb3_record(confidence=UNKNOWN))
    change = changes[("confidence", 69, "low_confidence")]
    assert change.before == UNKNOWN


def test_a_share_whose_counts_are_unknown_is_changed_itself():
    record = bb3_record(tasks__done=UNKNOWN, tasks__total=UNKNOWN, tasks__percent=UNKNOWN)
    assert ("tasks.percent", 80, "high_completion") in found(bb3(), record, limit=20)


def test_points_and_named_conditions_are_followed_to_their_facts():
    made = policy(
        rule("sure", compare("score", ">=", 50)),
        derived=(points("score", [(node("@calm"), 30), (op("is", "flag", True), 20)]),),
        conditions={"calm": compare("errors.count", "<", 3)},
    )
    changes = found(made, {"errors.count": 0, "flag": False})
    assert ("flag", True, "sure") in changes
    assert ("errors.count", 3, None) not in changes, "that would change nothing"


def test_formula_border_is_found_by_halving():
    mixed = formula("mixed", op("div", op("add", "confidence", "tasks.percent"), 2))
    made = policy(rule("sure", compare("mixed", ">=", 70)), derived=(mixed,))
    changes = found(made, {"confidence": 50, "tasks.percent": 60})
    assert ("confidence", 80, "sure") in changes
    assert ("tasks.percent", 90, "sure") in changes


def test_pairs_when_no_single_change_does_it():
    made = policy(rule("both", op("and", op("is", "flag", True), compare("tasks.done", ">", 3))))
    (change,) = found(made, {"flag": False, "tasks.done": 0}).values()
    assert [(e.name, e.before, e.after) for e in change.edits] == [
        ("flag", False, True),
        ("tasks.done", 0, 4),
    ]


def test_a_fact_that_says_all_is_done_is_reached_through_the_counts():
    complete = FactSpec("tasks.complete", BOOL, "all are done")
    made = policy(
        rule("all", node(Node("fact", ("tasks.complete",), type=BOOL))), facts={complete.name: complete}
    )
    record = {"tasks.done": 1, "tasks.total": 3, "tasks.complete": False}
    (change,) = found(made, record).values()
    assert (change.name, change.before, change.after) == ("tasks.done", 1, 3)


def test_told_in_words():
    program = Program(bb3())
    records = [bb3_record(tasks__done=7, tasks__percent=70, circuit__state=UNKNOWN)]
    sentences = [change_text(c, program.policy) for c in counterfactuals(program, records, limit=20)]
    assert "would have been EXIT complete (high_completion) if 8 tasks were done (now 7)" in sentences
    assert "would have been EXIT halted (circuit_open) if `circuit.state` were OPEN (is unknown)" in sentences
    assert (
        "would have been EXIT complete (high_completion) if `$min_completion` were 70% (is 80%)" in sentences
    )
    both = policy(rule("both", op("and", op("is", "flag", True), compare("tasks.done", ">", 3))))
    (pair,) = counterfactuals(Program(both), [{"flag": False, "tasks.done": 0}])
    assert change_text(pair, both) == (
        "would have been EXIT complete (both) if `flag` were true (is false) and 4 tasks were done (now 0)"
    )


def test_nothing_to_change():
    assert counterfactuals(Program(policy(rule("always", node(True)))), [{}]) == ()


def test_tied_counts_never_contradict_each_other():
    record = {"tasks.done": 1, "tasks.total": 4, "tasks.open": 3, "tasks.percent": 25.0}
    assert with_dependents(record, "tasks.done", 4) == {
        "tasks.done": 4,
        "tasks.percent": 100.0,
        "tasks.open": 0,
    }
    assert with_dependents(record, "tasks.done", 5) is None
    emptied = with_dependents(
        {**record, "tasks.done": 0, "tasks.percent": 0, "tasks.open": 4}, "tasks.total", 0
    )
    assert emptied is not None
    assert isinstance(emptied["tasks.percent"], Unknown)
    whole = {**record, "tasks.complete": False, "tasks.blocking_open": 3}
    assert with_dependents(whole, "tasks.done", 4) == {
        "tasks.done": 4, "tasks.percent": 100.0, "tasks.open": 0,
        "tasks.complete": True, "tasks.blocking_open": 0,
    }  # fmt: skip
    odd = {**record, "tasks.percent": 50.0, "tasks.open": 1}
    assert with_dependents(odd, "tasks.done", 4) == {"tasks.done": 4}, (
        "a group that counts otherwise is left alone"
    )


RECORDS = st.fixed_dictionaries(
    {
        "circuit.state": st.sampled_from(["OPEN", "CLOSED", UNKNOWN]),
        "confidence": st.one_of(st.integers(0, 100), st.just(UNKNOWN)),
        "errors.count": st.one_of(st.integers(0, 9), st.just(UNKNOWN)),
        "done": st.integers(0, 6),
    }
)


@given(RECORDS)
@settings(max_examples=60, deadline=None)
def test_every_change_is_replayed_on_the_engine(drawn):
    done = drawn["done"]
    record = bb3_record(tasks__total=6, tasks__done=done, tasks__percent=100 * done / 6)
    record |= {k: v for k, v in drawn.items() if k != "done"}
    program = Program(bb3())
    was = program.decide([record])
    changes = counterfactuals(program, [record])
    assert changes, "bb3 can always be turned by one value"
    for change in changes:
        assert change.result != (was.verdict, was.exit_class)
        if change.name.startswith("$"):
            other = Program(with_parameter(program.policy, change.name[1:], change.after))
            again = other.decide([record])
        else:
            again = program.decide([{**record, **with_dependents(record, change.name, change.after)}])
        assert (again.verdict, again.exit_class) == change.result
