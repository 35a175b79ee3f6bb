"""The how-to on testing a policy: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from exitgate.cli.main import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "test-a-policy.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(yaml|console)\n(.*?)```", re.S)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    shutil.copytree(ROOT / "examples/transcripts/csv-export", tmp_path / "policies/ours/runs/csv-export")
    commands = 0
    for kind, text in BLOCK.findall(PAGE):
        first, _, rest = text.partition("\n")
        if kind == "yaml":
            (tmp_path / first.removeprefix("# ")).write_text(text, encoding="utf-8")
            continue
        main(shlex.split(first.removeprefix("$ exitgate ")))
        assert capsys.readouterr().out == rest, first
        commands += 1
    assert commands == 4
