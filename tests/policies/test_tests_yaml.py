"""Every shipped policy passes its own tests.yaml, and a few samples break none of its invariants."""

from __future__ import annotations

from pathlib import Path

import pytest
from ran_suites import ran, suite

from exitgate.policy.shipped import policies
from exitgate.testing.counterexample import as_text
from exitgate.testing.invariants import sample_invariants
from exitgate.testing.run import failure_text

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", policies())
def test_cases(name: str) -> None:
    results, _ = ran(name)
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) >= 10
    assert not failed, "\n" + "\n".join(failed)


@pytest.mark.parametrize("name", policies())
def test_invariants(name: str) -> None:
    policy = suite(name).policy
    found = sample_invariants(suite(name).unset, samples=100)
    assert {i.invariant.id for i in found} >= {"silence_never_exits"}
    trouble = [as_text(i, policy) for i in found if i.counterexample is not None]
    assert not trouble, "\n" + "\n".join(trouble)


@pytest.mark.parametrize("name", policies())
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


@pytest.mark.parametrize("name", policies())
def test_each_policy_is_explained(name: str) -> None:
    readme = (ROOT / "policies" / name / "README.md").read_text(encoding="utf-8")
    for rule in suite(name).policy.rules:
        assert f"`{rule.id}`" in readme
    for parameter in suite(name).policy.parameters:
        assert f"`{parameter}`" in readme
