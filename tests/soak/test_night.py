"""A short night of `benchmarks/night.py`: kills, clock jumps, damaged files, and nothing lost."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest

from exitgate.core.ledger.verify import verify

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "night.py"


@pytest.fixture
def soak(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("soak", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    for name in ("EXITGATE_RUN", "RUN_LOG_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("EXITGATE_CACHE_DIR", "EXITGATE_HEAD_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))  # the night sets both
    return module


def test_a_short_night_loses_and_doubles_nothing(soak):
    night, troubles = soak.night(30, seed=3)
    assert troubles == []
    assert len(night.acknowledged) == 30
    assert night.happened["killed"] > 1
    assert night.happened["killed"] > night.happened["killed behind the acknowledgement"]
    assert night.happened["replayed"] >= 30 - len(night.damages)
    assert verify(soak.STATE).lines >= 30


def test_the_soak_itself_finds_what_is_lost_doubled_or_changed(soak):
    night, troubles = soak.night(12, seed=5)
    assert troubles == []
    raw = Path(soak.LEDGER).read_bytes()
    lines = raw.splitlines(keepends=True)
    decisions = [n for n, line in enumerate(lines) if json.loads(line)["kind"] == "decision"]
    at = decisions[3]

    def told(content):
        Path(soak.LEDGER).write_bytes(content)
        found = "; ".join(soak.troubles(night))
        Path(soak.LEDGER).write_bytes(raw)
        return found

    assert "lost" in told(b"".join(lines[:at] + lines[at + 1 :]))
    assert "lost" in told(raw[: raw.rstrip().rfind(b"\n") + 1])
    doubled = json.loads(lines[decisions[-1]]) | {"sequence": 999}
    assert "doubled" in told(raw + json.dumps(doubled).encode() + b"\n")
    assert "never acknowledged" in told(raw + json.dumps(doubled).encode() + b"\n")
    assert "replayed" in told(raw.replace(b'"outcome":"otherwise"', b'"outcome":"somewhere"', 1))
    os.unlink(next(Path(".ralph/logs").glob("exit-decisions_*.log")))
    assert "times in the logs" in told(raw)
    assert verify(soak.STATE).whole
