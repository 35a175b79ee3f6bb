"""What must hold of the response analyzer: thresholds pinned from both sides, its formula, no early end."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ran_suites import run_by_one

from exitgate.core.engine.program import Program
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import path
from exitgate.testing.cases.load import read_suite

if TYPE_CHECKING:
    from exitgate.testing.cases.case import Case

NAMES = ("response-analyzer", "response-analyzer-faithful")
BOTH = pytest.mark.parametrize("name", NAMES)
#: Text of the policy and what it is changed into: steps smaller than those of `test_mutants.py`.
CHANGES = [
    ("very_high: {type: number, default: 2", "very_high: {type: number, default: 2.1"),
    ("very_high: {type: number, default: 2", "very_high: {type: number, default: 1.9"),
    ("default: 40", "default: 40.1"),
    ("default: 40", "default: 39.9"),
]


@cache
def cases(name: str) -> tuple[Case, ...]:
    """Return the cases that leave the parameters as they are."""
    file = Path(path(name)).with_name("tests.yaml")
    suite = read_suite(file.read_text(encoding="utf-8"), "tests.yaml", str(file.parent))
    return tuple(case for case in suite.cases if not case.settings)


@pytest.mark.parametrize(("name", "old", "new"), [(name, *change) for name in NAMES for change in CHANGES])
def test_a_changed_policy_fails_its_tests(name: str, old: str, new: str, tmp_path: Path) -> None:
    text = Path(path(name)).read_text(encoding="utf-8")
    assert old in text
    place = tmp_path / "policy.yaml"
    place.write_text(text.replace(old, new, 1), encoding="utf-8")
    changed = Program(load_policy(str(place)))
    assert any(run_by_one(case, changed).failures for case in cases(name))


@cache
def program(name: str) -> Program:
    return Program(load_policy(name))


SCORE = st.integers(0, 100)


@BOTH
@given(scores=st.tuples(SCORE, SCORE, SCORE, SCORE))
@settings(max_examples=100, deadline=None)
def test_the_confidence_is_that_of_the_formula(name: str, scores: tuple[int, ...]) -> None:
    names = ("completion_signal.confidence", "test_score", "output_quality", "error_score")
    record = dict(zip(names, scores, strict=True))
    found = program(name).derive([record], given=names)["confidence"].value
    keywords, tests, quality, errors = scores
    assert found == pytest.approx(keywords * 0.35 + tests * 0.25 + quality * 0.20 + errors * 0.20)


@BOTH
@given(
    histories=st.lists(st.frozensets(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=9),
)
@settings(max_examples=100, deadline=None)
def test_stuck_is_the_frequency_map_of_the_document(name: str, histories: list[frozenset[str]]) -> None:
    quiet = {
        "completion.found": False, "completion.signals": 0, "completion.strongest": 0, "tests.only": False,
        "circuit.state": "CLOSED", "broken.found": False,
    }  # fmt: skip
    records = [
        {**quiet, "errors.patterns": tuple(sorted(e)), "errors.count": len(e), "errors.present": bool(e)}
        for e in histories
    ]
    frequency = {one: sum(one in errors for errors in histories[-5:]) for one in "abcd"}
    repeated = {one for one, count in frequency.items() if count >= 3}
    whole = program(name).complete(records)
    stuck = program(name).decide(whole).rule == "repeated_errors"
    # A pattern that this iteration no longer has is history, not a loop.
    assert stuck is bool(repeated & histories[-1])
