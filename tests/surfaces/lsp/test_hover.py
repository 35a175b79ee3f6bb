"""What is said of the thing under the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace import BASE, CHILD, FILES, SETTINGS, cursor, page

from exitgate.surfaces.lsp.hover import Hover, hover


def said(root: Path, name: str, around: str, **others: str) -> Hover:
    here = page(root, name, None, **others)
    found = hover(here, cursor(here.text, around))
    assert found is not None
    return found


def over(text: str, found: Hover) -> str:
    return text[found.start : found.end]


def test_a_fact_has_type_meaning_source_and_when_it_is_unknown(root: Path) -> None:
    found = said(root, "base/policy.yaml", "not (errors.co│unt > 3")
    assert over(BASE, found) == "errors.count"
    assert "errors.count: count" in found.text
    assert "Extractor `error_lines`, from `response`." in found.text
    assert "Unknown without" in said(root, "base/policy.yaml", "tasks.per│cent >= $goal").text


def test_an_enum_shows_its_members(root: Path) -> None:
    text = BASE.replace("circuit.state is OPEN", "status.state is DONE")
    here = page(root, "base/policy.yaml", text)
    found = hover(here, cursor(text, "status.st│ate is DONE"))
    assert found is not None
    assert "enum of RUNNING, DONE" in found.text


def test_a_parameter_shows_its_value_and_who_set_it(root: Path) -> None:
    found = said(root, "base/policy.yaml", "tasks.percent >= $go│al")
    assert over(BASE, found) == "goal"
    assert "$goal: percent" in found.text
    assert "Default `80%`, at least `1%`." in found.text
    line = SETTINGS.splitlines().index("  goal: 90") + 1
    default = next(i for i, text in enumerate(BASE.splitlines(), 1) if text.startswith("  goal:"))
    assert f"Now `90%`, set by project `.bb3/config.yaml:{line}`." in found.text
    assert f"It overrides `80%` of policy `base/policy.yaml:{default}`." in found.text


def test_settings_that_are_not_saved_count(root: Path) -> None:
    open_ = {".bb3/config.yaml": SETTINGS.replace("goal: 90", "goal: 95")}
    assert "Now `95%`" in said(root, "base/policy.yaml", "tasks.percent >= $go│al", **open_).text


def test_a_wrong_setting_leaves_the_default(root: Path) -> None:
    open_ = {".bb3/config.yaml": SETTINGS.replace("goal: 90", "goal: 900")}
    text = said(root, "base/policy.yaml", "tasks.percent >= $go│al", **open_).text
    assert "Default `80%`" in text
    assert "Now" not in text


def test_a_condition_shows_its_canonical_text(root: Path) -> None:
    text = BASE.replace("{when: tasks.percent >= $goal,", '{when: "(tasks.percent>=$goal)",')
    here = page(root, "child/policy.yaml", None, **{"base/policy.yaml": text})
    found = hover(here, cursor(CHILD, "and @fini│shed"))
    assert found is not None
    assert over(CHILD, found) == "finished"
    assert found.text == "**@finished**\n\nEnough is done.\n\n```\ntasks.percent >= $goal\n```"


def test_a_function_shows_its_signature(root: Path) -> None:
    text = BASE.replace("circuit.state is OPEN", "streak(moved.made) >= 3")
    found = hover(page(root, "base/policy.yaml", text), cursor(text, "str│eak("))
    assert found is not None
    assert "streak(bool [, last N]) → count" in found.text


@pytest.mark.parametrize(
    ("around", "words"),
    [
        ("exit: com│plete", "complete"),
        ("extract: check│list", "Reads `plan` unless `from:` is different."),
        ("  sta│tus:", "- `status.state`: enum of RUNNING, DONE. The state of the work."),
        ("  - id: eno│ugh", "**enough**, a rule\n\n`exit: complete`"),
        (
            "lexicon: ./wo│rds.yaml",
            "a lexicon of 1 entry\n\nLines that report an error\n\n- `failure`: `it failed`",
        ),
        ("    lock│ed: true", "may not change it"),
        ("condi│tions:", "Named conditions"),
        ("signals: [tasks.do│ne]", "tasks.done: count"),
        ("{$go│al} is enough", "Default `80%`"),
        ("{tasks.to│tal} done", "tasks.total: count"),
        ("sco│re: {points", "score"),
    ],
)
def test_in_a_policy(around: str, words: str, root: Path) -> None:
    assert words in said(root, "base/policy.yaml", around).text


def test_in_tests_and_settings(root: Path) -> None:
    assert "tasks.percent: percent" in said(root, "base/tests.yaml", "facts: {tasks.per│cent: 90").text
    assert "$goal: percent" in said(root, "base/tests.yaml", "set: {go│al: 85}").text
    assert "a rule" in said(root, "base/tests.yaml", "rule: eno│ugh, outcome").text
    assert "Now `90%`" in said(root, ".bb3/config.yaml", "  go│al: 90").text
    assert "stuck" in said(root, ".bb3/config.yaml", "    sti│ll: {mode").text


def test_in_a_lexicon(root: Path) -> None:
    text = said(root, "base/words.yaml", "- id: fail│ure").text
    assert text.startswith("**failure** looks for `it failed`")
    assert "Counts: `it failed`" in text
    assert "Does not count: `it was fine`" in text


def test_a_suppression_says_what_its_lint_finds(root: Path) -> None:
    text = "# exitgate: ignore missing-because, told elsewhere\n" + BASE
    found = hover(page(root, "base/policy.yaml", text), text.index("because,"))
    assert found is not None
    assert over(text, found) == "missing-because"
    assert found.text.startswith("**missing-because**: ")
    assert hover(page(root, "base/policy.yaml", text), text.index("ignore")) is None


def test_nothing_is_said_of_nothing(root: Path) -> None:
    here = page(root, "base/policy.yaml", BASE + "\n\n")
    assert hover(here, len(here.text)) is None
    here = page(root, "other/compose.yaml")
    assert hover(here, 3) is None


def test_every_offset_of_every_file_has_an_answer_or_none(root: Path) -> None:
    for name in FILES:
        here = page(root, name)
        for at in range(0, len(here.text), 7):
            found = hover(here, at)
            assert found is None or found.text
