"""CONTRIBUTING: its skeletons are written and print what it says, and its other commands name what exists."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from cli_pages import play

from exitgate.cli.commands.new import TREE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
TEXT = PAGE.read_text(encoding="utf-8")
BASH = re.findall(r"```bash\n(.*?)```", TEXT, re.S)
COMMANDS = [re.sub(r"\s+#.*", "", line) for block in BASH for line in block.splitlines()]


def test_the_skeletons_are_written_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / TREE).parent.mkdir(parents=True)
    (tmp_path / TREE).touch()
    played = list(play("../CONTRIBUTING.md", tmp_path, monkeypatch, capsys))
    assert [one.command.split()[2] for one in played] == ["extractor", "reader", "lint", "host", "form"]
    for one in played:
        assert (one.code, one.err) == (0, ""), one.command
        assert one.out.rstrip("\n") == one.said.rstrip("\n"), one.command


def test_every_command_names_what_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert len(COMMANDS) > 15
    for command in COMMANDS:
        program, *words = command.split()
        if program == "make":
            assert set(words) <= targets, command
            continue
        assert program in (".venv/bin/pytest", ".venv/bin/exitgate"), command
        paths = [word for word in words if "/" in word]
        assert paths, command
        assert [path for path in paths if not (ROOT / path).exists()] == [], command


def test_every_file_that_it_names_exists() -> None:
    """A path in a table or sentence is one of the checkout, of the package, or has a blank to fill."""
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.S)
    links = re.findall(r"\]\(([^)#\s]+)", prose)
    assert [link for link in links if not (ROOT / link).exists()] == []
    named = re.findall(r"`([\w.-]+(?:/[\w.<>-]+)+/?)`", prose)
    bases = (
        ROOT,
        ROOT / "src" / "exitgate",
        ROOT / "src/exitgate/core/language",
        ROOT / "src/exitgate/analysis",
    )
    filled = [name for name in named if "<" not in name and "NAME" not in name]
    assert len(filled) > 20
    assert [name for name in filled if not any((base / name).exists() for base in bases)] == []
