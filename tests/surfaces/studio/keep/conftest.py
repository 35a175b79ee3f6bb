"""A project with recorded runs, settings and a policy of its own, and a studio over it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent)]

from desk_of_project import EXAMPLES, OURS, SETTINGS, Desk  # noqa: E402  # the tests share it


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with runs, settings and a policy."""
    place = tmp_path / "project"
    (place / ".bb3").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    shutil.copytree(EXAMPLES, place / "runs", ignore=shutil.ignore_patterns("*.sh"))
    (place / ".bb3" / "config.yaml").write_text(SETTINGS, encoding="utf-8")
    (place / "ours").mkdir()
    (place / "ours" / "policy.yaml").write_text(OURS, encoding="utf-8")
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return place


@pytest.fixture
def desk(project: Path) -> Callable[..., Desk]:
    """Give a function that opens a studio over the project."""

    def opened(*labels: str, **policies: str | None) -> Desk:
        named = {name.replace("_", "-"): reference for name, reference in policies.items()}
        return Desk(project, labels, named or {"in force": None})

    return opened
