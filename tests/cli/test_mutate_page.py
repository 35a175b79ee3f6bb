"""The how-to on mutants: its files are written, its commands run, their output is what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exitgate.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "mutate-a-policy.md"
FENCE = re.compile(r"```(yaml|console)\n(.*?)```", re.S)


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    ran = 0
    for language, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        head, _, body = text.partition("\n")
        if language == "yaml" and head.startswith("# "):
            file = tmp_path / head.removeprefix("# ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif language == "console":
            command, _, _ = head.removeprefix("$ exitgate ").partition(" | tail -1")
            main(shlex.split(command))
            out, err = capsys.readouterr()
            shown = "".join(out.splitlines(keepends=True)[-1:]) if head.endswith("| tail -1") else out
            assert err + shown == body, head
            ran += 1
    assert ran == 3
