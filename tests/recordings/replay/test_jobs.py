"""Several processes find what one finds, in the same order, whatever becomes of one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from deadly import Deadly
from judged_loops import policy
from sessions_on_disk import session

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.discovery import discover
from exitgate.recordings.replay import executors as executors_module
from exitgate.recordings.replay.dry_run import _died, dry_run
from exitgate.recordings.replay.executors import DIED, Processes, batches
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.replay.transcript import Wanted


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for number in range(7):
        words = ["unsure", "likely", "certain", "unsure"][: number % 5 or 1]
        session(tmp_path / "runs", f"run-{number}", words)
    return tmp_path / "runs"


def test_two_processes_find_what_one_finds(
    tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors_module, "BATCH", 1)
    names = [policy(tmp_path), f"{policy(tmp_path)}:enough=50"]
    one = dry_run([str(runs)], names, jobs=1)
    assert one.results == dry_run([str(runs)], names, jobs=2).results
    assert len(one.results) == 14


def test_batches_are_of_about_the_same_size() -> None:
    class Here:
        place = type("Place", (), {"system": None})

    class There:
        place = type("Place", (), {"system": object()})

    sizes = [(Here, 4), (Here, 4), (Here, 4), (There, 1), (There, 1), (Here, 30), (Here, 1)]
    found = [len(batch) for batch in batches(iter(sizes), 10)]  # type: ignore[arg-type]
    assert found == [3, 2, 1, 1]


def test_much_to_read_is_read_by_several(tmp_path: Path, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Watched(Processes):
        def __init__(self, jobs: int) -> None:
            asked.append(jobs)
            super().__init__(jobs)

    monkeypatch.setattr("exitgate.recordings.replay.dry_run.Processes", Watched)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    name = policy(tmp_path)
    one = dry_run([str(runs)], [name], jobs=None)
    assert asked == []
    monkeypatch.setattr("exitgate.recordings.replay.dry_run.MANY", 100)
    assert dry_run([str(runs)], [name], jobs=None).results == one.results
    assert asked == [2]


def test_a_process_that_dies_takes_only_its_transcript_with_it(tmp_path: Path, runs: Path) -> None:
    (runs / "run-3.jsonl").rename(runs / "killer.jsonl")
    work = Deadly(((policy(tmp_path), load_policy(policy(tmp_path))),), Wanted(), None)
    found = list(discover([str(runs)]))
    walked = list(Processes(2).each(work, ((one, 4_000_000) for one in found), _died))
    assert [one.path for one in walked] == [one.place.path for one in found]
    assert [Path(one.path).stem for one in walked if one.failed] == ["killer"]
    assert {one.failed for one in walked} == {"", DIED}
    assert sum(len(one.results) for one in walked) == 6


def test_a_policy_is_ready_once(tmp_path: Path) -> None:
    player = PolicyReplay("sure", load_policy(policy(tmp_path)))
    assert [entry.extraction.prefix for entry in player.entries] == ["confidence", "promise"]
