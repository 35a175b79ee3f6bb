"""A project, a home and a PATH of their own; puts this folder and that of the command line's tests on the path."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from install_place import Place

HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[1] / "cli"):
    sys.path.insert(0, str(folder))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """A project to be in, with `exitgate` on PATH and a home where nothing is."""
    from install_place import Place

    made = Place(tmp_path, capsys)
    for name in ("COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE", "EXITGATE_PRESET", "EXITGATE_LOOP", "CODEX_HOME",
                 "CLAUDE_CONFIG_DIR", "COPILOT_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith("EXITGATE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("PATH", str(made.programs))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(made.project)
    return made
