"""An entry that names no lexicon reads the one its extractor says is the default."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.facts.lexicons.lexicon import entries_of
from exitgate.core.policy.compile import load_policy

POLICY = """\
policy: plain
format: 1
version: 1.0.0
title: One fact
facts:
  f: {entry}
rules:
  - {{id: stop, when: f.{fact} is known, exit: review, because: known}}
otherwise: continue
"""


def entries(tmp_path: Path, entry: str, fact: str) -> list[object]:
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY.format(entry=entry, fact=fact))
    (found,) = (e for e in load_policy(str(path)).extractions if e.prefix == "f")
    return list(entries_of(found.options.object("lexicon")))


@pytest.mark.parametrize(
    ("entry", "fact", "id"),
    [
        ("{extract: tests}", "passing", "pytest"),
        ("{extract: work_summary}", "files", "files-stated"),
        ("{extract: error_lines}", "count", "traceback"),
        ("{extract: tests, lexicon: errors}", "passing", "traceback"),
    ],
)
def test_the_default_is_read(tmp_path: Path, entry: str, fact: str, id: str) -> None:
    assert id in {e["id"] for e in entries(tmp_path, entry, fact)}  # type: ignore[index]


@pytest.mark.parametrize(
    "entry", ["{extract: error_lines, words: [error]}", "{extract: phrases, phrases: [done]}"]
)
def test_words_of_its_own_need_none(tmp_path: Path, entry: str) -> None:
    assert entries(tmp_path, entry, "count") == []
