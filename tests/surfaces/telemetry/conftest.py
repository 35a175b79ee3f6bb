"""Puts this folder on the path, and gives tests a project whose environment is all theirs."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from telemetry_project import Project, cleared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from telemetry_collector import Collector


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A folder with a task list and a response; no variable of this machine's telemetry is left."""
    for name in cleared(os.environ):
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector that takes everything."""
    from telemetry_collector import Collector

    with Collector() as one:
        yield one
