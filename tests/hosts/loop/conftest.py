"""Puts this folder on the path, and gives a place to run loops in that knows nothing of this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if TYPE_CHECKING:
    from loop_project import Project


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled policies of all these tests."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def project(
    tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Project:
    """A folder with a policy, to be in."""
    from loop_project import Project

    for name in [name for name in os.environ if name.startswith(("EXITGATE_", "OTEL_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(compiled))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Project(folder, capfdbinary)
