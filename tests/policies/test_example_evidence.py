"""The example `evidence`: its cases, its promises, and the page that walks through it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from console_blocks import blocks, differences

from exitgate.testing.cases.load import Suite, load_file
from exitgate.testing.counterexample import as_text
from exitgate.testing.invariants import check_invariants
from exitgate.testing.runner import failure_text, run_case

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "evidence"
PAGE = ROOT / "docs" / "how-to" / "evidence-of-work.md"


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_file(str(EXAMPLE / "tests.yaml"), "examples/evidence/tests.yaml")


def test_cases(suite: Suite) -> None:
    results = [run_case(case, suite.program(case)) for case in suite.cases]
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) > 15
    assert not failed, "\n" + "\n".join(failed)


def test_what_bb3_promises_holds_here_too(suite: Suite) -> None:
    found = check_invariants(suite.unset)
    assert {i.invariant.id for i in found} >= {"high_completion_always_exits", "silence_never_exits"}
    trouble = [as_text(i, suite.policy) for i in found if i.is_wrong]
    assert not trouble, "\n" + "\n".join(trouble)


def test_the_page_prints_what_is_written(tmp_path: Path) -> None:
    found = blocks(PAGE.read_text(encoding="utf-8"))
    assert len(found) > 15
    shutil.copy(EXAMPLE / "policy.yaml", tmp_path / "evidence.yaml")
    wrong = differences(found, tmp_path)
    assert not wrong, "\n".join(wrong)


def test_what_the_page_shows_of_the_policy_stands_in_it() -> None:
    policy = " ".join((EXAMPLE / "policy.yaml").read_text(encoding="utf-8").split())
    shown = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]
    lines = [
        line.split("     #")[0].strip() for block in shown for line in block.split("```")[0].splitlines()
    ]
    assert len(lines) > 12
    for line in lines:
        assert line in policy
