"""The how-to on testing a policy: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_pages import DOCS, play


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = DOCS.parent / "examples/transcripts/csv-export"
    shutil.copytree(recorded, tmp_path / "policies/ours/runs/csv-export")
    commands = 0
    for one in play("how-to/test-a-policy.md", tmp_path, monkeypatch, capsys):
        assert one.out == one.said, one.command
        commands += 1
    assert commands == 4
