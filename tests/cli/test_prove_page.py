"""The how-to on proofs: its policy is written, its commands run, their output is what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from exitgate.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "prove-a-policy.md"
FENCE = re.compile(r"```(yaml|console)\n(.*?)```", re.S)


def counted(text: str) -> str:
    """Return a text without its numbers of points: which ones are walked is a matter of the walk."""
    return re.sub(r"10\^\d+ points", "10^N points", " ".join(text.split()))


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    ran = 0
    for language, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        head, _, body = text.partition("\n")
        if language == "yaml":
            file = tmp_path / head.removeprefix("# ")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            continue
        main(shlex.split(head.removeprefix("$ exitgate ")))
        out, err = capsys.readouterr()
        assert counted(err + out) == counted(body), head
        ran += 1
    assert ran == 5
