"""Ledgers of autoresearch: a metric an iteration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_files import any_bytes, cut_by_lines, odd_members
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader

from exitgate.recordings.replay.dry_run import dry_run

ID = "autoresearch"
POLICY = """
policy: plateau
format: 1
version: 1.0.0
title: Stops when the score no longer gets better
facts:
  score: {extract: json_file, file: objective.json, value_at: score}
rules:
  - {id: plateau, when: score.value unchanged for 2 iterations, exit: stuck, because: no better}
otherwise: continue
"""


def candidate(nth: int, score: float, code: int = 0) -> str:
    return json.dumps(
        {
            "candidate_id": f"c{nth}", "created_at": f"2026-01-02T10:0{nth}:00Z", "tier": "smoke",
            "return_code": code,
            "command": ["python", "train.py"],
            "objective": {"score": score, "valid": code == 0, "reasons": []},
        }
    )  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.jsonl"
    path.write_text(
        "".join(candidate(n, s, int(n == 4)) + "\n" for n, s in enumerate((3.5, 3.25, 3.0, 3.0, 3.0)))
    )
    return path


def test_each_candidate_is_an_iteration_with_its_metric(ledger: Path) -> None:
    assert reader(ledger) == ID
    (run,), problems = read(ledger)
    assert (problems, run.begin.granularity, len(run.iterations)) == ((), "process", 5)
    one, *_, last = run.iterations
    assert (one.provenance.first, one.ended_at, one.response) == (1, 1_767_348_000.0, None)
    assert one.record["fields"] == {"SCORE": 3.5, "VALID": True}
    assert json.loads(one.files["objective.json"])["score"] == 3.5
    assert (one.record["subtype"], last.tests) == ("smoke", {"command": "python train.py", "exit_status": 1})
    assert run.end.ended_at == last.ended_at


def test_a_frontier_holds_the_newest_runs_newest_first(tmp_path: Path) -> None:
    runs = [{"candidate_id": f"c{n}", "score": float(n)} for n in (3, 2, 1)]
    body = json.dumps({"global_best": {}, "champion_set": runs, "recent_runs": runs}, indent=2)
    path = tmp_path / "frontier.json"
    path.write_text(body)
    assert reader(path) == ID
    (run,), problems = read(path)
    assert [one.record["fields"] for one in run.iterations] == [
        {"SCORE": 1.0},
        {"SCORE": 2.0},
        {"SCORE": 3.0},
    ]
    assert problems == ()
    for end in range(0, len(body), 7):
        path.write_text(body[:end])
        read(path, ID)


def test_a_bad_line_is_told(ledger: Path) -> None:
    ledger.write_text(ledger.read_text().replace("\n", "\n[1]\n", 1))
    (run,), (problem,) = read(ledger)
    assert (problem.line, len(run.iterations), run.iterations[1].provenance.first) == (2, 5, 3)


def test_cut_anywhere(ledger: Path) -> None:
    cut_by_lines(ledger, ID)


def test_odd_members(ledger: Path) -> None:
    odd_members(ledger, ID)


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    any_bytes(tmp_path_factory.mktemp("any"), "ledger.jsonl", body, ID)


def test_a_policy_reads_the_metric(ledger: Path, tmp_path: Path) -> None:
    policy = tmp_path / "plateau.yaml"
    policy.write_text(POLICY)
    results = dry_run([str(ledger)], [str(policy), "recommended"]).results
    assert [(result.run.reader, result.run.iterations) for result in results] == [(ID, 5), (ID, 5)]
    stop = results[0].stop
    assert stop is not None and (stop.iteration, stop.rule) == (5, "plateau")
    assert results[1].stop is None or results[1].stop.exit_class != "complete"
