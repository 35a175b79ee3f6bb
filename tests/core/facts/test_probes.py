"""What some probes of a list said settles what all of them will have said, or nothing yet."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors.probes import SO_FAR, Standing, extract
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import NOT_ASKED, Unknown, is_unasked

NAMES = ("tests", "lint", "goal")
ANSWERS = st.one_of(
    st.builds(
        lambda failed, total, skipped: {
            "status": "answered",
            "passed": failed == 0,
            "failed": failed,
            "total": total,
            "skipped": skipped,
            "failing": [f"t{n}" for n in range(failed)],
        },
        st.integers(0, 3),
        st.integers(3, 9),
        st.integers(0, 3),
    ),
    st.sampled_from([
        {"status": "answered", "passed": True},
        {"status": "answered", "passed": False, "exit_status": 2},
        {"status": "late", "reason": "too long"},
        {"status": "refused", "reason": "not allowed"},
    ]),
)  # fmt: skip
BEFORE = st.builds(
    lambda failures, no_better, unanswered, ran: Standing(failures, no_better, unanswered, ran).to_json(),
    st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3)),
    st.integers(0, 3),
    st.integers(0, 2),
    st.dictionaries(st.sampled_from(NAMES), st.integers(1, 9)),
)


def found(asked: dict[str, Any], before: dict[str, Any]) -> dict[str, object]:
    pending = [name for name in NAMES if name not in asked]
    record = JsonObject(answers=asked, pending=pending, before={"checks": before})
    seen = Iteration(1, "a#1", 0.0, {"probes": Source("probes", record=record)})
    facts = extract("checks", "probes", JsonObject(of=list(NAMES)), seen)
    return {fact.name.partition(".")[2]: fact.value for fact in facts}


def same(one: object, other: object) -> bool:
    if isinstance(one, Unknown):
        return isinstance(other, Unknown) and is_unasked(one) == is_unasked(other)
    return one == other


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, ANSWERS)), BEFORE)
def test_a_fact_that_is_settled_stays_what_it_is(answers: dict[str, Any], before: dict[str, Any]) -> None:
    """So the order in which they are asked makes no difference, and neither does where it stops."""
    whole = found(answers, before)
    assert not any(is_unasked(value) for value in whole.values())
    for count in range(len(NAMES)):
        for some in combinations(NAMES, count):
            part = found({name: answers[name] for name in some}, before)
            settled = {name for name, value in part.items() if not is_unasked(value)} - {*SO_FAR}
            assert {name for name in settled if not same(part[name], whole[name])} == set()


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, ANSWERS)), BEFORE)
def test_what_the_run_keeps_is_kept_in_any_order(answers: dict[str, Any], before: dict[str, Any]) -> None:
    plain = {name: JsonObject(one) for name, one in answers.items()}
    standing = Standing.of(JsonObject(before))
    after = standing.after(plain, NAMES)
    assert after is not None
    assert Standing.of(JsonObject(after.to_json())) == after
    for name in NAMES:
        some = {other: one for other, one in plain.items() if other != name}
        early = standing.after(some, NAMES)
        if early is not None:  # one that failed settles it, whatever the others say
            assert (early.no_better, early.unanswered) == (after.no_better, after.unanswered)


def test_one_that_failed_is_enough_and_one_that_passed_is_not() -> None:
    failed = found({"lint": {"status": "answered", "passed": False}}, {})
    assert (failed["passed"], failed["no_better"], failed["unanswered"]) == (False, 1, 0)
    assert is_unasked(failed["failed"])
    assert failed["report"] == "`lint`: failed"
    assert is_unasked(found({"lint": {"status": "answered", "passed": True}}, {})["passed"])


def test_what_failed_before_is_asked_before_it_is_called_no_better() -> None:
    before = Standing({"tests": 3}, 2).to_json()
    early = found({"lint": {"status": "answered", "passed": False}}, before)
    assert early["passed"] is False
    assert is_unasked(early["no_better"])
    assert early["failed_before"] == 2
    later = {
        "lint": {"status": "answered", "passed": False},
        "tests": {"status": "answered", "passed": False, "failed": 2},
    }
    assert found(later, before)["no_better"] == 1
    later["tests"]["failed"] = 3
    assert found(later, before)["no_better"] == 3


def test_fewer_results_are_counted_against_the_most_of_the_run() -> None:
    before = Standing({}, ran={"tests": 9}).to_json()
    passed = {name: {"status": "answered", "passed": True} for name in NAMES}
    assert found(passed, before)["fewer_results"] == 0  # its report does not say it
    passed["tests"] |= {"total": 9, "skipped": 2, "failed": 0}
    assert found(passed, before)["fewer_results"] == 2


def test_an_empty_list_has_passed() -> None:
    seen = Iteration(1, "a#1", 0.0, {})
    facts = {fact.name: fact.value for fact in extract("c", "probes", JsonObject(of=[]), seen)}
    assert (facts["c.passed"], facts["c.failed"], facts["c.no_better"]) == (True, 0, 0)


def test_not_asked_is_not_a_value_of_a_fact() -> None:
    assert NOT_ASKED not in [value for value in found({}, {}).values() if isinstance(value, str)]
