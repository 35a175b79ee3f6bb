"""Every shipped policy passes its own tests.yaml, which shows each rule and each leaf both ways."""

from __future__ import annotations

from pathlib import Path

from cases import EVERY, each, some
from ran_suites import DECIDING, ran, suite

from exitgate.report.policy.coverage import missing
from exitgate.testing.counterexample import as_text
from exitgate.testing.invariants import sample_invariants
from exitgate.testing.runner import failure_text, run_case

ROOT = Path(__file__).parents[2]
#: Leaves that are excused, so that an excuse more is noticed here.
EXCUSED = {"bb3-faithful": 1}


@each("name", DECIDING)
def test_cases(name: str) -> None:
    results, _ = ran(name)
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) >= 10
    assert not failed, "\n" + "\n".join(failed)


@each("name", DECIDING)
def test_both_evaluators_agree_on_cases(name: str) -> None:
    """A disagreement is raised; `tests/core/language/test_differential.py` looks for it in any condition."""
    for case in some(suite(name).cases, 12):
        assert not run_case(case, suite(name).program(case)).failures


@each("name", DECIDING)
def test_every_rule_decides_and_every_leaf_comes_out_both_ways(name: str) -> None:
    _, coverage = ran(name)
    left = [f"{place} {what}" for place, what in missing(coverage)]
    assert not left, "\n" + "\n".join(left)
    assert not coverage.problems
    assert coverage.share.shown == coverage.share.whole > 15
    assert coverage.share.excused == EXCUSED.get(name, 0)


@each("name", DECIDING)
def test_invariants(name: str) -> None:
    policy = suite(name).policy
    found = sample_invariants(suite(name).unset, samples=10 if EVERY else 3)
    assert {i.invariant.id for i in found} >= {"silence_never_exits"}
    trouble = [as_text(i, policy) for i in found if i.counterexample is not None]
    assert not trouble, "\n" + "\n".join(trouble)


@each("name", DECIDING)
def test_every_rule_is_named_by_a_case(name: str) -> None:
    """A rule that no case expects could be deleted without a test noticing."""
    wanted = {
        str(want.value) if want.key == "rule" else want.subject
        for case in suite(name).cases
        for want in case.wants
        if want.key in ("rule", "pending")
    }
    listed = {
        rule
        for case in suite(name).cases
        for w in case.wants
        if w.key in ("undetermined", "warnings")
        for rule in w.value
    }
    assert {rule.id for rule in suite(name).policy.rules} <= wanted | listed


@each("name", DECIDING)
def test_each_policy_is_explained(name: str) -> None:
    readme = (ROOT / "policies" / name / "README.md").read_text(encoding="utf-8")
    for rule in suite(name).policy.rules:
        assert f"`{rule.id}`" in readme
    for parameter in suite(name).policy.parameters:
        assert f"`{parameter}`" in readme
