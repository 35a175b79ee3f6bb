"""A project, a home and a PATH of their own; this folder and that of the command line's tests on the path."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from compiled import COMPILED

if TYPE_CHECKING:
    from install_place import Place

#: Variables that hosts and terminals read.
LOUD = ("COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME")
HERE = Path(__file__).parent
for folder in (HERE, HERE.parents[1] / "cli"):
    sys.path.insert(0, str(folder))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """A project to be in, with `exitgate` on PATH and a home where nothing is."""
    from install_place import Place

    made = Place(tmp_path, capsys)
    for name in list(os.environ):
        if name in LOUD or name.startswith(("EXITGATE_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("PATH", str(made.programs))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.chdir(made.project)
    return made
