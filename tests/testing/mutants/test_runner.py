"""Suites held against mutants: scores, survivors and their cases, excuses, time."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import EVERY
from mutated_policies import CASES, WHOLE, suite_of

from exitgate.analysis.results.answer import undecided
from exitgate.analysis.walk import queries
from exitgate.analysis.walk.queries import breaks
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.shipped import path
from exitgate.report.policy.mutation import EQUIVALENT, KILLED, OPEN, SURVIVED, FoundMutants, score
from exitgate.testing.cases.load import load_file
from exitgate.testing.mutants import runner
from exitgate.testing.mutants.runner import BUDGET, LEAST, SHARE, Budget, MutationOptions, mutate

SEED = """\
policy: seed
format: 1
version: 1.0.0
parameters:
  min_confidence: {type: percent, default: 70, doc: Below this the agent is guessing.}
  min_completion: {type: percent, default: 80, min: 1, doc: Share that ends the run.}
  max_errors: {type: count, default: 5, doc: More errors than this stop the run.}
facts:
  tasks: {extract: checklist, from: plan}
  confidence: {extract: graded_words, from: response, first: [{value: 90, words: [sure]}], otherwise: 50}
  errors: {extract: error_lines, from: response, lexicon: errors}
rules:
  - {id: high_completion, when: tasks.percent >= $min_completion, exit: complete, because: so}
  - {id: low_confidence, when: confidence < $min_confidence, exit: review, because: so}
  - {id: too_many_errors, when: errors.count > $max_errors, exit: review, because: so}
  - {id: all_tasks_done, when: tasks.total > 0 and tasks.done == tasks.total, exit: complete, because: so}
otherwise: continue
"""
#: Tests that look good and ask for no boundary: 85, 40 and 60 percent, and no errors anywhere.
DECISIONS = """\
  - name: high completion ends the run
    facts: {tasks.total: 20, tasks.done: 17, confidence: 90, errors.count: 0}
    expect: {verdict: EXIT}
  - name: low confidence ends the run
    facts: {tasks.total: 20, tasks.done: 8, confidence: 50, errors.count: 0}
    expect: {verdict: EXIT}
  - name: work goes on
    facts: {tasks.total: 20, tasks.done: 8, confidence: 90, errors.count: 0}
    expect: {verdict: CONTINUE}
"""


def statuses(found: FoundMutants) -> dict[str, str]:
    return {one.id: one.status for one in found.mutants}


def test_the_seeds_thresholds_survive_tests_without_boundaries(tmp_path: Path) -> None:
    found = statuses(mutate(suite_of(tmp_path, SEED, DECISIONS), "tests.yaml"))
    survivors = {id for id, status in found.items() if status == SURVIVED}
    for name in ("$min_completion", "$min_confidence", "$max_errors"):
        assert {f"{name}:boundary:1", f"{name}:boundary:2"} <= survivors
    assert "too_many_errors:dropped_rule:1" in survivors
    assert {"high_completion:comparison:1", "low_confidence:comparison:1"} <= survivors
    assert found["high_completion:dropped_rule:1"] == KILLED
    # complete at 100 percent is above any threshold: the rule never decides, whoever moves or drops it
    assert found["all_tasks_done:dropped_rule:1"] == EQUIVALENT
    assert found["too_many_errors:swapped_rules:1"] == EQUIVALENT


@pytest.mark.parametrize(("policy", "cases"), [(SEED, DECISIONS), *([(WHOLE, CASES)] if EVERY else [])])
def test_survivors_cases_kill_every_survivor_that_has_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: str, cases: str
) -> None:
    monkeypatch.setattr(runner, "LEAST", 1_000.0)  # no question is left open for the time
    before = mutate(suite_of(tmp_path, policy, cases), "tests.yaml")
    examples = [one.example for one in before.left if one.example]
    assert len(examples) >= len([one for one in before.left if one.status == SURVIVED]) - 2
    after = mutate(suite_of(tmp_path, policy, cases + "".join(examples)), "tests.yaml")
    status = statuses(after)
    for one in before.left:
        if one.example:
            assert status[one.id] == KILLED, one.id
    assert score([after]) > score([before])
    assert not [one for one in after.left if one.status == SURVIVED and one.example]


def test_a_policy_without_a_case_has_score_zero(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, SEED, DECISIONS)
    nothing = mutate(suite, "tests.yaml", MutationOptions(kinds=["effect"], select=lambda _name: False))
    assert (nothing.cases, score([nothing])) == (0, 0.0)
    assert {one.status for one in nothing.mutants} <= {SURVIVED, EQUIVALENT, OPEN}


def test_cases_must_pass_before_anything_is_mutated(tmp_path: Path) -> None:
    wrong = DECISIONS.replace("verdict: CONTINUE", "verdict: EXIT")
    with pytest.raises(ExitgateError) as caught:
        mutate(suite_of(tmp_path, SEED, wrong), "tests.yaml")
    assert caught.value.exit_code == 69
    assert [(one.code, one.place.line) for one in caught.value.diagnostics if one.place] == [("EP515", 9)]


PROMISES = """\
policy: promises
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: many, when: tasks.done > 4, exit: review, because: many}
otherwise: continue
"""
NO_CASE = """\
  - name: nothing of interest
    facts: {tasks.done: 0}
    expect: {verdict: CONTINUE}
"""


def test_an_invariant_notices_what_no_case_does(tmp_path: Path) -> None:
    alone = mutate(suite_of(tmp_path, PROMISES, NO_CASE), "tests.yaml")
    assert statuses(alone)["many:boundary:1"] == SURVIVED
    promise = "invariants:\n  - {id: up_to_four, given: tasks.done <= 4, never: exit}\n"
    found = mutate(suite_of(tmp_path, PROMISES + promise, NO_CASE), "tests.yaml")
    by = {one.id: one.by for one in found.mutants}
    assert by["many:boundary:1"] == by["many:comparison:1"] == "invariant up_to_four"
    assert statuses(found)["many:boundary:2"] == SURVIVED


def test_an_invariant_that_does_not_hold_notices_nothing(tmp_path: Path) -> None:
    broken = "invariants:\n  - {id: never_ends, given: tasks.done > 2, never: exit}\n"
    found = mutate(suite_of(tmp_path, PROMISES + broken, NO_CASE), "tests.yaml")
    assert statuses(found)["many:boundary:1"] == SURVIVED


def test_an_invariant_that_is_broken_on_the_very_run_notices_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_for_the_original(policy, invariant, limits):
        if [unparse(rule.when) for rule in policy.rules] == ["tasks.done > 4"]:
            return undecided("the time is over")
        return breaks(policy, invariant, limits)

    monkeypatch.setattr(queries, "breaks", open_for_the_original)
    promises = "invariants:\n" + "".join(
        f"  - {{id: not_{number}, given: tasks.done == {number}, never: exit}}\n" for number in (6, 4)
    )
    found = mutate(suite_of(tmp_path, PROMISES + promises, NO_CASE), "tests.yaml")
    by = {one.id: one.by for one in found.mutants}
    assert by["many:boundary:1"] == "invariant not_4", "the policy breaks `not_6` itself"
    assert statuses(found)["many:boundary:2"] == SURVIVED


EXCUSES = """\
mutants:
  excused:
    - {id: "many:boundary:1", why: four is as good as five}
    - {id: "many:negation:9", why: there is none}
    - id: many:effect:1
      why: it survives nothing
"""


def test_excused_survivors_do_not_count_and_stale_excuses_are_told(tmp_path: Path) -> None:
    cases = NO_CASE + "  - {name: five, facts: {tasks.done: 5}, expect: {class: review}}\n"
    suite = suite_of(tmp_path, PROMISES, cases, EXCUSES)
    found = mutate(suite, "tests.yaml")
    excused = next(one for one in found.mutants if one.id == "many:boundary:1")
    assert (excused.status, excused.excuse, excused.is_left) == (SURVIVED, "four is as good as five", False)
    assert found.counts()["excused"] == 1
    assert [(one.code, one.message, one.place.line) for one in found.stale if one.place] == [
        ("EP516", "there is no mutant `many:negation:9`", 5),
        ("EP516", "the mutant `many:effect:1` is killed by `five`", 6),
    ]
    assert mutate(suite, "tests.yaml", MutationOptions(kinds=["boundary"])).stale == ()


def test_what_stands_nowhere_in_a_compiled_policy_is_shown_where_the_file_has_it(tmp_path: Path) -> None:
    found = mutate(suite_of(tmp_path), "tests.yaml", MutationOptions(kinds=["comparison", "window"]))
    lines = {one.subject: one.place.line for one in found.mutants if one.place is not None}
    text = WHOLE.splitlines()
    for subject, start in {
        "enough": "  - {id: enough",
        "@known": "  known:",
        "score": "  score:",
        "circuit.no_tick": "    - {id: no_tick",
        "circuit.watch": "  watch:",
        "$still": "  still:",
    }.items():
        if subject in lines:
            assert text[lines[subject] - 1].startswith(start), subject
    assert {"enough", "@known", "circuit.no_tick"} <= lines.keys()


@pytest.mark.parametrize("name", ["bb3-faithful", "guardrails"])
def test_mutants_of_shipped_policies(name: str) -> None:
    suite = load_file(path(name).replace("policy.yaml", "tests.yaml"))
    found = mutate(suite, name)
    assert found.tests_seconds > 0
    assert len(found.mutants) > 30
    assert score([found]) > 80


def test_questions_take_at_most_their_part_of_fifty_times_the_time_of_the_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = [3.0]
    monkeypatch.setattr("exitgate.testing.mutants.runner.time.process_time", lambda: clock[0])
    budget = Budget(begun=1.0, own=2.0)
    assert not budget.is_used_up
    clock[0] = 1.0 + BUDGET * SHARE * 2.0 - 0.1
    assert not budget.is_used_up
    clock[0] += 0.1
    assert budget.is_used_up
    assert Budget(begun=clock[0] - LEAST + 0.1, own=0.0).is_used_up is False
    assert Budget(begun=clock[0] - LEAST, own=0.0).is_used_up


def test_when_the_time_is_used_up_the_rest_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.testing.mutants.runner.SHARE", 0.0)
    monkeypatch.setattr("exitgate.testing.mutants.runner.LEAST", 0.0)
    found = mutate(suite_of(tmp_path, SEED, DECISIONS), "tests.yaml")
    assert {one.status for one in found.mutants} == {KILLED, OPEN}
    assert {one.why for one in found.open} == {"the time limit is reached: 50 times that of the tests"}
