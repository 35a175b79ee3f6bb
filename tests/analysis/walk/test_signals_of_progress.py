"""Progress with several signals: which of them moved, and how many could tell, is never called impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.walk.queries import can_decide
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

LIMITS = Limits(5.0)
READ = (
    "progress.known >= 2",
    "progress.known in [2]",
    "max(progress.known, last 3) >= 2",
    '"b" in progress.signals',
    'any of progress.signals where (item is "b")',
    'progress.signals is ["a", "b"]',
)


def policy_of(folder: Path, when: str, signals: int) -> Path:
    names = "abcdef"[:signals]
    given = "".join(f"  {name}: {{type: count, doc: {name}.}}\n" for name in names)
    path = folder / "policy.yaml"
    path.write_text(
        f"policy: p\nformat: 1\nversion: 1.0.0\ntitle: t\ngiven:\n{given}"
        f"facts: {{progress: {{extract: progress, signals: [{', '.join(names)}]}}}}\n"
        f"rules: [{{id: r, when: '{when}', exit: stuck, because: b}}]\notherwise: continue\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("when", READ)
@pytest.mark.parametrize("signals", [2, 3, 6])
def test_what_several_signals_can_bring_about_is_not_proved_impossible(
    tmp_path: Path, when: str, signals: int
) -> None:
    policy = load_policy(str(policy_of(tmp_path, when, signals)))
    assert can_decide(policy, "r", LIMITS).status != PROVED


@pytest.mark.parametrize("when", READ[:2])
def test_runs_with_several_signals_are_shown(tmp_path: Path, when: str) -> None:
    policy = load_policy(str(policy_of(tmp_path, when, 2)))
    assert can_decide(policy, "r", LIMITS).status == REFUTED


def test_more_signals_than_there_are_never_tell(tmp_path: Path) -> None:
    policy = load_policy(str(policy_of(tmp_path, "progress.known >= 3", 2)))
    assert can_decide(policy, "r", LIMITS).status == PROVED
