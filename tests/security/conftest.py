"""A loop's folder for each test, and the program run in this process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiled import COMPILED

sys.path.insert(0, str(Path(__file__).parent))

from loops import Loop


@pytest.fixture
def loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Loop]:
    """Return a loop in a folder of its own, with a home of its own, as working directory."""
    for name in ("EXITGATE_RUN", "EXITGATE_PRESET", "RUN_LOG_DIR", "GITHUB_ACTIONS", "EXITGATE_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("home", "cache", "project"):
        (tmp_path / name).mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    monkeypatch.chdir(tmp_path / "project")
    yield Loop(tmp_path / "project", capsys)
