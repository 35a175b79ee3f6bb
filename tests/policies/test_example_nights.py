"""The example `nights`: its cases, and the page that walks through it."""

from __future__ import annotations

from pathlib import Path

from exitgate.testing.cases.load import load_file
from exitgate.testing.runner import failure_text, run_case

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "nights"
PAGE = ROOT / "docs" / "how-to" / "run-a-loop-all-night.md"


def test_cases() -> None:
    suite = load_file(str(EXAMPLE / "tests.yaml"), "examples/nights/tests.yaml")
    results = [run_case(case, suite.program(case)) for case in suite.cases]
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) == 8
    assert not failed, "\n" + "\n".join(failed)


def test_what_the_page_shows_of_the_policy_is_in_it() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Nights, weekends and a budget for the day")[1]
    policy = (EXAMPLE / "policy.yaml").read_text(encoding="utf-8")
    (rules, settings) = (block.partition("```")[0] for block in section.split("```yaml\n")[1:])
    assert rules in policy
    assert settings == "exit_decision:\n  zone: Europe/Berlin\n"
