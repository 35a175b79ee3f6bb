"""Whether a fact means anything: told from labels and from tables of outcomes, and honest about few runs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from judged_loops import labels, loop, policy

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.replay.loaded_runs import load_runs
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.reports.calibration import calibrate_json, calibrate_text
from exitgate.recordings.scoring.calibration import (
    Calibration,
    Outcomes,
    calibrate,
    load_outcomes,
    outcomes_of_runs,
)
from exitgate.recordings.scoring.labels import Labels
from exitgate.recordings.scoring.scored_runs import reading
from exitgate.report.terminal import Style

WORDS = {20: "unsure", 60: "likely", 90: "certain"}


def against(folder: Path, right: Labels | Outcomes, fact: str = "confidence") -> Calibration:
    player = PolicyReplay("sure", load_policy(policy(folder)))
    if isinstance(right, Labels):
        return calibrate(reading([str(folder)], right), right, player, fact)
    return calibrate(lambda players: load_runs([str(folder)], players), right, player, fact)


def runs_with(folder: Path, chances: dict[int, list[bool]]) -> Outcomes:
    """Write a run for each outcome, whose last word states the chance."""
    of = {}
    for stated, outcomes in chances.items():
        for number, came in enumerate(outcomes):
            name = f"r{stated}-{number}"
            loop(folder, name, ["unsure", WORDS[stated], "no word on it"])
            of[name] = came
    return Outcomes(of)


def test_labels_give_a_value_for_each_iteration(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["unsure", "no word on it", "likely", "certain"])
    loop(tmp_path, "b", ["certain", "unsure"])
    loop(tmp_path, "c", ["certain"])
    found = against(tmp_path, labels(a=(3, 3), b=None))
    assert sorted(found.pairs) == [(20, False), (20, False), (60, True), (90, False), (90, True)]
    assert (found.runs, found.unknown, found.left_out, found.by_run) == (2, 1, 1, False)
    assert found.area.value == pytest.approx((2 + 2.5) / 6)
    assert found.verdict == "too_few"


def test_outcomes_take_the_last_known_value_of_each_run(tmp_path: Path) -> None:
    found = against(tmp_path, runs_with(tmp_path, {60: [True], 90: [False]}))
    assert sorted(found.pairs) == [(60, True), (90, False)]
    assert found.by_run


def test_chances_that_hold(tmp_path: Path) -> None:
    outcomes = {20: [True] * 3 + [False] * 12, 60: [True] * 9 + [False] * 6, 90: [True] * 14 + [False]}
    found = against(tmp_path, runs_with(tmp_path, outcomes))
    assert found.verdict == "calibrated"
    assert found.error is not None and found.error < 0.02
    assert [(one.count, round(one.stated, 2)) for one in found.bins] == [(15, 0.2), (15, 0.6), (15, 0.9)]
    assert "can be read as a probability" in calibrate_text(found, Style())


def test_ranks_that_hold_are_no_chances(tmp_path: Path) -> None:
    found = against(tmp_path, runs_with(tmp_path, {60: [False] * 15, 90: [True] * 11 + [False] * 9}))
    assert found.verdict == "ranks_only"
    assert "they are not probabilities" in calibrate_text(found, Style(width=120))


def test_what_means_nothing_is_said_to(tmp_path: Path) -> None:
    draw = random.Random(3)
    outcomes = {stated: [draw.random() < 0.5 for _ in range(14)] for stated in WORDS}
    found = against(tmp_path, runs_with(tmp_path, outcomes))
    assert found.verdict == "means_nothing"
    assert "It means nothing here" in calibrate_text(found, Style())


def test_the_wrong_way_round_and_always_the_same(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()
    found = against(tmp_path / "x", runs_with(tmp_path / "x", {20: [True] * 15, 90: [False] * 15}))
    assert found.verdict == "wrong_way"
    found = against(tmp_path / "y", runs_with(tmp_path / "y", {90: [False] * 11 + [True] * 11}))
    assert found.verdict == "constant"
    assert found.area.value == 0.5


def test_a_bool_is_a_chance_and_a_text_has_no_order(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["unsure", "<promise>FINISHED</promise>"])
    found = against(tmp_path, labels(a=2), "promise.emitted")
    assert found.pairs == ((0.0, False), (1.0, True))
    assert found.error == 0
    with pytest.raises(ExitgateError) as caught:
        against(tmp_path, labels(a=2), "confidnce")
    assert (caught.value.diagnostics[0].code, caught.value.diagnostics[0].help) == (
        "EP877", "did you mean `confidence`?",
    )  # fmt: skip


def test_numbers_without_bounds_have_ranks_only(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["short", "a much longer response than before"])
    (tmp_path / "long.yaml").write_text(
        "policy: long\nformat: 1\nversion: 1.0.0\n"
        "rules: [{id: a, when: output.length > 9000, exit: review, because: so}]\n"
    )
    player = PolicyReplay("long", load_policy(str(tmp_path / "long.yaml")))
    right = labels(a=2)
    found = calibrate(reading([str(tmp_path)], right), right, player, "output.length")
    assert (found.bins, found.error, found.brier, found.area.value) == ((), None, None, 1.0)
    assert "Brier" not in calibrate_text(found, Style())


def test_nothing_known_at_all(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["no word on it"])
    with pytest.raises(ExitgateError) as caught:
        against(tmp_path, labels(a=1))
    assert caught.value.exit_code == 66


def test_the_json_holds_every_figure(tmp_path: Path) -> None:
    plain = json.loads(
        calibrate_json(against(tmp_path, runs_with(tmp_path, {60: [True, False], 90: [True]})))
    )
    assert [one["n"] for one in plain["bins"]] == [2, 1]
    assert plain["base_rate"] == pytest.approx(2 / 3)
    assert plain["brier_of_base_rate"] == pytest.approx(2 / 9)
    assert plain["said"].startswith("Too little data: 3 runs, 2 values")


def table(folder: Path, text: str) -> str:
    (folder / "o.csv").write_text(text, encoding="utf-8")
    return str(folder / "o.csv")


def test_a_table_of_outcomes(tmp_path: Path) -> None:
    path = table(tmp_path, 'id,solved\na,True\nb,0\n"c,d",YES\ne,\nf,true\nf,false\n')
    found = load_outcomes(path, "id", "solved")
    assert (found.of, found.contradicting) == ({"a": True, "b": False, "c,d": True}, ("f",))
    assert outcomes_of_runs(found, ["x/a", "b", "bb", "z"]) == {"x/a": True, "b": False}
    with pytest.raises(ExitgateError, match="matches 2 runs"):
        outcomes_of_runs(found, ["x/a", "y/a"])


def test_tables_that_cannot_be_used(tmp_path: Path) -> None:
    path = table(tmp_path, "id,solved\na,maybe\n")
    with pytest.raises(ExitgateError) as caught:
        load_outcomes(path, "id", "solved")
    assert [(d.code, str(d.place)) for d in caught.value.diagnostics] == [("EP878", f"{path}:2:1")]
    with pytest.raises(ExitgateError) as caught:
        load_outcomes(path, "id", "sloved")
    assert caught.value.diagnostics[0].help == "did you mean `solved`?"
    for name in ("none.csv", "."):
        with pytest.raises(ExitgateError) as caught:
            load_outcomes(str(tmp_path / name), "id", "solved")
        assert caught.value.exit_code == (66 if name == "none.csv" else 74)
