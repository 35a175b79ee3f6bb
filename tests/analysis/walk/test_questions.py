"""Limits are kept and told, examples are small, two policies are looked at together."""

from __future__ import annotations

import pytest
from small import also, asked, policy

from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.queries import (
    NOT_TRUE,
    PROVED,
    REFUTED,
    RULE,
    UNDECIDED,
    Limits,
    all_be,
    can_be,
    can_decide,
    can_decide_after,
    differ,
    differences,
    reaches,
)
from exitgate.analysis.walk.query_cache import QueryCache, query_cache_of
from exitgate.analysis.walk.variables import CyclicVariables
from exitgate.analysis.walk.witnesses import completed_run
from exitgate.core.model.value import COUNT, TEXT, Unknown
from exitgate.core.policy.compile import load_policy

#: No closed form tells it, and no region of it is settled early.
HARD = "distinct(sig, last 9) == 8 and average(n, last 9) == x"


def test_no_time_is_told() -> None:
    of, node = asked(HARD)
    answer = can_be(of, node, True, Limits(seconds=1e-9))
    assert answer.status == UNDECIDED
    assert answer.run is None
    assert answer.why == "not decided within 1e-09 s"


@pytest.mark.parametrize("points", [0, 10])
def test_no_more_regions_than_allowed(points: int) -> None:
    of, node = asked(HARD)
    answer = can_be(of, node, True, Limits(points=points))
    assert answer.status == UNDECIDED
    assert answer.why == f"not decided within {points} regions"


def test_a_question_that_is_settled_needs_one_region() -> None:
    of, node = asked("a and not a")
    assert can_be(of, node, None, Limits(points=4)).status == REFUTED


def test_an_example_is_small_only_where_that_is_wanted() -> None:
    of = policy("n > 3 and (a or b or x > 9) -> complete", "p > 5 -> stuck")
    small = can_decide(of, "r0").run
    assert small is not None
    assert len(small) == 1
    assert set(small[0]) <= {"n", "a", "b"}
    assert len(small[0]) == 2
    assert can_decide(of, "r0", Limits(small=False)).status == REFUTED


def test_several_conditions_at_once() -> None:
    of = policy("n > 3 -> complete", "n > 5 -> stuck")
    one, other = (rule.when for rule in of.rules)
    assert all_be(of, [(other, True), (one, NOT_TRUE)]).status == PROVED
    assert all_be(of, [(one, True), (other, NOT_TRUE)]).status == REFUTED
    assert all_be(of, [(one, None), (other, None)]).run == ({},)
    assert can_decide_after(of, "r0", also(of, "n == 6")).status == REFUTED
    assert can_decide_after(of, "r1", also(of, "a")).status == PROVED


def test_results() -> None:
    of = policy("a -> complete", "b -> continue", "n > 3 -> stuck")
    found = {
        what: reaches(of, what).status
        for what in ("complete", "stuck", "EXIT", "CONTINUE", "otherwise", "idle")
    }
    assert [what for what, status in found.items() if status == PROVED] == ["idle"]
    assert reaches(of, "EXIT", stage="before_iteration").status == PROVED


def test_policies_that_differ_and_do_not() -> None:
    one = policy("n >= 5 -> complete", "a -> stuck")
    assert differ(one, policy("n > 4 -> complete", "a -> stuck")).status == PROVED
    assert differ(one, policy("n >= 5 -> complete", "a and a -> stuck")).status == PROVED
    answer = differ(one, policy("n >= 6 -> complete", "a -> stuck"))
    assert answer.run == ({"n": 5},)
    swapped = policy("a -> stuck", "n >= 5 -> complete")
    found = [answer for answer in differences(one, swapped) if answer.status == REFUTED]
    classes = {tuple(side[0][1] for side in answer.kind[1:]) for answer in found}
    assert classes == {("complete", "complete"), ("stuck", "stuck"), ("complete", "stuck")}
    assert {"n": 5, "a": True} in [dict(answer.run[0]) for answer in found if answer.run]
    assert differ(one, policy("n >= 5 -> complete", "a -> stuck"), key=RULE).status == PROVED


def test_facts_of_another_type_in_the_other_policy() -> None:
    counted = policy("n >= 5 -> complete", "m > 1 -> stuck")
    written = policy("n is \"b\" -> complete", "m > 1 -> stuck", n=TEXT)  # fmt: skip
    question = Differ(counted, written, "after_iteration", False)
    answer = differ(counted, written)
    assert answer.status == REFUTED
    assert question.holds(answer.run or ())
    assert QueryCache((counted, written), ()).domains["n"][-1] == Unknown("sampled as unknown", "invariant")
    assert differ(counted, policy("n >= 5 -> complete", "m > 1 -> stuck", n=COUNT)).status == PROVED


def test_sums_with_other_rows_are_not_mixed_up() -> None:
    rows = [("a", 30), ("b", 20)]
    one = policy("score >= 50 -> complete", points={"score": rows})
    assert differ(one, policy("score >= 50 -> complete", points={"score": rows})).status == PROVED
    other = policy("score >= 50 -> complete", points={"score": [("a", 50), ("b", 20)]})
    answer = differ(one, other)
    assert answer.status == REFUTED
    assert answer.run == ({"a": True},)


def test_questions_about_one_policy_share_their_bench() -> None:
    of, node = asked("a and b")
    assert query_cache_of([of], [node]) is query_cache_of([of], [])
    assert query_cache_of([of], [also(of, "n > 3")]) is not query_cache_of([of], [])


def test_a_run_that_goes_round() -> None:
    of = policy("a and not previous(a) and b -> complete")
    variables = CyclicVariables((of,), 5, QueryCache((of,), ()).domains, 2)
    assert len(variables.full) == variables.width * 2
    assert variables.index(0, 3) == variables.index(0, 1)
    run = variables.run(tuple(left & -left for left in variables.full))
    assert len(run) == 5
    assert run[0] == run[2] == run[4]
    assert run[1] == run[3]


def test_what_an_example_leaves_out_of_a_plan() -> None:
    variables = query_cache_of([load_policy("bb3-faithful")], []).variables(1)
    (whole,) = completed_run(({"tasks.percent": 80},), variables) or ()
    assert whole["tasks.done"] * 5 == whole["tasks.total"] * 4  # type: ignore[operator]
    assert completed_run(({"tasks.percent": 1, "tasks.total": 5},), variables) is None
    assert completed_run(({"confidence": 3},), variables) == ({"confidence": 3},)
