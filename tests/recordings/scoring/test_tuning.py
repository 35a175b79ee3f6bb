"""Sweeps over loops on disk: the rule of choice, and honest figures beside the fitted ones."""

from __future__ import annotations

import gc
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from judged_loops import labels, loop, policy

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.reports.tuning import tune_json, tune_text
from exitgate.recordings.scoring.grid import grid
from exitgate.recordings.scoring.labels import Labels
from exitgate.recordings.scoring.scored_runs import reading, score_runs
from exitgate.recordings.scoring.statistics import cross_validated, folds
from exitgate.recordings.scoring.tuning import Tuned, tune
from exitgate.report.terminal import Style


def tuned(
    folder: Path,
    right: Labels,
    points: int = 256,
    folds: int | None = None,
    in_usd: bool | None = None,
    **sweeps: str,
) -> Tuned:
    path = policy(folder)
    spanned = grid(load_policy(path), sweeps, points=points)
    return tune(reading([str(folder)], right), right, path, spanned, fold_count=folds, in_usd=in_usd)


def likely_loops(folder: Path) -> Labels:
    """Runs that are over when the agent is sure twice in a row at 60: the default stops too late or never."""
    for name in ("a", "b", "c"):
        loop(folder, name, ["unsure", "likely", "likely", "likely", "certain", "unsure"])
    loop(folder, "d", ["likely", "unsure", "likely", "unsure"])
    return labels(a=3, b=3, c=3, d=None)


def test_the_best_point_by_the_rule(tmp_path: Path) -> None:
    found = tuned(tmp_path, likely_loops(tmp_path), enough="50,60,80,95", patience="1..3")
    assert found.chosen.point == {"enough": "60", "patience": "2"}, "50 does the same and is farther away"
    assert found.default == {"enough": "80", "patience": "1"}
    assert (found.own.wasted.value, found.own.counts["late"]) == (6, 3)
    assert (found.chosen.total.wasted.value, found.chosen.total.premature.value) == (0, 0)
    assert found.in_usd


def test_no_premature_stop_comes_before_less_waste(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["likely", "unsure", "unsure", "unsure", "certain"])
    loop(tmp_path, "b", ["unsure", "likely", *["unsure"] * 9])
    loop(tmp_path, "c", ["certain"])
    found = tuned(tmp_path, labels(a=5, b=2, c=1), enough="50,80")
    assert found.chosen.point == {"enough": "80"}
    assert [(one.point["enough"], one.premature, one.wasted) for one in found.front] == [
        ("80", 0, 4.5), ("50", 1, 0.0),
    ]  # fmt: skip


def test_facts_are_extracted_once_unless_a_parameter_changes_them(tmp_path: Path) -> None:
    right = likely_loops(tmp_path)
    assert tuned(tmp_path, right, enough="50..95:5").extractions == 1
    assert tuned(tmp_path, right, word="ONE,TWO", enough="50,60").extractions == 3, "the default has its own"


def test_a_parameter_of_an_extractor_is_really_extracted_anew(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        loop(tmp_path, name, ["unsure", "<promise>READY</promise>", "unsure"])
    found = tuned(tmp_path, labels(a=2, b=2, c=2), word="FINISHED,READY")
    assert found.chosen.point == {"word": "READY"}
    assert found.own.counts["missed"] == 3


def test_what_fits_by_chance_does_not_hold_without_the_run(tmp_path: Path) -> None:
    """Each run wants a patience of its own: the longest is never premature, until its own run is left out."""
    for number in range(1, 5):
        loop(tmp_path, f"r{number}", ["certain"] * 6)
    found = tuned(tmp_path, labels(r1=1, r2=2, r3=3, r4=4), patience="1..4")
    assert found.chosen.point == {"patience": "4"}
    assert (found.chosen.total.premature.value, found.chosen.total.wasted.value) == (0, 3 + 2 + 1)
    assert (found.crossed.premature.value, found.crossed.cut.value) == (1, 1), "3 is chosen without r4"
    assert found.crossed.wasted.value == 3 + 2 + 1
    assert (found.agreeing, found.folds) == (3, 4)
    assert found.others == (({"patience": "4"}, 3), ({"patience": "3"}, 1))


def test_folds(tmp_path: Path) -> None:
    assert tuned(tmp_path, likely_loops(tmp_path), folds=2, enough="60,80").folds == 2


def test_waste_is_counted_in_iterations_where_a_cost_is_not_told(tmp_path: Path) -> None:
    for name, cost in (("a", 0.5), ("b", None), ("c", 0.5)):
        loop(tmp_path, name, ["certain", "certain"], cost=cost)
    found = tuned(tmp_path, labels(a=1, b=1, c=1), enough="80,95")
    assert not found.in_usd
    assert found.front[0].wasted == 0


def test_too_few_runs(tmp_path: Path) -> None:
    loop(tmp_path, "a", ["certain"])
    loop(tmp_path, "b", ["certain"])
    with pytest.raises(ExitgateError) as caught:
        tuned(tmp_path, labels(a=1, b=1), enough="80,95")
    assert (caught.value.exit_code, caught.value.diagnostics[0].code) == (66, "EP876")


def test_the_forms_say_what_was_drawn_and_where_it_is_sure(tmp_path: Path) -> None:
    found = tuned(tmp_path, likely_loops(tmp_path), points=3, enough="50..95:5", patience="1..3")
    text = " ".join(tune_text(found, "exit_decision:\n", Style()).split("\n"))
    assert "3 points drawn from 30 on 4 labelled runs, 1 of which should never have stopped" in text
    assert "each run is judged by the point chosen without it" in text
    plain = json.loads(tune_json(found, "x"))
    assert (plain["points"], plain["points_tried"], plain["waste_in"]) == (30, 3, "USD")
    assert plain["cross_validated"]["total"]["premature_runs"]["low"] is not None


def test_waste_in_usd_where_not_every_run_tells_it(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        loop(tmp_path, name, ["likely", "unsure", "certain"], cost=None)
    right = labels(a=1, b=1, c=1)
    assert not tuned(tmp_path, right, enough="60,80").in_usd
    with pytest.raises(ExitgateError, match="no labelled run records its cost") as caught:
        tuned(tmp_path, right, enough="60,80", in_usd=True)
    assert caught.value.exit_code == 66
    loop(tmp_path, "d", ["likely", "unsure", "certain"])
    found = tuned(tmp_path, labels(a=1, b=1, c=1, d=1), enough="60,80", in_usd=True)
    assert "waste counted in USD, of which 3 runs tell none" in tune_text(found, "", Style(width=300))
    assert found.chosen.point == {"enough": "60"}


@pytest.mark.parametrize("point", [{"word": "ONE", "enough": "50"}, {"word": "TWO", "enough": "80"}])
def test_a_point_that_changes_what_is_extracted_scores_as_the_policy_set_so(
    tmp_path: Path, point: dict[str, str]
) -> None:
    for name, responses in {
        "a": ["<promise>ONE</promise>", "likely", "certain"],
        "b": ["unsure", "<promise>TWO</promise>", "likely"],
        "c": ["likely", "<promise>ONE</promise>", "<promise>TWO</promise>"],
    }.items():
        loop(tmp_path, name, responses)
    right = labels(a=2, b=3, c=2)
    found = tuned(tmp_path, right, **point)
    set_so = load_policy(policy(tmp_path), settings=point)
    (total,) = score_runs(reading([str(tmp_path)], right), right, {"": set_so}).totals
    assert found.chosen.total == total


def test_a_run_is_no_part_of_what_is_chosen_for_it() -> None:
    seen: dict[int, list[int]] = {}

    def choose(runs: Sequence[int]) -> int:
        for out in set(range(7)) - set(runs):
            seen[out] = list(runs)
        return len(seen)

    for wanted in (None, 2, 3, 7, 9):
        seen.clear()
        cross_validated(7, folds(7, wanted, 1), choose)
        assert sorted(seen) == list(range(7))
        assert all(out not in runs for out, runs in seen.items())


def test_several_processes_give_the_same_result(tmp_path: Path) -> None:
    right = likely_loops(tmp_path)
    path = policy(tmp_path)
    spanned = grid(load_policy(path), {"enough": "50,60,80,95", "patience": "1..2"})

    def with_jobs(jobs: int) -> str:
        found = tune(reading([str(tmp_path)], right), right, path, spanned, jobs=jobs)
        return tune_json(found, "")

    assert with_jobs(2) == with_jobs(1)


def test_policies_of_points_that_are_done_are_dropped(tmp_path: Path) -> None:
    right = likely_loops(tmp_path)
    path = policy(tmp_path)
    spanned = grid(load_policy(path), {"enough": "50..95:5"})
    alive: list[int] = []

    def count(_point: str) -> None:
        gc.collect()
        alive.append(sum(isinstance(one, CompiledPolicy) for one in gc.get_objects()))

    tune(reading([str(tmp_path)], right), right, path, spanned, tell=count)
    assert len(alive) == len(spanned.points)
    assert 0 < alive[-1] <= alive[1]
