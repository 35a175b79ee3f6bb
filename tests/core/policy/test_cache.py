"""The cache of compiled policies: a hit compiles nothing, and nothing stale is ever decided with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import cache, compile
from exitgate.core.policy.cache import ENTRIES, Loaded, recall_policy
from exitgate.core.policy.serialized import text_of

POLICY = """policy: mine
format: 1
version: 1.0.0
title: For the cache
extends: {path}parent.yaml
facts:
  said: {{extract: phrases, from: response, lexicon: ./words.yaml}}
rules:
  - id: said_so
    when: said.count >= 1
    exit: complete
    because: it says so
"""
PARENT = """policy: parent
format: 1
version: 1.0.0
title: Extended
parameters:
  limit: {{type: count, default: {limit}}}
facts:
  tasks: {{extract: checklist, from: plan}}
rules:
  - id: enough
    when: tasks.done >= $limit
    exit: complete
    because: enough
"""
WORDS = """lexicon: words
format: 1
title: Words
entries:
  - {{id: done, phrase: {phrase}, examples: ["{phrase}"], counterexamples: [nothing]}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_code", lambda: ["this code"])  # files may be edited while tests run
    monkeypatch.setattr(cache, "_keep_conditions", lambda: None)  # an entry of its own
    (tmp_path / "p.yaml").write_text(POLICY.format(path="./"))
    (tmp_path / "parent.yaml").write_text(PARENT.format(limit=3))
    (tmp_path / "words.yaml").write_text(WORDS.format(phrase="all done"))
    return tmp_path


def recall(folder: Path, **settings: str) -> Loaded:
    return recall_policy(str(folder / "p.yaml"), settings=settings)


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "cache").iterdir())


def test_the_second_time_nothing_is_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = recall(folder)
    assert not first.recalled
    monkeypatch.setattr(compile, "load_policy", lambda *_a, **_k: pytest.fail("compiled again"))
    second = recall(folder)
    assert second.recalled
    assert text_of(second.policy) == text_of(first.policy)


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [
        ("parent.yaml", PARENT.format(limit=9), lambda p: p.parameters["limit"].value == 9),
        ("words.yaml", WORDS.format(phrase="ready now"),
         lambda p: "ready now" in str([e.options for e in p.extractions])),
        ("p.yaml", POLICY.format(path="./").replace("it says so", "so it is"),
         lambda p: "so it is" in str([r.because for r in p.rules])),
    ],
)  # fmt: skip
def test_any_file_that_was_read_counts(folder: Path, file: str, text: str, what: object) -> None:
    recall(folder)
    before = (folder / file).stat()
    (folder / file).write_text(text)
    os.utime(folder / file, ns=(before.st_atime_ns, before.st_mtime_ns))  # times prove nothing
    found = recall(folder)
    assert not found.recalled
    assert "changed" in found.note
    assert what(found.policy)
    assert recall(folder).recalled


def test_settings_and_folders_are_part_of_what_is_asked(folder: Path) -> None:
    recall(folder)
    assert recall(folder, limit="5").policy.parameters["limit"].value == 5
    assert recall(folder).policy.parameters["limit"].value == 3
    # texts that only look alike when they are joined
    assert cache.key_of(["ab", "c"]) != cache.key_of(["a", "bc"]) != cache.key_of(["a", "b", "c"])


def test_a_file_that_appears_beside_a_shipped_name_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert recall_policy("bb3").policy.name == "bb3"
    assert recall_policy("bb3").recalled
    (folder / "bb3").write_text((folder / "p.yaml").read_text())
    found = recall_policy("bb3")
    assert not found.recalled
    assert found.policy.name == "mine"


def test_a_file_that_went_is_an_error_again(folder: Path) -> None:
    recall(folder)
    (folder / "parent.yaml").unlink()
    with pytest.raises(ExitgateError) as caught:
        recall(folder)
    assert "parent.yaml" in str(caught.value)


def test_another_exitgate_compiles_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall(folder)
    monkeypatch.setattr(cache, "__version__", "0.0.1")
    assert not recall(folder).recalled
    # an entry of an older one under the very name this one looks for
    monkeypatch.undo()
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setattr(cache, "_code", lambda: ["this code"])
    for entry in entries(folder):
        entry.write_bytes(entry.read_bytes().replace(cache.__version__.encode(), b"0.0.1", 1))
    assert not recall(folder).recalled
    assert recall(folder).recalled


def test_edited_code_of_a_checkout_compiles_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall(folder)
    monkeypatch.setattr(cache, "_code", lambda: ["other code"])
    assert not recall(folder).recalled


def test_truncated_and_spoilt_entries_are_compiled_anew(folder: Path) -> None:
    first = text_of(recall(folder).policy)
    (entry,) = entries(folder)
    good = entry.read_bytes()
    spoilt = [good[:n] for n in (0, 1, 40, len(good) // 2, len(good) - 1)]
    spoilt += [good.replace(b"said_so", b"said_no", 1), b"null\n" + good, b"\xff" * 100, b"[" * 100_000]
    for raw in spoilt:
        entry.write_bytes(raw)
        found = recall(folder)
        assert not found.recalled
        assert text_of(found.policy) == first
        assert entry.read_bytes() == good  # and it is whole again


def test_an_entry_with_a_right_digest_and_wrong_content_is_compiled_anew(folder: Path) -> None:
    recall(folder)
    (entry,) = entries(folder)
    states = entry.read_bytes().split(b"\n")[1]
    for plain in (
        b"{}",
        b"[]",
        b"null",
        b'{"stored": 0}',
        b"1",
        b'"x"',
        json.dumps({"stored": cache.STORED}).encode(),
    ):
        rest = states + b"\n" + plain
        entry.write_bytes(cache._head(entry.stem, rest) + b"\n" + rest)
        assert not recall(folder).recalled


def test_the_number_of_entries_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ENTRIES", 5)
    recall(folder)
    (folder / "cache" / "notes.txt").write_text("not ours")
    left = folder / "cache" / f"{'0' * 32}.json.{'1' * 16}.part"
    left.write_text("of a killed writer")
    os.utime(left, (1, 1))
    for limit in range(8):
        recall(folder, limit=str(limit + 10))
    names = [path.name for path in entries(folder)]
    assert len(names) == 5 + 1
    assert "notes.txt" in names
    assert left.name not in names
    assert recall(folder, limit="17").recalled
    assert ENTRIES >= 16


def test_all_entries_together_have_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall(folder, limit="1")
    (first,) = entries(folder)
    monkeypatch.setattr(cache, "TOTAL", 2 * first.stat().st_size + 100)
    for number in range(2, 8):
        recall(folder, limit=str(number))
    assert 2 <= len(entries(folder)) <= 3
    assert recall(folder, limit="7").recalled


def test_what_was_used_longest_ago_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "ENTRIES", 3)
    before: set[Path] = set()
    for age, limit in enumerate(("10", "11", "12"), 1):
        recall(folder, limit=limit)
        (made,) = set(entries(folder)) - before
        os.utime(made, (age, age))
        before.add(made)
    assert recall(folder, limit="10").recalled
    recall(folder, limit="13")
    assert recall(folder, limit="10").recalled
    assert not recall(folder, limit="11").recalled


def test_writers_at_once_leave_a_whole_entry(folder: Path) -> None:
    code = (
        "import sys\nfrom exitgate.core.policy.cache import recall_policy\n"
        "for _ in range(12): recall_policy(sys.argv[1], settings={'limit': '4'})"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", code, str(folder / "p.yaml")], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    spoil = folder / "cache"
    while any(writer.poll() is None for writer in writers):
        for entry in spoil.glob("*.json") if spoil.exists() else ():
            entry.unlink(missing_ok=True)
    assert [writer.communicate()[1] for writer in writers] == [b""] * 4
    assert recall(folder, limit="4").policy.parameters["limit"].value == 4
    assert recall(folder, limit="4").recalled
    assert all(path.suffix == ".json" for path in entries(folder))
