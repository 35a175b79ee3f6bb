"""Facts once, decisions often: in memory, between processes, and refused where the facts are others."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from judged_loops import loop, policy

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.model import Problem
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.loaded_runs import OtherFactsError, decide, facts_of_runs, same_facts
from exitgate.recordings.replay.replay_pool import PolicyReplay

WORDS = ["unsure", "likely", "certain", "unsure"]


@pytest.fixture
def sure(tmp_path: Path) -> str:
    for name in ("one", "two"):
        loop(tmp_path / "runs", name, WORDS)
    return policy(tmp_path)


@pytest.mark.parametrize(
    "settings", [{}, {"enough": "50"}, {"patience": "3"}, {"enough": "15", "patience": "2"}]
)
@pytest.mark.parametrize("to_the_end", [False, True])
def test_decisions_are_those_of_a_dry_run(
    tmp_path: Path, sure: str, settings: dict[str, str], to_the_end: bool
) -> None:
    runs = facts_of_runs([str(tmp_path / "runs")], load_policy(sure))
    other = load_policy(sure, settings=settings)
    expected = dry_run([str(tmp_path / "runs")], [sure], settings=settings, to_the_end=to_the_end).results
    assert tuple(decide(run, other, name=sure, to_the_end=to_the_end) for run in runs) == expected
    player = PolicyReplay(sure, other)
    assert tuple(decide(r, other, player=player, to_the_end=to_the_end) for r in runs) == expected


def test_facts_go_between_processes(tmp_path: Path, sure: str) -> None:
    runs = facts_of_runs([str(tmp_path / "runs")], load_policy(sure))
    again = pickle.loads(pickle.dumps(runs))
    assert again == runs
    assert decide(again[1], load_policy(sure)) == decide(runs[1], load_policy(sure))


def test_an_option_of_an_extractor_makes_other_facts(tmp_path: Path, sure: str) -> None:
    plain, rules, words = (load_policy(sure, settings=s) for s in ({}, {"enough": "50"}, {"word": "certain"}))
    assert same_facts(plain, rules)
    assert not same_facts(plain, words)
    (run, _) = facts_of_runs([str(tmp_path / "runs")], plain)
    with pytest.raises(OtherFactsError, match="policy `sure` reads other facts"):
        decide(run, words)


def test_what_cannot_be_read_is_told(tmp_path: Path, sure: str) -> None:
    told: list[Problem] = []
    (tmp_path / "odd.txt").write_text("odd", encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("gone", "odd.txt", "runs")]
    assert len(facts_of_runs(paths, load_policy(sure), problems=told)) == 2
    assert [one.message for one in told] == ["No such file or directory", "no reader fits it"]
