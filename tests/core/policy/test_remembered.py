"""What a process has read is read anew once it has changed, and trouble is told each time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cases import some

from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import library, remembered, shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.sections import lexicons
from exitgate.core.policy.serialized import text_of
from exitgate.core.policy.yaml.document import Document, read_document

POLICY = """\
policy: p
format: 1
version: 1.0.0
facts: {claims: {extract: phrases, lexicon: ./outer.yaml}}
rules: [{id: r, when: claims.found, exit: complete, because: b}]
"""
OUTER = "lexicon: outer\nformat: 1\ntitle: O\nuses: [./inner.yaml, guards-en]\nguards: {}\n"
INNER = """\
lexicon: inner
format: 1
title: I
entries: [{id: one, phrase: all done, examples: [all done]}]
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> remembered.Remembered:
    """Let nothing be remembered from tests before, or for tests after."""
    own = remembered.Remembered()
    for module in (lexicons, library):
        monkeypatch.setattr(module, "REMEMBERED", own)
    return own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("p", POLICY), ("outer", OUTER), ("inner", INNER)):
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def load(folder: Path) -> CompiledPolicy:
    return load_policy("p.yaml", base=str(folder))


def phrases(policy: CompiledPolicy) -> list[str]:
    return [str(entry["phrase"]) for entry in entries_of(policy.extractions[0].options.object("lexicon"))]


def rewrite(file: Path, old: str, new: str) -> None:
    """Change a file's text so that neither its size nor its times tell."""
    assert len(old) == len(new)
    before = file.stat()
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_second_reading_parses_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(folder)

    def parsed(text: str, file: str, findings: Findings) -> Document | None:
        raise AssertionError(file)

    monkeypatch.setattr(library, "read_document", parsed)
    again = load(folder)
    assert text_of(again) == text_of(first)
    assert again.digest == first.digest


@pytest.mark.parametrize("name", some(shipped.policies(), 4))
def test_shipped_policies_are_the_same_again(name: str) -> None:
    assert text_of(load_policy(name)) == text_of(load_policy(name))


def test_a_changed_policy_is_seen(folder: Path) -> None:
    first = load(folder)
    rewrite(folder / "p.yaml", "exit: complete", "exit: exhaust ")
    with pytest.raises(ExitgateError, match="exhaust"):
        load(folder)
    rewrite(folder / "p.yaml", "exit: exhaust ", "exit: complete")
    assert load(folder).digest == first.digest


def test_a_changed_lexicon_that_another_uses_is_seen(folder: Path) -> None:
    first = load(folder)
    assert phrases(first) == ["all done"]
    rewrite(folder / "inner.yaml", "phrase: all done", "phrase: all gone")
    second = load(folder)
    assert phrases(second) == ["all gone"]
    assert second.digest != first.digest
    rewrite(folder / "inner.yaml", "phrase: all gone", "phrase: all done")
    third = load(folder)
    assert (phrases(third), third.digest) == (["all done"], first.digest)


def test_a_lexicon_that_is_gone_is_missed(folder: Path) -> None:
    load(folder)
    (folder / "inner.yaml").unlink()
    with pytest.raises(ExitgateError) as caught:
        load(folder)
    assert [d.code for d in caught.value.diagnostics] == ["EP472"]


def test_the_same_text_in_another_folder_uses_what_stands_there(folder: Path) -> None:
    load(folder)
    other = folder / "other"
    other.mkdir()
    for name, text in (("p", POLICY), ("outer", OUTER), ("inner", INNER.replace("all done", "complete"))):
        (other / f"{name}.yaml").write_text(text, encoding="utf-8")
    assert phrases(load(other)) == ["complete"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("p", "because: b", "becuase: b"),
        ("outer", "title: O", "tilte: O"),
        ("inner", "phrase: all done", "pattern: 'a(?=b)'"),
        ("inner", "title: I", "title: &a I"),
    ],
)
def test_trouble_is_told_each_time(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / f"{file}.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    told = []
    for _ in range(2):
        with pytest.raises(ExitgateError) as caught:
            load(folder)
        told.append([(d.code, d.message, d.place, d.source) for d in caught.value.diagnostics])
    assert told[0] == told[1]
    assert all(source for *_, source in told[0])


def test_a_line_of_a_remembered_file_can_be_shown(folder: Path) -> None:
    """The second reading finds trouble where the first found none: in the policy, about a lexicon's words."""
    load(folder)
    policy = folder / "p.yaml"
    policy.write_text(POLICY.replace("claims.found", "claims.fuond"), encoding="utf-8")
    with pytest.raises(ExitgateError) as caught:
        load(folder)
    assert "claims.fuond" in caught.value.diagnostics[0].source


def test_what_is_remembered_is_not_changed_by_use(folder: Path, fresh: remembered.Remembered) -> None:
    before = text_of(load(folder))
    for option in ("language: auto", "language: en", "language: [en, de]"):
        text = POLICY.replace("./outer.yaml}", f"[./outer.yaml, completion], {option}}}")
        (folder / "p.yaml").write_text(text, encoding="utf-8")
        load(folder)
    (folder / "p.yaml").write_text(POLICY, encoding="utf-8")
    assert text_of(load(folder)) == before


def test_threads_share_it(folder: Path) -> None:
    wanted = text_of(load(folder))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: text_of(load(folder)), range(24)))
    assert all(one == wanted for one in found)


def test_too_much_is_forgotten(fresh: remembered.Remembered, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "CHARACTERS_LIMIT", 100)
    kept = {}
    for number in range(5):
        content = b"a: %d%s" % (number, b" " * 40)
        kept[number] = content, read_document(content.decode(), "f.yaml", Findings())
        document = kept[number][1]
        assert document is not None
        fresh.keep(content, document)
        fresh.keep_made("purpose", document, number)
    known = [fresh.document("f.yaml", kept[n][0]) is not None for n in range(5)]
    assert known == [False, False, False, False, True]
    assert [fresh.made("purpose", kept[n][1]) for n in range(5)] == [None, None, None, None, 4]  # type: ignore[arg-type]


def test_a_lexicon_that_two_policies_name_by_different_paths(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "inner.yaml").write_text(INNER, encoding="utf-8")
    texts = {"lib/policy.yaml": "./inner.yaml", "policy.yaml": "./lib/inner.yaml"}
    for path, lexicon in texts.items():
        (tmp_path / path).write_text(POLICY.replace("./outer.yaml", lexicon), encoding="utf-8")
    found = [load_policy(path, base=str(tmp_path)).extractions[0].options for path in texts]
    assert found[0] == found[1]
