"""Puts this folder on the path: the tests share `hosts_calls`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hosts_calls import Hooks

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hooks:
    """A project with open tasks and a policy, in which every session is a loop, and the place to be."""
    from hosts_calls import Hooks, isolate

    isolate(monkeypatch, tmp_path / "home")
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return Hooks(tmp_path / "project")
