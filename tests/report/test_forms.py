"""Every form of report, shown on hand-made decisions and diagnostics and kept as golden files."""

from __future__ import annotations

import pytest
from report_examples import COMPLETE, DIAGNOSTICS, GOING_ON, explained
from report_golden import same

from exitgate.core.model.decision import Decision
from exitgate.report.decision.ladder import ladder_text
from exitgate.report.decision.markdown import explanation_markdown
from exitgate.report.decision.verbose import decision_text
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.formats.github import decision_github, diagnostics_github
from exitgate.report.terminal import Style, columns

PLAIN = Style(False, 80)
BOTH = pytest.mark.parametrize(
    ("name", "decision"), [("going_on", GOING_ON), ("complete", COMPLETE)], ids=["going_on", "complete"]
)


@BOTH
def test_answer_of_a_check(name: str, decision: Decision) -> None:
    same(f"check-{name}.txt", decision_text(decision, PLAIN, policy="bb3 1.0.0", run="ralph#1", number=4))


@BOTH
def test_ladder(name: str, decision: Decision) -> None:
    same(f"explain-{name}.txt", ladder_text(explained(decision), PLAIN))


def test_everything_that_is_near_and_far() -> None:
    shown = ladder_text(explained(GOING_ON, all=True), PLAIN)
    same("explain-all.txt", shown[shown.index("would have been") :])


def test_ladder_from_excerpts_alone() -> None:
    same("explain-excerpts.txt", ladder_text(explained(GOING_ON, texts=False), PLAIN))


def test_ladder_in_colour() -> None:
    same("explain-colour.ansi", ladder_text(explained(GOING_ON), Style(True, 80)))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_ladder_keeps_to_the_width(width: int) -> None:
    lines = ladder_text(explained(GOING_ON), Style(False, width)).splitlines()
    assert max(map(columns, lines)) <= width


@pytest.mark.parametrize("width", [40, 80])
def test_answer_keeps_to_the_width(width: int) -> None:
    lines = decision_text(GOING_ON, Style(False, width), policy="bb3 1.0.0").splitlines()
    assert max(map(columns, lines)) <= width


@BOTH
def test_markdown(name: str, decision: Decision) -> None:
    same(f"explain-{name}.md", explanation_markdown(explained(decision)))


@BOTH
def test_github(name: str, decision: Decision) -> None:
    same(f"check-{name}.github", decision_github(decision))


def test_colour_adds_nothing_but_colour() -> None:
    import re

    painted = ladder_text(explained(GOING_ON), Style(True, 80))
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == ladder_text(explained(GOING_ON), PLAIN)


def test_diagnostics() -> None:
    same("diagnostics.txt", diagnostics_text(DIAGNOSTICS, PLAIN))


def test_diagnostics_github() -> None:
    same("diagnostics.github", diagnostics_github(DIAGNOSTICS))


def test_no_diagnostics_print_nothing() -> None:
    assert diagnostics_text((), PLAIN) == ""
    assert diagnostics_github(()) == ""
