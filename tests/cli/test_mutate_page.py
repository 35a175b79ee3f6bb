"""The how-to on mutants: its files are written, its commands run, their output is what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_pages import play


def test_the_page_shows_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = 0
    for one in play("how-to/mutate-a-policy.md", tmp_path, monkeypatch, capsys):
        assert one.err + one.out == one.said, one.command
        ran += 1
    assert ran == 3
