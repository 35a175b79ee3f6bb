"""The how-to on decisions: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_pages import play
from compiled import COMPILED


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.setenv("COLUMNS", "80")
    ran = []
    for one in play("how-to/understand-a-decision.md", tmp_path, monkeypatch, capsys):
        ran.append(one.code)
        assert one.out == one.said, one.command
    assert ran == [0, 0, 0]
