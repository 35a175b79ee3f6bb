"""The how-to on decisions: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exitgate.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "understand-a-decision.md"
BLOCK = re.compile(r"```(yaml|markdown|console)\n(.*?)```", re.S)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    ran = []
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind != "console":
            first, _, rest = text.partition("\n")
            name = first.removeprefix("# ")
            (tmp_path / name).write_text(text if kind == "yaml" else rest, encoding="utf-8")
            continue
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
            words = shlex.split(command)
            if words[0] == "echo":
                (tmp_path / words[-1]).write_text(words[1] + "\n", encoding="utf-8")
                continue
            ran.append(main(words[1:]))
            assert capsys.readouterr().out == printed, command
    assert ran == [0, 0, 0]
