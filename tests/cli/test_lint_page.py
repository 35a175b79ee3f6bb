"""The how-to on linting: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exitgate.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "lint-a-policy.md"
BLOCK = re.compile(r"```(yaml|console)\n(.*?)```", re.S)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    codes = []
    for kind, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        first, _, rest = text.partition("\n")
        if kind == "console":
            codes.append(main(shlex.split(first.removeprefix("$ exitgate "))))
            assert capsys.readouterr().out == rest, first
        elif first.startswith("# "):
            (tmp_path / first.removeprefix("# ")).write_text(text, encoding="utf-8")
    assert codes == [69, 0, 0, 0, 0]
    assert "    when: tasks.percent >= 90%    # the rest" in (tmp_path / "policy.yaml").read_text("utf-8")
