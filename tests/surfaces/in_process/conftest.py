"""A project with a small policy, apart from the machine's own settings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

POLICY = """
policy: small
format: 1
version: 1.0.0
parameters:
  same: {type: count, default: 3, min: 1, doc: Iterations without a newly ticked task.}
  budget: {type: count, default: 50, min: 1, doc: Iterations of a run.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: used_up, when: run.iterations >= $budget, exit: exhausted, stage: before_iteration}
  - {id: done, when: tasks.complete, exit: complete, because: "{tasks.done} of {tasks.total}"}
  - {id: long, when: output.length > 1000, warn: true, because: "{output.length} characters"}
  - {id: same, when: tasks.done unchanged for $same iterations, exit: stuck, advice: Take another task.}
  - {id: failed, when: run.agent_exit > 0, exit: failed, stage: after_failure}
  - {id: dear, when: run.cost > 5 USD, exit: exhausted}
otherwise: continue
"""


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of compiled policies for all tests here."""
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    return str(folder / "own")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: str) -> Path:
    """The project's folder, where the test stands."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("EXITGATE_CACHE_DIR", cache)
    for name in ("RUN", "PRESET", "STATE_DIR", "OTEL", "PROMETHEUS"):
        monkeypatch.delenv(f"EXITGATE_{name}", raising=False)
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "small.yaml").write_text(POLICY)
    monkeypatch.chdir(folder)
    return folder
