"""Nothing that came from outside reaches a terminal raw."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_examples import GOING_ON, explained

from exitgate.analysis.results.counterfactual import Ahead, Change, Distance, Edit, Nearest, Outlook
from exitgate.core.model.decision import Decision, Warned
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.fact import Evidence, Fact
from exitgate.report.decision.explanation import Explanation
from exitgate.report.decision.ladder import ladder_text
from exitgate.report.decision.markdown import explanation_markdown
from exitgate.report.decision.verbose import decision_text
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.formats.github import decision_github, diagnostics_github
from exitgate.report.terminal import Style, safe, safe_block

HOSTILE = "a\x1b]0;pwned\x07b\x9b2Jc\r\x00\u202ed\u2066\U000e0041\ud800\u2028e\x7f"
PLAIN = Style(False, 80)


def raw(text: str) -> set[str]:
    """Return the characters of `text` that a terminal could act on."""
    return {c for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp", "Cf"}} - {
        "\u200c",
        "\u200d",
    }


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_safe_leaves_nothing_that_acts(text: str) -> None:
    assert raw(safe(text)) == set()
    assert "\n" not in safe(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M", "Zs"])))
@settings(max_examples=200, deadline=None)
def test_safe_keeps_what_people_write(text: str) -> None:
    assert safe(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\tb\nc\r", "a\\tb\\nc\\r"),
        ("\u202egnp", "\\u202egnp"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud83d", "\\ud83d"),
        ("空 café 👩‍🔧", "空 café 👩‍🔧"),
    ],
)
def test_safe_shows_what_it_took_away(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_a_block_keeps_its_lines() -> None:
    assert safe_block("a\r\n\tb\rc\x1b") == "a\n\tb\\rc\\x1b"


def hostile_decision() -> Decision:
    return Decision(
        "EXIT", "blocked", HOSTILE, GOING_ON.rule, HOSTILE,
        warnings=(Warned(HOSTILE, HOSTILE),), steps=GOING_ON.steps, advice=HOSTILE,
    )  # fmt: skip


def hostile_explanation() -> Explanation:
    kept = explained(GOING_ON)
    evidence = Evidence("response", 1, 1, 0, len(HOSTILE), HOSTILE, HOSTILE)
    refused = Evidence("response", 1, 1, 0, 3, HOSTILE, HOSTILE, HOSTILE)
    facts = {**kept.facts, "tasks.percent": Fact("tasks.percent", HOSTILE, (evidence,), (refused,), HOSTILE)}
    return Explanation(
        kept.policy, hostile_decision(), kept.rungs, facts, HOSTILE, 1, {"response": HOSTILE},
        hostile_outlook(), all=True,
    )  # fmt: skip


def hostile_outlook() -> Outlook:
    changed = Change(HOSTILE, HOSTILE, HOSTILE, hostile_decision(), (Edit(HOSTILE, HOSTILE, HOSTILE),))
    turns = (
        Nearest(("EXIT", "blocked"), "found", (changed,), 2),
        Nearest(("EXIT", "idle"), "open", why=HOSTILE),
    )
    far = Distance((HOSTILE, "b"), HOSTILE, HOSTILE, HOSTILE, None, ">=", HOSTILE, Location(HOSTILE, 1, 1))
    return Outlook(turns, (changed,), (far,), Ahead(hostile_decision(), 2, hostile_decision(), turns, True))


def forms() -> dict[str, str]:
    wrong = (Diagnostic("EP100", HOSTILE, Location(HOSTILE, 1, 3, 1, 9), HOSTILE, source=HOSTILE),)
    return {
        "check": decision_text(hostile_decision(), PLAIN, policy=HOSTILE, run=HOSTILE),
        "explain": ladder_text(hostile_explanation(), PLAIN),
        "markdown": explanation_markdown(hostile_explanation()),
        "github": decision_github(hostile_decision()),
        "diagnostics": diagnostics_text(wrong, PLAIN),
        "annotations": diagnostics_github(wrong),
    }


@pytest.mark.parametrize("form", ["check", "explain", "markdown", "github", "diagnostics", "annotations"])
def test_every_form_is_safe(form: str) -> None:
    text = forms()[form]
    assert "pwned" in text
    assert raw(text) == set()


def test_a_message_cannot_start_an_annotation() -> None:
    decision = Decision("CONTINUE", None, "otherwise", None, "a\n::error::owned\r\n%0A")
    lines = decision_github(decision).splitlines()
    assert lines == ["::notice title=CONTINUE · otherwise::a%0A::error::owned%0A%250A"]
