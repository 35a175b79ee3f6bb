"""The pages in `docs/reference` are those the code makes, every id has one, and links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cases import some

from exitgate.analysis.lint import registry as lints
from exitgate.cli.main import COMMANDS
from exitgate.cli.reference import codes
from exitgate.core.facts import registry
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.model.decision import CLASSES
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import KINDS
from exitgate.core.policy import shipped
from exitgate.recordings.registry import READERS
from exitgate.reference import build as reference
from exitgate.reference import diagnostics, index, source
from exitgate.reference.index import Page, anchor

if TYPE_CHECKING:
    from exitgate.reference.examples import Run

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
LINK = re.compile(r"\]\(([^)\s#:]*)(#[^)\s]*)?\)")
FENCED = re.compile(r"```.*?```|``.*?``|`[^`\n]*`", re.S)


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    found = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(diagnostics, "page", page)
        pages: dict[str, str] = module.pages()
    return pages


#: Codes whose examples are performed; `make docs` and the soak perform those of all.
PERFORMED = set(some(sorted(source.names("diagnostics")), 60))
make_page = diagnostics.page


def page(code: str, meaning: str, text: str, run: Run) -> Page:
    """Return the page of a code as it is made, or, where it is not performed, as it stands."""
    if code in PERFORMED:
        return make_page(code, meaning, text, run)
    (entry,) = diagnostics.bare(code, meaning).entries
    return Page(entry.page, (REFERENCE / entry.page).read_text(encoding="utf-8"), (entry,))


def test_pages_that_are_not_performed_have_the_files_of_their_sources() -> None:
    for code in set(source.names("diagnostics")) - PERFORMED:
        written = source.written(source.read("diagnostics", f"{code}.md"))
        stands = (REFERENCE / "diagnostics" / f"{code}.md").read_text(encoding="utf-8")
        assert stands.startswith(f"# {code}: {codes()[code]}\n"), f"{code}: run `make docs`"
        for block in (*written.bad, *written.good):
            assert block.kind == "console" or block.text.rstrip("\n") in stands, f"{code}: run `make docs`"


def kept() -> dict[str, str]:
    return {
        path.relative_to(REFERENCE).as_posix(): path.read_text(encoding="utf-8")
        for path in REFERENCE.rglob("*.*")
        if path.is_file()
    }


def test_pages_are_fresh(made: dict[str, str]) -> None:
    stands = kept()
    assert sorted(set(made) ^ set(stands)) == [], "run `make docs`"
    assert [name for name in made if made[name] != stands[name]] == [], "run `make docs`"


def test_every_id_has_a_page() -> None:
    known = index.known_ids()
    facts = {
        f"{id}.{spec.name}" if spec.name else id
        for id in registry.names()
        for spec in registry.load(id).specs(JsonObject())
    }
    options = {f"{id}.{option}" for id in registry.names() for option in registry.load(id).OPTIONS}
    wanted = {
        "diagnostic": codes(), "lint": lints.IDS, "fact": facts, "option": options, "command": COMMANDS,
        "extractor": registry.names(), "function": FUNCTIONS, "policy": shipped.policies(),
        "lexicon": shipped.lexicons(), "class": CLASSES, "type": KINDS, "reader": READERS,
    }  # fmt: skip
    for kind, ids in wanted.items():
        assert [id for id in ids if f"{kind}:{id}" not in known] == [], kind


def test_no_page_of_a_thing_lacks_its_id() -> None:
    paths = {entry.page for some in index.known_ids().values() for entry in some}
    folders = {name for name in kept() if "/" in name}
    assert folders - paths == set()


def test_every_code_is_explained_by_hand() -> None:
    assert set(codes()) - set(source.names("diagnostics")) == set()


def test_every_code_in_use_is_known() -> None:
    used = {
        code
        for path in (ROOT / "src" / "exitgate").rglob("*.py")
        for code in re.findall(r'"(EP\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert used - set(codes()) == set()


def test_every_keyword_of_the_grammar_is_explained() -> None:
    grammar = (ROOT / "src" / "exitgate" / "core" / "language" / "grammar.lark").read_text(encoding="utf-8")
    patterns = re.findall(r"^[A-Z_]+\.[23]: /(\S+?)\(\?!", grammar, re.M)
    words = {pattern.replace(r"\s+", " ").replace("s?", "s") for pattern in patterns}
    assert len(words) > 25
    assert [word for word in sorted(words) if word not in index.known_ids()] == []


def test_every_id_finds_its_text() -> None:
    ids = json.loads((REFERENCE / index.IDS).read_text(encoding="utf-8"))["ids"]
    assert len(ids) > 700
    for id, entries in index.known_ids().items():
        for entry in entries:
            text = index.text_of(entry)
            assert text.startswith("#"), id
            assert len(text.splitlines()) > 2, f"{id}: nothing but a heading"
            assert entry.title, id


def anchors(text: str) -> set[str]:
    lines = re.sub(r"```.*?```", "", text, flags=re.S).splitlines()
    return {anchor(line.lstrip("#").strip()) for line in lines if line.startswith("#")}


def test_links_lead_somewhere() -> None:
    there: dict[Path, set[str]] = {}
    for page in (ROOT / "docs").rglob("*.md"):
        prose = FENCED.sub("", page.read_text(encoding="utf-8"))
        for target, behind in LINK.findall(prose):
            path = (page.parent / target).resolve() if target else page
            assert path.exists(), f"{page}: {target}"
            if behind and path.suffix == ".md":
                if path not in there:
                    there[path] = anchors(path.read_text(encoding="utf-8"))
                assert behind[1:] in there[path], f"{page}: {target}{behind}"


def test_most_pages_show_what_is_printed() -> None:
    pages = kept()
    lint_pages = [text for name, text in pages.items() if name.startswith("lints/")]
    assert sum("```console" in text for text in lint_pages) >= len(lint_pages) - 8
    codes_shown = [
        name for name, text in pages.items() if name.startswith("diagnostics/") and "```console" in text
    ]
    assert len(codes_shown) >= len(codes()) * 0.85


def test_every_word_of_the_glossary_links_to_its_page() -> None:
    text = (REFERENCE / "glossary.md").read_text(encoding="utf-8")
    words = [entry.id for some in index.known_ids().values() for entry in some if entry.kind == "term"]
    assert set(words) >= {"policy", "rule", "fact", "evidence", "unknown", "firm", "breaker", "witness"}
    for word in words:
        (target, _), *_ = LINK.findall(index.section(text, word))
        assert target
        assert (REFERENCE / target).exists(), word


def test_a_word_without_a_link_or_out_of_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, wrong in {
        "## b\n\nOne. See [a](a.md).\n\n## a\n\nTwo. See [a](a.md).\n": "not in alphabetical order",
        "## a\n\nOne. See the page.\n": "`a` of the glossary has no link",
    }.items():
        monkeypatch.setattr(source, "read", lambda *_given, text=text: text)
        with pytest.raises(ValueError, match=wrong):
            reference.glossary_page()
