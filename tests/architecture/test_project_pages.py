"""The generated pages for people who work on exitgate say what the files say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> ModuleType:
    found = importlib.util.spec_from_file_location("project_pages", ROOT / "docs" / "project_pages.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_pages_are_fresh(made: ModuleType) -> None:
    stale = [
        path.relative_to(ROOT).as_posix()
        for path, text in made.pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `python docs/project_pages.py`"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# Two\n\n**Status**: accepted\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0003: Two\n\n**Status**: accepted\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0002: Two\n\n**In short.** One.\n", "begin with `# 0002: title`"),
        ("# 0002: Two\n\n**Status**: draft\n\n**In short.** One.\n", "no such status: `draft`"),
        ("# 0002: Two\n\n**Status**: accepted\n\nOne.\n", r"add `\*\*In short"),
        ("# 0002: Two\n\n**Status**: superseded by 0009\n\n**In short.** One.\n", "no decision 0009"),
        ("# 0002: Two\n\n**Status**: superseded by 0002\n\n**In short.** One.\n", "no decision 0002"),
    ],
)
def test_a_decision_that_lacks_a_part_is_refused(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, wrong: str
) -> None:
    (tmp_path / "0002-two.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(made, "DECISIONS", tmp_path)
    with pytest.raises(ValueError, match=wrong):
        made.decisions()


def test_a_decision_shows_its_successor_and_its_first_sentence(
    made: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two = "# 0002: Two\n\n**Status**: superseded by 0003\n\n**Decision.** Take `a|b`\nor c. More.\n\nWhy.\n"
    three = "# 0003: Three\n\n**Status**: accepted\n\n**In short.** Take c.\n\n**Decision.** D.\n\nE.\n"
    (tmp_path / "0002-two.md").write_text(two, encoding="utf-8")
    (tmp_path / "0003-three.md").write_text(three, encoding="utf-8")
    monkeypatch.setattr(made, "DECISIONS", tmp_path)
    assert made.decisions_page().splitlines()[-2:] == [
        r"| [0002](0002-two.md) | Two | superseded by [0003](0003-three.md) | Take `a\|b` or c. |",
        "| [0003](0003-three.md) | Three | accepted | Take c. |",
    ]
