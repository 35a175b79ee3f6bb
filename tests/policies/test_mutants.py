"""A policy changed by one step fails its own tests.yaml: thresholds are pinned from both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.policy.shipped import path
from exitgate.testing.load import load_suite
from exitgate.testing.run import run_case

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
    source = Path(path(name))
    text = source.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "policy.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    cases = source.with_name("tests.yaml").read_text(encoding="utf-8")
    suite = load_suite(cases, "tests.yaml", str(tmp_path))
    assert any(run_case(case, suite.program(case)).failures for case in suite.cases)
