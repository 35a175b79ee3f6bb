"""Shipped lexicons from the user's cache: the same as those made of the files, and never stale ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each

from exitgate.core.policy import cache, library, shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.library import SHIPPED_LEXICON
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.core.policy.serialized import text_of

POLICY = """policy: mine
format: 1
version: 1.0.0
title: With a lexicon
facts:
  claims: {extract: phrases, from: response, lexicon: LEXICON}
rules:
  - id: said_so
    when: claims.count >= 1
    exit: complete
    because: it says so
otherwise: continue
"""
CHANGED = "lexicons: {completion-en: {remove: [criteria-met]}}\n"


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_CODE", {"": ["this code"]})
    return tmp_path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lexicons that are parsed from now on."""
    found: list[str] = []
    read = library._document_of

    def noted(content: bytes, file: str, findings: object) -> object:
        if file.startswith(SHIPPED_LEXICON):
            found.append(file.removeprefix(SHIPPED_LEXICON))
        return read(content, file, findings)  # type: ignore[arg-type]

    monkeypatch.setattr(library, "_document_of", noted)
    return found


def loaded(reference: str, **options: str) -> CompiledPolicy:
    """Load a policy as a new process would."""
    REMEMBERED.forget()
    return load_policy(reference, **options)  # type: ignore[arg-type]


def write(folder: Path, lexicon: str = "completion-en", more: str = "") -> str:
    (folder / "p.yaml").write_text(POLICY.replace("LEXICON", lexicon) + more, encoding="utf-8")
    return str(folder / "p.yaml")


@each("name", shipped.policies())
def test_a_policy_is_the_same_with_lexicons_from_the_cache(
    name: str, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", "")
    plain = text_of(loaded(name))
    monkeypatch.undo()
    first = text_of(loaded(name))
    parsed.clear()
    assert text_of(loaded(name)) == first == plain
    assert parsed == []


@each("lexicon", ["completion-en", "completion", "[completion-de, completion-fr]", "[completion, no-work]"])
def test_a_lexicon_is_not_parsed_twice(lexicon: str, empty: Path, parsed: list[str]) -> None:
    path = write(empty, lexicon)
    first = text_of(loaded(path))
    assert parsed
    parsed.clear()
    (empty / "p.yaml").write_text(Path(path).read_text().replace(">= 1", ">= 2"))
    assert text_of(loaded(path)) != first
    assert parsed == []


def test_an_edited_lexicon_is_read_anew(
    empty: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(empty)
    first = text_of(loaded(path))
    parsed.clear()
    edited = empty / "guards-en.yaml"  # one that the policy's own uses
    original = Path(shipped.lexicon_path("guards-en")).read_text(encoding="utf-8")
    edited.write_text(original.replace("reach: 7", "reach: 6", 1), encoding="utf-8")
    find = shipped.lexicon_path
    monkeypatch.setattr(
        shipped, "lexicon_path", lambda name: str(edited) if name == "guards-en" else find(name)
    )
    second = loaded(path)
    assert set(parsed) == {"completion-en", "guards-en"}
    assert b'"reach":6' in text_of(second)
    assert text_of(second) != first


def test_what_the_policy_changes_neither_comes_from_the_cache_nor_goes_there(
    empty: Path, parsed: list[str]
) -> None:
    plain = text_of(loaded(write(empty)))
    parsed.clear()
    changed = loaded(write(empty, more=CHANGED))
    assert "completion-en" in parsed
    assert b"criteria-met" not in text_of(changed)
    assert text_of(loaded(write(empty))) == plain


@each("damage", [b"", b"exitgate", b"exitgate cache 0 0 0 0\n[]\n[{}]", b"\xff\xfe"])
def test_a_damaged_entry_is_made_anew(damage: bytes, empty: Path, parsed: list[str]) -> None:
    path = write(empty)
    first = text_of(loaded(path))
    kept = sorted((empty / "cache").iterdir())
    for entry in kept:
        entry.write_bytes(damage or entry.read_bytes()[:-20])
    parsed.clear()
    assert text_of(loaded(path)) == first
    assert parsed
    parsed.clear()
    assert text_of(loaded(path)) == first
    assert parsed == []


def test_an_entry_that_others_may_write_is_not_used(empty: Path, parsed: list[str]) -> None:
    path = write(empty)
    loaded(path)
    for entry in (empty / "cache").iterdir():
        os.chmod(entry, 0o666)
    parsed.clear()
    loaded(path)
    assert parsed


def test_a_lexicon_of_the_project_is_not_kept(empty: Path) -> None:
    entry = "{id: a, phrase: b c, examples: [b c], counterexamples: [d]}"
    own = f"lexicon: words\nformat: 1\ntitle: Words\nuses: []\nentries: [{entry}]\n"
    (empty / "words.yaml").write_text(own)
    loaded(write(empty, "./words.yaml"))
    names = [entry.read_bytes() for entry in (empty / "cache").iterdir()]
    assert not any(b'"b c"' in content for content in names)
