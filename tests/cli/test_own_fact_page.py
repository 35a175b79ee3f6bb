"""The how-to on facts of one's own: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from cli_pages import play

sys.path.insert(0, str(Path(__file__).parents[1] / "security"))

from installing import install


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site, project = tmp_path / "site", tmp_path / "project"
    site.mkdir()
    project.mkdir()
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    install(site)
    codes = []
    for one in play("how-to/bring-your-own-fact.md", project, monkeypatch, capsys):
        if "plugins allow" in one.command:
            assert one.out.startswith("acme-sonar 1.0.0: acme.sonar\n")
        else:
            assert one.out + one.err == one.said, one.command
        codes.append(one.code)
    assert codes == [0, 10, 14, 0, 10, 65, 0, 0, 10]
