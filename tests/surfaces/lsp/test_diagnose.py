"""Diagnostics of a text are those of `exitgate validate` on a file that holds it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import Steps
from workspace import BASE, CHILD, FILES, SETTINGS, TESTS, lay_out, page

from exitgate.cli.commands.validate import problems_of
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.surfaces.lsp.completion.complete import complete
from exitgate.surfaces.lsp.diagnostics import diagnose, fixes, formatting
from exitgate.surfaces.lsp.document import Document, DocumentCache
from exitgate.surfaces.lsp.hover import hover
from exitgate.surfaces.lsp.references import definitions
from exitgate.surfaces.lsp.symbols import Symbol, symbols
from exitgate.surfaces.lsp.workspace import Workspace

WORDS = FILES["base/words.yaml"]
WRONG = [
    ("base/policy.yaml", BASE.replace("tasks.percent >= $goal", "tasks.percnt >= $gaol")),
    ("base/policy.yaml", BASE.replace("exit: halted", "exit: halt")),
    ("base/policy.yaml", BASE.replace("  - id: still", "  - id: still\n  - id: still")),
    ("base/policy.yaml", BASE + "rules: []\nrules: [\n"),
    ("base/policy.yaml", BASE.replace("words.yaml", "wrods.yaml")),
    ("base/policy.yaml", "policy: base\nrules: &a\n  - *a\n"),
    ("base/policy.yaml", BASE.replace("circuit.state is OPEN", "😀 漢 = = tasks.done > 3 &&")),
    ("child/policy.yaml", CHILD.replace("loops: {default: 4}", "loops: {default: 40}")),
    ("child/policy.yaml", CHILD.replace("^1", "^2")),
    ("base/tests.yaml", TESTS.replace("tasks.done: 9", "tasks.dome: 9")),
    ("base/tests.yaml", TESTS.replace("goal: 85", "goal: 850")),
    ("base/tests.yaml", TESTS + "  - 7\n"),
    (".bb3/config.yaml", SETTINGS.replace("goal: 90", "gaol: 90")),
    (".bb3/config.yaml", SETTINGS.replace("still:", "stil:")),
    (".bb3/config.yaml", SETTINGS + "  loops: many\n"),
    ("base/words.yaml", WORDS.replace("phrase", "phrsae")),
    ("base/words.yaml", WORDS + "  - id: [\n"),
]


def found(here: Document) -> list[tuple[str, str, int, int, str]]:
    wrong = diagnose(here.kind, here.path, here.text, here.desk)
    return [(d.code, d.message, d.place.line if d.place else 0, d.place.column if d.place else 0, d.severity)
            for d in wrong]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_the_same_as_validate(name: str, text: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    unsaved = found(page(root, name, text))
    (root / name).write_text(text, encoding="utf-8")
    told, code = problems_of(os.path.realpath(root / name))
    assert unsaved == [
        (d.code, d.message, d.place.line if d.place else 0, d.place.column if d.place else 0, d.severity)
        for d in told
    ]
    assert unsaved
    assert code == 65


def test_right_files_have_none(root: Path) -> None:
    for name in FILES:
        assert found(page(root, name)) == []


def test_a_parent_counts_as_it_is_shown(root: Path) -> None:
    open_ = {"base/policy.yaml": BASE.replace("  finished:", "  through:").replace("@finished", "@through")}
    wrong = found(page(root, "child/policy.yaml", None, **open_))
    assert [(code, line) for code, _, line, _, _ in wrong] == [("EP401", 10)] or wrong[0][1].count("finished")
    assert found(page(root, "child/policy.yaml")) == []


def test_a_lexicon_counts_as_it_is_shown(root: Path) -> None:
    open_ = {"base/words.yaml": WORDS.replace("lexicon: words", "lexicon: words\nwrong: 1")}
    assert found(page(root, "base/policy.yaml", None, **open_))


def test_a_file_that_was_never_saved_is_looked_at(root: Path) -> None:
    assert found(page(root, "base/new-policy.yaml", BASE)) == []
    assert found(page(root, "base/new-policy.yaml", BASE.replace("$goal,", "$gaol,")))


def test_files_of_others_are_left_alone(root: Path) -> None:
    for text in ("services: {}\nrules: 7\n", "tests: yes\n", "policy: Deny\nstatement: []\n", "- 1\n", ""):
        here = page(root, "other/compose.yaml", text)
        assert here.kind == ""
        assert found(here) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tasks.percent >= $gaol", "$goal"),
        ("tasks.percnt >= $goal", "tasks.percent"),
        ("tasks.percent >= $goal && moved.made", "and"),
        ("tasks.percent ≥ $goal", ">="),
        ("tasks.percent >= $goal AND moved.made", "and"),
        ("status.state is RUNING", "RUNNING"),
    ],
)
def test_quick_fixes_leave_nothing_wrong(wrong: str, right: str, root: Path) -> None:
    from exitgate.analysis.edits import apply

    text = BASE.replace("{when: tasks.percent >= $goal,", f'{{when: "{wrong}",')
    here = page(root, "base/policy.yaml", text)
    (first, *_) = diagnose(here.kind, here.path, here.text, here.desk)
    assert first.place is not None
    offered = fixes(here, *here.sheet.span(first.place))
    assert f"Replace with `{right}`" in [fix.title for fix in offered]
    mended = apply(text, next(fix for fix in offered if f"`{right}`" in fix.title).edits)
    assert found(page(root, "base/policy.yaml", mended)) == []


def test_keys_and_extractors_have_quick_fixes(root: Path) -> None:
    for wrong, right in (("exit: halted", "exti: halted"), ("extract: checklist", "extract: chekclist")):
        text = BASE.replace(wrong, right)
        here = page(root, "base/policy.yaml", text)
        problem = diagnose(here.kind, here.path, here.text, here.desk)[0]
        assert problem.place is not None
        offered = [fix.title for fix in fixes(here, *here.sheet.span(problem.place))]
        assert offered == [f"Replace with `{wrong.partition(': ')[2 if 'extract' in wrong else 0]}`"]


def test_formatting_is_that_of_fmt(root: Path) -> None:
    from exitgate.analysis.edits import apply
    from exitgate.analysis.format import format_text

    text = BASE.replace(
        "tasks.done unchanged for $loops iterations", "(tasks.done   unchanged for 1 iteration)"
    )
    here = page(root, "base/policy.yaml", text)
    edits = formatting(here)
    assert apply(text, edits) == format_text(text, "p")
    assert len(edits) == 1
    assert formatting(page(root, "base/policy.yaml")) == ()
    assert formatting(page(root, "base/policy.yaml", text + "rules: [")) == ()
    assert formatting(page(root, "base/tests.yaml")) == ()


def names(found: tuple[Symbol, ...]) -> dict[str, list[str]]:
    return {one.name: [f"{b.name} {b.detail}".strip() for b in one.below] for one in found}


def test_outlines(root: Path) -> None:
    outline = symbols(page(root, "base/policy.yaml"))
    assert names(outline) == {
        "parameters": ["goal percent", "loops count"],
        "lists": ["later"],
        "facts": ["tasks checklist", "errors error_lines", "status status_block", "moved progress", "score"],
        "conditions": ["finished"],
        "rules": ["broken halted", "enough complete", "still stuck"],
    }
    for one in outline:
        for below in one.below:
            assert one.start <= below.start <= below.name_start < below.name_end <= below.end <= one.end
    assert names(symbols(page(root, "base/tests.yaml"))) == {"tests": ["enough", "table"]}
    assert names(symbols(page(root, "base/words.yaml"))) == {"entries": ["failure"]}
    assert symbols(page(root, "other/compose.yaml")) == ()


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace that all examples share; none of them writes into it."""
    root = tmp_path_factory.mktemp("edited")
    lay_out(root)
    return root


PIECES = [
    "\n", " ", "  ", "- ", ": ", "{", "}", "[", "]", "'", '"', "#", "|", "&a", "*a", "$", "@", "when: ",
    "😀", "漢", "\x00", "\u2028", "\ud800", "\t", "\r", "tasks.", "extends: ", "!x ", "%", "\ufeff",
]  # fmt: skip


@pytest.mark.parametrize("piece", ["\x00", "\ud800", "\udcff"])
@pytest.mark.parametrize("name", sorted(FILES))
def test_a_name_that_no_file_can_have_breaks_nothing(edited: Path, name: str, piece: str) -> None:
    for at in some(range(0, len(FILES[name]), 7), 10):
        text = FILES[name][:at] + piece + FILES[name][at:]
        complete(page(edited, name, text), at + 1)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_no_edit_of_any_file_breaks_anything(edited: Path, data: st.DataObject) -> None:
    root = edited
    name = data.draw(st.sampled_from(sorted(FILES)))
    text = FILES[name]
    at = 0
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + cut :]
    here = page(root, name, text)
    wrong = diagnose(here.kind, here.path, here.text, here.desk)
    for cursor in {at, min(at + 2, len(text)), len(text)}:
        offered = complete(here, cursor)
        assert 0 <= offered.start <= cursor <= offered.end <= len(text) or not offered.items
        hover(here, cursor)
        definitions(here, cursor)
    for problem in wrong[:2]:
        if problem.place is not None and os.path.realpath(problem.place.file) == here.path:
            fixes(here, *here.sheet.span(problem.place))
    symbols(here)
    formatting(here)


@pytest.mark.parametrize(
    "text", ["\ud800", "policy: \ud800\nrules: []\n", "policy: p\nformat: 1\n" + "- " * 400, "a" * 300_000]
)
def test_hostile_texts(text: str) -> None:
    here = Document("/nowhere/policy.yaml", text, Workspace({}), DocumentCache())
    diagnose("policy", here.path, text, here.desk)
    complete(here, len(text))
    hover(here, 3)


def test_a_keystroke_costs_a_moment_only(root: Path) -> None:
    def look(text: str) -> None:
        here = page(root, "base/policy.yaml", text)
        assert diagnose(here.kind, here.path, here.text, here.desk, True) == ()

    REMEMBERED.forget()  # else the limit could be reached between the two looks
    look(BASE)  # what is imported and read once is there
    with Steps(most=100_000):
        look(BASE + "# 1\n")
