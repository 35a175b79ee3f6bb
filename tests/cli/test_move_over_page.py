"""The how-to on moving over: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_pages import play


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    commands = 0
    for one in play("how-to/move-over.md", tmp_path, monkeypatch, capsys):
        assert one.out == one.said, one.command
        assert one.code == 0
        commands += 1
    assert commands == 6
    assert not (tmp_path / "threshold").exists()
