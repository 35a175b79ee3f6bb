"""A loop's folder for each test, and the program run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from compiled import COMPILED

sys.path.insert(0, str(Path(__file__).parent))

from loops import Loop

from exitgate.analysis.counterfactuals import outlook
from exitgate.analysis.results.counterfactual import Outlook
from exitgate.core.engine.program import Program


def remembering(sought: Callable[..., Outlook]) -> Callable[..., Outlook]:
    """Return the search for what would change a decision, each made once: every form of output tells it."""
    found: dict[str, Outlook] = {}

    def outlook_of(
        program: Program, records: Sequence[Mapping[str, object]], *rest: object, **named: object
    ) -> Outlook:
        # How many seconds went by between two commands changes no word that a response could be seen by.
        timeless = [{name: v for name, v in one.items() if name != "run.elapsed"} for one in records]
        asked = repr((program.policy.digest, timeless, rest, named))
        if asked not in found:
            found[asked] = sought(program, records, *rest, **named)
        return found[asked]

    return outlook_of


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
    monkeypatch.setattr(outlook, "outlook", remembering(outlook.outlook))
    yield Loop(tmp_path / "project", capsys)
