"""Which lints run, which findings a comment covers, and files that do not compile."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from lint_examples import DEFAULT, TESTS

from exitgate.analysis.lint import registry, run
from exitgate.analysis.lint.doc import doc_of
from exitgate.analysis.lint.finding import EVERY
from exitgate.analysis.lint.loader import open_subject

POLICY = """\
policy: p
format: 1
version: 1.0.0
title: One
doc: Two
rules:
  - id: used_up
    when: run.iterations >= 50
    exit: exhausted
  - id: late
    when: run.iterations >= 40
    warn: true
    because: Late
otherwise: {continue: true, because: Work}
invariants: [{id: a, given: nothing is known, never: exit}]
"""
HEAD = "# yaml-language-server: $schema=x\n"


def linted(tmp_path: Path, text: str, *, select: tuple[str, ...] = (), least: str = "note") -> list[str]:
    (tmp_path / "tests.yaml").write_text(TESTS, encoding="utf-8")
    path = tmp_path / "policy.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    one = open_subject(str(path), DEFAULT)
    assert one.subject is not None
    found = run.lint(one.subject, run.chosen(select, (), least))
    return [f"{p.lint}:{p.finding.place.line - 1}{'' if p.suppression is None else '-'}" for p in found]


def test_findings_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    assert linted(tmp_path, POLICY) == ["missing-because:7", "warn-without-advice:10"]


def test_a_comment_covers_its_lint_where_it_stands_and_no_other(tmp_path: Path) -> None:
    above = POLICY.replace("  - id: used_up", "  # lint: off missing-because: plain\n  - id: used_up")
    assert linted(tmp_path, above) == ["missing-because:8-", "warn-without-advice:11"]
    behind = POLICY.replace("id: used_up", "id: used_up  # lint: off missing-because: plain")
    assert linted(tmp_path, behind) == ["missing-because:7-", "warn-without-advice:10"]
    whole = "# lint: off-file missing-because, warn-without-advice: plain\n" + POLICY
    assert linted(tmp_path, whole) == ["missing-because:8-", "warn-without-advice:11-"]
    elsewhere = POLICY.replace("id: late", "id: late  # lint: off missing-because: plain")
    found = ["missing-because:7", "warn-without-advice:10", "unused-suppression:10"]
    assert linted(tmp_path, elsewhere) == found


def test_a_suppression_of_a_lint_that_was_not_run_is_not_called_unused(tmp_path: Path) -> None:
    text = POLICY.replace("id: late", "id: late  # lint: off missing-because: plain")
    assert linted(tmp_path, text, select=("unused-suppression",)) == []
    assert linted(tmp_path, text, select=("unused-suppression", "missing-because")) == [
        "missing-because:7",
        "unused-suppression:10",
    ]


def test_lints_of_less_severity_can_be_left_out(tmp_path: Path) -> None:
    assert linted(tmp_path, POLICY, least="warning") == ["missing-because:7"]
    assert linted(tmp_path, POLICY, least="error") == []


def test_a_file_that_does_not_compile_has_its_errors_and_the_lints_of_its_text(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.replace("run.iterations >= 50", "run.iteration >= 50"), encoding="utf-8")
    one = open_subject(str(path), DEFAULT)
    assert [problem.code for problem in one.problems] == ["EP401"]
    assert one.subject is not None
    found = {placed.lint for placed in run.lint(one.subject, registry.lints())}
    assert found == {"missing-because", "missing-tests", "schema-modeline-missing", "warn-without-advice"}


@each(
    "text",
    ["", "policy: [", "- a\n", "policy: p\n\tb: c\n", "policy: p\npolicy: q\n", "lexicon: 3\n",
     "exit_decision: 3\n",
     "policy: {a: b}\nrules: 3\nparameters: [1]\nconditions: x\n", "lexicon: x\nentries: {a: b}\n",
     "policy: p\nrules: [{id: 3, mode: 4, warn: x}, 7]\ninvariants: [8]\notherwise: []\n",
     "exit_decision: {rules: [1], policies: {a: 3}}\n", "exit_decision: {rules: {a: 3}}\n"],
)  # fmt: skip
def test_nothing_that_is_wrong_in_form_stops_a_lint(tmp_path: Path, text: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    one = open_subject(str(path), DEFAULT, "2027-01-01", "policy: q\n", None, True)
    assert one.problems
    if one.subject is not None:
        run.lint(one.subject, registry.lints())


def test_the_registry_is_sorted_and_every_file_is_in_it() -> None:
    lints = Path(registry.__file__).parent / "lints"
    files = {path.stem.replace("_", "-") for path in lints.rglob("*.py")} - {"--init--"}
    assert list(registry.IDS) == sorted(files)
    for lint in registry.lints():
        assert registry.load(lint.ID) is lint
        assert lint.SEVERITY in run.SEVERITIES
        assert set(lint.KINDS) <= set(EVERY)
        assert not lint.TITLE.endswith(".")
        assert lint.TITLE[0].islower() or lint.TITLE[0] == "`"
        assert doc_of(lint).finds.rstrip(")").endswith(".")
        assert doc_of(lint).matters.endswith(".")
    with pytest.raises(KeyError):
        registry.load("nothing")


def test_lints_that_try_inputs_are_named_as_such() -> None:
    texts = {lint.ID: Path(vars(lint)["__file__"]).read_text() for lint in registry.lints()}
    walking = {id for id, text in texts.items() if "lint.queries import" in text}
    assert walking == registry.WALKED
    quick = {lint.ID for lint in run.chosen(quick=True)}
    assert quick == set(registry.IDS) - walking
