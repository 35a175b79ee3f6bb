"""The example `limits`: its cases, and the page that walks through it."""

from __future__ import annotations

from pathlib import Path

from exitgate.testing.cases.load import load_file
from exitgate.testing.runner import failure_text, run_case

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "limits"
PAGE = ROOT / "docs" / "how-to" / "pause-before-a-limit.md"


def test_cases() -> None:
    suite = load_file(str(EXAMPLE / "tests.yaml"), "examples/limits/tests.yaml")
    results = [run_case(case, suite.program(case)) for case in suite.cases]
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) == 9
    assert not failed, "\n" + "\n".join(failed)


def test_what_the_page_shows_of_the_policy_is_its_end() -> None:
    shown = PAGE.read_text(encoding="utf-8").split("```yaml\n")[1].partition("```")[0]
    assert (EXAMPLE / "policy.yaml").read_text(encoding="utf-8").endswith(shown)
