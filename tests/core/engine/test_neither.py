"""Questions are neither progress nor stagnation; a run that must have so many iterations has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.analysis.reference_evaluator.evaluator import evaluate
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

POLICY = """\
policy: p
format: 1
version: 1.0.0
parameters: {min_iterations: {type: count, default: 3, min: 1}}
facts:
  tasks: {extract: checklist, from: plan}
  asked: {extract: phrases, phrases: [shall I]}
  progress: {extract: progress, signals: [tasks.done]}
circuit:
  open:
    - {id: flat, when: streak(not progress.made) skipping (asked.found) >= 3}
  watch: streak(not progress.made) skipping (asked.found) >= 2
  close: progress.made
rules:
  - {id: too_early, when: run.iterations < $min_iterations, continue: true, because: too early}
  - {id: open, when: circuit.state is OPEN, exit: halted}
  - {id: done, when: tasks.open == 0, exit: complete}
  - {id: budget, when: run.iterations >= 9, exit: exhausted, stage: before_iteration}
undetermined: {exit_after: 2}
"""
MISSING = Unknown("not said", "test")

#: F flat, P progress, Q a question with nothing moved, M a question and progress, U nothing is known,
#: N flat and nobody knows whether it asked (so it may be passed over),
#: W a question of which nobody knows whether anything moved.
ITERATIONS = {
    "F": (False, False),
    "P": (True, False),
    "Q": (False, True),
    "M": (True, True),
    "U": (MISSING, MISSING),
    "N": (False, MISSING),
    "W": (MISSING, True),
}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    (tmp_path / "p.yaml").write_text(POLICY)
    return Program(load_policy(str(tmp_path / "p.yaml")))


def states(program: Program, run: str) -> str:
    """Return the first letter of the breaker's state after each iteration."""
    evaluation, records, found = Evaluation(program), [], []
    for number, letter in enumerate(run):
        made, asked = ITERATIONS[letter]
        record = Record({"progress.made": made, "asked.found": asked})
        given = ("progress.made", "progress.signals", "progress.known")
        observed = evaluation.observe(record, 1000.0 + number, given=given)
        records.append(observed.record)
        found.append(observed.breaker.state[0])
        (opening,) = program.policy.breaker.openings
        asked = (records, program.policy.values(), {})
        first = compile_node(opening.when, *asked[1:])(records)
        second = evaluate(opening.when, *asked)
        assert first == second or (isinstance(first, Unknown) and isinstance(second, Unknown))
    return "".join(found)


@pytest.mark.parametrize(
    ("run", "want"),
    [
        ("FFF", "CHO"),
        ("FQFQF", "CCHHO"),
        ("QQQQQQ", "CCCCCC"),
        ("FQQQQF", "CCCCCH"),
        ("FFQQQ", "CHHHH"),
        ("FQPQF", "CCCCC"),
        ("FFPFF", "CHCCH"),
        ("FQPFQF", "CCCCCH"),
        ("FWWF", "CCCH"),
        ("FFU", "CHH"),
        ("FNF", "CCH"),
        ("FUF", "CCC"),
        ("PFQFP", "CCCHC"),
    ],
)
def test_a_question_is_passed_over(program: Program, run: str, want: str) -> None:
    assert states(program, run) == want


def test_a_continue_rule_at_the_top_holds_a_run_open(program: Program) -> None:
    done = {"tasks.open": 0, "circuit.state": "OPEN", "progress.made": False}
    early = program.decide([{**done, "run.iterations": 2}])
    assert (early.verdict, early.rule, early.message, early.firm) == (
        "CONTINUE",
        "too_early",
        "too early",
        True,
    )
    assert program.decide([{**done, "run.iterations": 3}]).rule == "open"
    assert program.decide([{**done, "circuit.state": "CLOSED", "run.iterations": 3}]).rule == "done"


def test_where_it_is_unknown_it_holds_nothing_and_the_decision_is_tentative(program: Program) -> None:
    found = program.decide([{"tasks.open": 0, "circuit.state": "CLOSED", "run.iterations": MISSING}])
    assert (found.rule, found.firm) == ("done", False)
    assert [(one.rule, one.verdict) for one in found.alternatives] == [("too_early", "CONTINUE")]


def test_it_holds_no_run_of_which_nothing_can_be_read(program: Program) -> None:
    dark = {"run.iterations": 1, "tasks.open": MISSING}
    assert program.decide([dark]).verdict == "CONTINUE"
    assert program.decide([dark, dark]).exit_class == "undetermined"


def test_limits_before_the_next_iteration_are_asked_beside_it(program: Program) -> None:
    from exitgate.core.engine.stages import decide_stages

    (wide,) = [Program(load_policy(program.policy.path, settings={"min_iterations": "20"}))]
    found = decide_stages(
        wide, [{"run.iterations": 9, "tasks.open": 1}], ("after_iteration", "before_iteration")
    )
    assert (found.rule, found.exit_class) == ("budget", "exhausted")
