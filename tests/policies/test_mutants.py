"""A policy changed by one step fails its own tests.yaml: thresholds are pinned from both sides."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_policy import fails

#: Text of the policy and what it is changed into; each changes at least one decision.
BOTH = [
    ("default: 70", "default: 71"),
    ("default: 70", "default: 69"),
    ("default: 80", "default: 81"),
    ("default: 80", "default: 79"),
    ("default: 5,", "default: 4,"),
    ("default: 5,", "default: 6,"),
    ("default: 3,", "default: 2,"),
    ("default: 3,", "default: 4,"),
    ("tasks.percent >= $min_completion\n    exit", "tasks.percent > $min_completion\n    exit"),
    ("confidence < $min_confidence\n    exit", "confidence <= $min_confidence\n    exit"),
    ("errors.count > $max_errors\n", "errors.count >= $max_errors\n"),
    ("tasks.done unchanged for $stag", "tasks.open unchanged for $stag"),
    ("circuit.state is OPEN\n    exit", "circuit.state is HALF_OPEN\n    exit"),
    ("exit: halted", "exit: stuck"),
    ("value: 90", "value: 80"),
    ("points: -10", "points: -20"),
    ("could, approximately", "approximately"),
]
MUTANTS = {
    "bb3": [
        *BOTH,
        ("default: 8\n", "default: 9\n"),
        ("default: 8\n", "default: 7\n"),
        ("tasks.done <= first", "tasks.done < first"),
        ("otherwise: unknown", "otherwise: 50"),
        ("negated: 30", "negated: 80"),
        ("exit_after: 5", "exit_after: 6"),
        ("exit_after: 5", "exit_after: 4"),
        ("negated, quoted", "quoted"),
        ("quoted, fenced", "fenced"),
        ("quoted, fenced, template", "quoted, template"),
        ("when: tasks.complete\n", "when: tasks.total < 0\n"),
        ("and tasks.total unchanged for $circling_loops iterations", "and tasks.total > 0"),
        ("lexicon: errors", "words: [error]"),
    ],
    "loop-detection": [
        ("default: 3,", "default: 2,"),
        ("default: 3,", "default: 4,"),
        ("default: 5, min: 2", "default: 4, min: 2"),
        ("default: 5, min: 2", "default: 6, min: 2"),
        ("type: bool, default: true", "type: bool, default: false"),
        ("default: 2, min: 2, max: 25", "default: 3, min: 2, max: 25"),
        ("default: 10,", "default: 4,"),
        ("type: bool, default: false", "type: bool, default: true"),
        ("default: 90", "default: 91"),
        ("default: 90", "default: 88"),
        ("default: 100,", "default: 101,"),
        ("default: 100,", "default: 99,"),
        ("default: 4h", "default: 5h"),
        ("default: 4h", "default: 3h"),
        ("default: 5, min: 1", "default: 6, min: 1"),
        ("default: 5, min: 1", "default: 4, min: 1"),
        ("near: true}", "near: false}"),
        ("moves: falls", "moves: rises"),
        ("signals: [tasks.done, ", "signals: ["),
        ("first 120", "first 20"),
        ('"@repeated and @flat"\n    exit', '"@repeated"\n    exit'),
        (">= $loop_repeats - 1", ">= $loop_repeats"),
        (">= $loop_repeats - 1", ">= 1"),
        ("matches >= 1 and not @moved", "matches >= 1"),
        ("matches >= 1", "matches >= 2"),
        ("mode: warn", "mode: enforce"),
        (">= 2 * $cycle_repeats - 1", ">= 0"),
        (" and not @repeated and count", " and count"),
        (" and count(@moved, last $loop_window) is 0", ""),
        ("in [NONE, CRASH, OTHER]", "is known"),
        ("not @repeated and not @moved", "not @moved"),
        ("not @repeated and not @moved", "not @repeated"),
        ("run.iterations >=", "run.iterations >"),
        ("run.elapsed >=", "run.elapsed >"),
        ("run.failures_in_row >=", "run.failures_in_row >"),
        ("exit_after: 5", "exit_after: 6"),
        ("exit_after: 5", "exit_after: 4"),
        ("lexicon: signatures}", "lexicon: signatures-faithful}"),
    ],
    "loop-detection-faithful": [
        ("default: 3,", "default: 2,"),
        ("default: 3,", "default: 4,"),
        ("default: 4,", "default: 3,"),
        ("default: 4,", "default: 5,"),
        ("default: 4h", "default: 5h"),
        ("default: 4h", "default: 3h"),
        ("default: 100,", "default: 101,"),
        ("default: 100,", "default: 99,"),
        ("default: 5,", "default: 6,"),
        ("default: 5,", "default: 4,"),
        ("lexicon: signatures-faithful", "lexicon: signatures"),
        ('"@same_signature or @both_empty"', '"@same_signature"'),
        ("run.iterations >=", "run.iterations >"),
        ("run.elapsed >=", "run.elapsed >"),
        ("run.failures_in_row >=", "run.failures_in_row >"),
    ],
    "bb3-faithful": [
        *BOTH,
        ("otherwise: 50", "otherwise: 70"),
        ("grammar: literal", "grammar: gfm"),
        ("value: 60", "value: 70"),
        ("exception, failed, failure", "exception, failed"),
    ],
}


@pytest.mark.parametrize(
    ("name", "old", "new"), [(n, *change) for n, all_ in MUTANTS.items() for change in all_]
)
def test_a_changed_policy_fails_its_tests(name: str, old: str, new: str, tmp_path: Path) -> None:
    assert fails(name, old, new, tmp_path)
