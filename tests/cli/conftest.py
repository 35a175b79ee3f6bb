"""Puts this folder on the path: the tests share `cli_program` and what else begins with `cli_`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli_repository import Program, Repository

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with a team's policies over some commits, and the place to be."""
    from cli_repository import Repository

    monkeypatch.chdir(tmp_path)
    return Repository(tmp_path)


@pytest.fixture
def exitgate(capsys: pytest.CaptureFixture[str]) -> Program:
    """The program, run in this process."""
    from cli_repository import Program

    return Program(capsys)
