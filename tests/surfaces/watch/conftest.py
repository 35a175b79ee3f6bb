"""Lets the tests of this folder share `watched_loops`, and the golden files and pages of commands."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from exitgate.surfaces.watch.assessment import Assessor

sys.path.insert(0, str(Path(__file__).parents[2] / "cli"))
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither settings nor compiled policies of the user's own: all loops share a folder for theirs."""
    with pytest.MonkeyPatch.context() as own:
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            own.setenv(name, str(tmp_path_factory.getbasetemp() / "home"))
        yield


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine counts."""
    for name in ("EXITGATE_RUN", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged does not depend on how busy the machine is, unless a test says how long it may take."""
    monkeypatch.setattr(Assessor.__init__, "__defaults__", (math.inf, *Assessor.__init__.__defaults__[1:]))
