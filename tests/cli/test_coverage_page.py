"""The how-to on coverage: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_pages import play


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = []
    for one in play("how-to/measure-coverage.md", tmp_path, monkeypatch, capsys):
        assert one.out == one.said, one.command
        codes.append(one.code)
    assert codes == [0, 0, 0]
    assert (tmp_path / "coverage.html").read_text(encoding="utf-8").count('class="line"') > 15
