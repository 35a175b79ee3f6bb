"""What z3 answers where the boundary walk cannot, and what it leaves open."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exitgate.analysis.solver import queries
from exitgate.analysis.solver.queries import PROVED, REFUTED, UNDECIDED, Limits
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.questions import Winner
from exitgate.core.language.evaluation.kleene import searcher
from exitgate.core.model.decision import STAGES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy

FACTS = """
facts:
  errors: {extract: error_lines, from: response, words: [error]}
  tasks: {extract: checklist, from: plan}
  confidence: {extract: graded_words, from: response, first: [{value: 90, words: [sure]}], otherwise: 50}
  seen: {extract: phrases, from: response, phrases: [one, two]}
  block: {extract: status_block, from: output, name: STATUS, fields: {mark: {key: MARK, type: text}}}
  score:
    points:
      - {when: errors.count == 0, add: 40, because: no errors}
      - {when: tasks.percent >= 50%, add: 35, because: half}
      - {when: confidence >= 80%, add: 20.5, because: sure}
    range: [0, 90]
  double: {formula: 2 * errors.count + 1}
  third: {formula: confidence / 3}
  rate: {formula: 100 * errors.count / run.iterations}
rules:
  - {id: end, when: run.iterations > 50, exit: exhausted, because: x}
"""

#: Condition, its truth, and whether some input gives it.
QUESTIONS = [
    # sums and products of facts
    ("errors.count + tasks.done > tasks.total + errors.count", True, PROVED),
    ("errors.count + tasks.done > tasks.total", True, REFUTED),
    ("double == 7", True, REFUTED),
    ("double == 8", True, PROVED),
    ("tasks.done > tasks.total", True, PROVED),
    ("tasks.total - tasks.done == 3 and tasks.percent == 40%", True, REFUTED),
    ("tasks.total - tasks.done == 3 and tasks.percent == 41%", True, PROVED),
    ("max(errors.count, tasks.open) < errors.count", True, PROVED),
    ("abs(errors.count - tasks.done) < 0", True, PROVED),
    ("round(errors.count / 2) > errors.count", True, PROVED),
    ("round(errors.count / 2) * 2 > errors.count", True, REFUTED),
    # nothing is rounded while it is calculated
    ("confidence + 10 >= 50 and confidence < 40", True, PROVED),
    ("confidence / 3 + confidence / 3 + confidence / 3 > confidence", True, PROVED),
    ("confidence * 0.1 + confidence * 0.2 != confidence * 0.3", True, PROVED),
    ("average(confidence, last 3) > 90% and (confidence <= 90%) for 3 consecutive iterations", True, PROVED),
    ("third != confidence / 3", True, PROVED),
    ("sum(errors.count / 3, last 3) == 1 and errors.count == 1", True, REFUTED),
    # a deviation is at most half of the range
    ("deviation(confidence, last 3) > 51%", True, PROVED),
    ("deviation(confidence, last 3) > 5% and confidence unchanged for 2 iterations", True, PROVED),
    # division by zero is unknown
    ("rate > 0", True, REFUTED),
    ("rate >= 0 and run.iterations == 0", True, PROVED),
    ("rate > 100 and errors.count <= run.iterations", True, PROVED),
    # points add only when definitely true, within the range
    ("score == 75", True, REFUTED),
    ("score == 90", True, REFUTED),
    ("score > 90", True, PROVED),
    ("score == 80", True, PROVED),
    ("score >= 41 and tasks.percent is unknown and confidence is unknown", True, PROVED),
    ("score is unknown", True, REFUTED),
    ("score is unknown and (score >= 41 or score < 41)", True, REFUTED),
    ("score is unknown and score >= 0 and score <= 100", True, REFUTED),
    ("score is unknown and (score < 0 or score > 100)", True, PROVED),
    # history
    ("sum(errors.count, last 3) > 10 and errors.count == 0", True, REFUTED),
    ("sum(errors.count, last 3) == 5 and (errors.count >= 2) for 3 consecutive iterations", True, PROVED),
    ("average(errors.count, last 2) > max(errors.count, previous(errors.count))", True, PROVED),
    ("average(errors.count, last 3) > max(errors.count, first(errors.count, last 3), 7)", True, REFUTED),
    ("errors.count declined by 50% over last 2 and errors.count > previous(errors.count)", True, REFUTED),
    ("errors.count rose by 100% over last 1 and errors.count <= previous(errors.count)", True, PROVED),
    ("(errors.count > 2) for 2 consecutive iterations", None, REFUTED),
    ("after 3 iterations and not (errors.count declined by 50% over last 2)", True, REFUTED),
    ("errors.count unchanged for 2 iterations and not after 3 iterations", True, PROVED),
    ("after 2 iterations", None, PROVED),
    ("first(errors.count, last 3) > errors.count and errors.count unchanged for 3 iterations", True, PROVED),
    ("cycles(errors.count, last 6) >= 3 and errors.count unchanged for 1 iterations", True, PROVED),
    ("cycles(errors.count, last 6) >= 3", True, REFUTED),
    ("distinct(errors.count, last 3) == 3 and errors.count repeats 2 times within last 3", True, PROVED),
    ("streak(errors.count > 0) >= 5 and previous(errors.count) == 0", True, PROVED),
    ("streak(errors.count > 0) skipping (errors.count == 0) >= 2 and errors.count == 0", True, REFUTED),
    ("block.mark repeats 3 times and block.mark unchanged for 3 iterations", True, REFUTED),
    ("not (block.mark repeats 2 times) and block.mark unchanged for 1 iterations", True, PROVED),
]  # fmt: skip


@pytest.mark.parametrize(("text", "truth", "status"), QUESTIONS)
def test_questions(text: str, truth: bool | None, status: str, load: Callable, condition: Callable) -> None:
    policy = load(FACTS)
    answer = queries.can_be(policy, condition(policy, text), truth, Limits(20))
    assert (answer.status, answer.why) == (status, "")
    assert (answer.run is not None) == (status == REFUTED)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        # a third is recorded as the float nearest to it: three of them need not be the whole
        ("third + third + third > confidence", "rounding of what"),
        ("third + third + third < confidence", "rounding of what"),
    ],
)
def test_rounding_is_never_a_proof(text: str, reason: str, load: Callable, condition: Callable) -> None:
    policy = load(FACTS)
    answer = queries.can_be(policy, condition(policy, text), True, Limits(20))
    assert answer.status in (REFUTED, UNDECIDED)
    assert (
        answer.status == REFUTED
        or reason in answer.why
        or "no run that a transcript could contain" in answer.why
    )


@pytest.mark.parametrize(
    "text",
    [
        "deviation(confidence, last 3) > 46%",
        "deviation(confidence, last 2) >= 50%",
        "deviation(score, last 3) > 45.1",
        "deviation(errors.count, last 2) > 1000",
        "deviation(errors.count, last 3) == 0 and previous(errors.count) is unknown",
    ],
)
def test_a_deviation_that_can_be_is_never_called_impossible(
    text: str, load: Callable, condition: Callable
) -> None:
    policy = load(FACTS)
    assert queries.can_be(policy, condition(policy, text), True, Limits(20)).status != PROVED


def test_a_share_is_rounded_as_the_engine_rounds_it(load: Callable, condition: Callable) -> None:
    """333 of 1000 are 33.3 %, although the float 33.3 is not 333/10."""
    policy = load(FACTS)
    answer = queries.can_be(policy, condition(policy, "tasks.percent >= 33.3% and tasks.done == 333"), True)
    assert (
        answer.run == ({"tasks.done": 333, "tasks.percent": 33.3, "tasks.total": 1000},)
        or answer.status == REFUTED
    )
    exactly = condition(policy, "tasks.percent == 33.3% and tasks.total == 1000 and tasks.done == 333")
    assert queries.can_be(policy, exactly, True).status == REFUTED
    assert queries.can_be(policy, exactly, False).status == REFUTED


def test_a_pattern_is_matched_by_a_text_made_for_it(load: Callable, condition: Callable) -> None:
    policy = load(
        "facts:\n  branch: {extract: json_file, file: a.json, value_at: name}\n"
        "rules: [{id: end, when: run.iterations > 5, exit: exhausted, because: x}]\n"
    )
    node = condition(policy, 'branch.value matches "^[0-9]{4}-[a-z]+$"')
    run = queries.can_be(policy, node, True).run or ({},)
    assert searcher("^[0-9]{4}-[a-z]+$")(str(run[0]["branch.value"]))
    assert queries.can_be(policy, node, False).status == REFUTED
    neither = condition(policy, 'branch.value matches "^[0-9]+$" and branch.value matches "[a-z]"')
    assert queries.can_be(policy, neither, True).status == PROVED
    both = condition(policy, 'branch.value matches "^x" and branch.value is unknown')
    assert queries.can_be(policy, both, True).status == PROVED, "whatever it matches, it is known"


def test_a_pattern_that_no_text_at_hand_matches_is_left_open_and_named(
    load: Callable, condition: Callable
) -> None:
    policy = load(
        "facts:\n  branch: {extract: json_file, file: a.json, value_at: name}\n"
        "rules: [{id: end, when: run.iterations > 5, exit: exhausted, because: x}]\n"
    )
    parts_of_letters = condition(policy, 'branch.value matches "^\\C{3}é\\C{300}$"')
    answer = queries.can_be(policy, parts_of_letters, True)
    assert answer.status == UNDECIDED
    assert "branch.value matches" in answer.why


def test_the_seed_of_seven_rules() -> None:
    """What was asked when the scheme was studied: what is reachable, what holds, what an override changes."""
    policy = load_policy("bb3-faithful")
    strict = load_policy(
        "bb3-faithful",
        settings={"min_completion": "90", "min_confidence": "80", "max_errors": "5", "stagnation_loops": "2"},
    )
    rules = [
        "circuit_open",
        "high_completion",
        "low_confidence",
        "too_many_errors",
        "all_tasks_done",
        "stagnation",
    ]
    dead = [rule for rule in rules if queries.can_decide(policy, rule).status == PROVED]
    assert dead == ["all_tasks_done"]
    assert queries.reaches(policy, "otherwise").status == REFUTED
    assert all(queries.breaks(policy, invariant).status == PROVED for invariant in policy.invariants)
    answer = queries.differ(policy, strict)
    assert answer.status == REFUTED


@pytest.mark.parametrize("name", ["bb3-faithful", "ralph-faithful"])
def test_all_rules_in_turn_are_answered_like_each_by_itself(name: str) -> None:
    policy = load_policy(name)
    for stage in STAGES:
        answers = queries.sweep(policy, Limits(20), stage)
        assert list(answers) == [rule.id for rule in deciding(policy, stage)]
        for rule, answer in answers.items():
            assert answer.status == queries.can_decide(policy, rule, Limits(20)).status
            assert answer.run is None or Winner(policy, rule).holds(answer.run)


def test_two_policies_that_are_the_same(load: Callable) -> None:
    assert queries.differ(load(FACTS), load(FACTS)).status == PROVED
    other = FACTS.replace("add: 40", "add: 30")
    assert queries.differ(load(FACTS), load(other)).status == PROVED, "no rule reads the score"
    read = "  - {id: high, when: score >= 70, exit: complete, because: x}\n"
    answer = queries.differ(load(FACTS + read), load(other + read))
    assert answer.status == REFUTED


def test_the_time_is_over(load: Callable, condition: Callable) -> None:
    policy = load(FACTS)
    answer = queries.can_be(
        policy, condition(policy, "cycles(block.mark, last 200) > 20"), True, Limits(0.05)
    )
    assert answer.status == UNDECIDED
    assert answer.why == "not decided within 0.05 s"


def test_an_encoding_that_lies_is_a_loud_fault(load: Callable, condition: Callable, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    policy = load(FACTS)
    monkeypatch.setattr(queries.Condition, "holds", lambda self, run: False)
    with pytest.raises(ExitgateError) as caught:
        queries.can_be(policy, condition(policy, "errors.count > 3"), True)
    assert [one.code for one in caught.value.diagnostics] == ["EP532"]
    assert caught.value.exit_code == 70
