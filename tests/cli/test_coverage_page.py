"""The how-to on coverage: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exitgate.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "measure-coverage.md"
BLOCK = re.compile(r"```(yaml|console)\n(.*?)```", re.S)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "policies/ours").mkdir(parents=True)
    codes = []
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        first, _, rest = text.partition("\n")
        if kind == "yaml":
            (tmp_path / first.removeprefix("# ")).write_text(text, encoding="utf-8")
            continue
        codes.append(main(shlex.split(first.removeprefix("$ exitgate "))))
        assert capsys.readouterr().out == rest, first
    assert codes == [0, 0, 0]
    assert (tmp_path / "coverage.html").read_text(encoding="utf-8").count('class="line"') > 15
