"""Every lint's page: its bad example has exactly this fault, its good example none."""

from __future__ import annotations

from pathlib import Path

from cases import each
from lint_examples import findings, place, shown

from exitgate.analysis.lint import registry
from exitgate.analysis.lint.doc import doc_of
from exitgate.reference.diagnostics import index, lint_page

#: Its bad and good example are one policy, without and with tests beside it.
UNTESTED = "missing-tests"


@each("id", registry.IDS)
def test_the_bad_example_has_this_fault_and_no_other(id: str, tmp_path: Path) -> None:
    lint = registry.load(id)
    path = place(tmp_path, lint, doc_of(lint).bad, tested=id != UNTESTED)
    found = findings(path, lint)
    assert {p.lint for p in found if p.suppression is None} == {id}, shown(found)
    assert all(p.finding.help and p.finding.place.file == str(path) for p in found)


@each("id", registry.IDS)
def test_the_good_example_has_none(id: str, tmp_path: Path) -> None:
    lint = registry.load(id)
    assert shown(findings(place(tmp_path, lint, doc_of(lint).good), lint)) == []


@each("id", registry.IDS)
def test_its_page_shows_both_and_how_to_turn_it_off(id: str) -> None:
    lint = registry.load(id)
    text = lint_page(lint)
    assert text.startswith(f"# {id}\n")
    for part in (
        doc_of(lint).bad,
        doc_of(lint).good,
        doc_of(lint).finds,
        doc_of(lint).matters,
        f"# lint: off {id}: ",
    ):
        assert part.rstrip("\n") in text


def test_the_index_lists_every_lint() -> None:
    text = index(registry.lints())
    assert [id for id in registry.IDS if f"(lints/{id}.md)" not in text] == []
