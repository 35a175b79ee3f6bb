"""Policies scored on loops on disk: what is read, chosen, left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_loops import labels, loop, policy

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.model import Begin
from exitgate.recordings.replay.loaded_runs import LoadedRun, LoadedRuns, unique
from exitgate.recordings.replay.result import RecordedRun
from exitgate.recordings.scoring.labels import Labels
from exitgate.recordings.scoring.scored_runs import Labelled, Scored, choose, reading, score_runs
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT
from exitgate.recordings.unread import Unread


def scored(folder: Path, right: Labels, **settings: str) -> Scored:
    path = policy(folder)
    policies = {"strict": load_policy(path), "easy": load_policy(path, settings={"enough": "50", **settings})}
    return score_runs(reading([str(folder)], right), right, policies)


def test_two_policies_on_four_loops(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["unsure", "certain", "certain"])
    loop(tmp_path, "two", ["likely", "unsure", "certain"], cost=2.0)
    loop(tmp_path, "three", ["unsure", "likely", "unsure"])
    loop(tmp_path, "four", ["likely", "unsure"])
    loop(tmp_path, "five", ["certain"])
    found = scored(tmp_path, labels(one=2, two=3, three=1, four=None))
    kinds = {(s.run, s.policy): (s.kind, s.wasted, s.cut) for s in found.scores}
    assert kinds == {
        ("four", "strict"): (RIGHT, 0, 0), ("four", "easy"): (PREMATURE, 0, 1),
        ("one", "strict"): (RIGHT, 0, 0), ("one", "easy"): (RIGHT, 0, 0),
        ("three", "strict"): (MISSED, 2, 0), ("three", "easy"): (LATE, 1, 0),
        ("two", "strict"): (RIGHT, 0, 0), ("two", "easy"): (PREMATURE, 0, 2),
    }  # fmt: skip
    strict, easy = found.totals
    assert (strict.policy, strict.wasted_cost.value, strict.share.value) == (
        "strict",
        1.0,
        pytest.approx(200 / 3),
    )
    assert (easy.premature.value, easy.cut_cost.value) == (2, 4.5)
    assert (found.unlabelled, found.sub_agents, found.not_scored) == (1, 0, ())


def test_the_stop_says_which_rule_and_why(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["certain"])
    stop = scored(tmp_path, labels(one=1)).scores[0].stop
    assert stop is not None
    assert (stop.iteration, stop.exit_class, stop.rule, stop.outcome) == (1, "complete", "sure", "sure")
    assert stop.message == "Sure: 90%"


def test_an_extraction_of_its_own_for_each_policy(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["<promise>FINISHED</promise>", "<promise>ENOUGH</promise>"])
    found = scored(tmp_path, labels(one=2), word="ENOUGH")
    assert [(s.policy, s.stop.iteration if s.stop else None) for s in found.scores] == [
        ("strict", 1),
        ("easy", 2),
    ]


def test_labels_of_runs_that_are_not_there(tmp_path: Path) -> None:
    loop(tmp_path, "one", ["certain"])
    with pytest.raises(ExitgateError) as caught:
        scored(tmp_path, labels(ones=1))
    assert caught.value.diagnostics[0].help == "did you mean `one`?"


def recorded(id: str, spoken: int, parent: str | None = None) -> LoadedRun:
    begin = Begin(id, "process", "f", parent=parent)
    return LoadedRun(RecordedRun(id, "f", "r", "process", 2, parent=parent), begin, spoken, (None, None), {})


def test_labelled_runs_without_text_are_listed_and_sub_agents_left_out() -> None:
    runs = (recorded("a", 2), recorded("b", 0), recorded("c", 2, parent="a"), recorded("d", 1))
    found = choose(LoadedRuns(runs, (), Unread()), labels(a=1, b=2))
    assert [one.run.id for one, _ in found.runs] == ["a"]
    ((run, label, why),) = found.not_scored
    assert (run, label.stop, why) == ("b", "2", "the transcript has the text of none of its 2 iterations")
    assert (found.unlabelled, found.sub_agents) == (1, 1)
    with pytest.raises(ExitgateError, match="no run `c`"):
        choose(LoadedRuns(runs, (), Unread()), labels(c=1))


def test_ids_become_unique() -> None:
    runs = [("a", "x"), ("b", "x"), ("a", "y"), ("a", "y")]
    assert unique(runs) == ("x:a", "b", "y:a", "y:a.2")


def test_two_loops_of_one_name_are_told_apart(tmp_path: Path) -> None:
    loop(tmp_path / "x", "one", ["certain"])
    loop(tmp_path / "y", "one", ["unsure", "certain"])
    with pytest.raises(ExitgateError) as caught:
        scored(tmp_path, labels(one=1))
    assert "matches 2 runs" in caught.value.diagnostics[0].message
    found = scored(tmp_path, labels(**{f"{tmp_path}/y/one:one": 2}))
    assert [(s.iterations, s.kind) for s in found.scores] == [(2, RIGHT), (2, RIGHT)]


def test_the_second_of_two_runs_with_one_id_in_one_file_can_be_labelled() -> None:
    wanted = Labelled(labels(**{"f:night.2": 1}))
    assert wanted(Begin("night", "process", "f"))
    assert not wanted(Begin("day", "process", "f"))
    assert Labelled(labels(**{"v1.2": 1}))(Begin("v1.2", "process", "f"))
