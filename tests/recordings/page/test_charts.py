"""Numbers over iterations: which get a line, where it runs, what it is compared with."""

from __future__ import annotations

from pathlib import Path

from page_runs import POLICY, iteration, plan, played, ticking, written

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.model import RecordedIteration
from exitgate.recordings.page import charts as charts_module
from exitgate.recordings.page.charts import charts, spending, thresholds
from exitgate.recordings.page.view import Chart


def charts_of(runs: list[RecordedIteration], *policies: str) -> dict[str, Chart]:
    found, loaded = played({"r": runs}, policies)
    drawn_ = charts(found.results, [loaded[r.policy] for r in found.results], range(1, len(runs) + 1))
    return {chart.name: chart for chart in drawn_}


def test_a_line_runs_through_known_values_and_leaves_gaps() -> None:
    assert charts_module.line([0, 50, None, 100], 0, 100) == "M5 100L15 50M35 0"
    assert charts_module.dots([0, None], 0, 100) == "M5 100h0"
    assert charts_module.y_of(3, 3, 3) == 50


def test_a_fact_compared_with_a_parameter_has_a_line_and_its_threshold(tmp_path: Path) -> None:
    chart = charts_of(ticking([0, 2, 5]), written(tmp_path))["tasks.percent"]
    assert chart.line == "M5 100L15 80L25 50"
    assert [(one.name, one.value, one.text, one.y) for one in chart.thresholds] == [
        ("$goal", 80.0, "80%", 20.0)
    ]
    assert (chart.low, chart.high, chart.last, chart.policies) == ("0%", "100%", "50%", "")
    assert chart.words == (
        "tasks.percent goes from 0% to 50%, lowest 0%, highest 50%; compared with $goal 80%"
    )


def test_what_stands_still_has_no_line_unless_a_parameter_judges_it(tmp_path: Path) -> None:
    found = charts_of(ticking([4, 4, 4]), written(tmp_path))
    assert set(found) == {"tasks.percent"}


def test_policies_with_the_same_numbers_share_a_line_with_the_limits_of_each(tmp_path: Path) -> None:
    low = written(tmp_path)
    high = written(tmp_path, POLICY.replace("default: 80", "default: 95"), "high.yaml")
    chart = charts_of(ticking([1, 2]), low, high)["tasks.percent"]
    assert {(one.name, one.value) for one in chart.thresholds} == {("$goal", 80.0), (f"$goal ({high})", 95.0)}
    assert chart.policies == ""


def test_thresholds_are_found_in_named_conditions_and_literals() -> None:
    found = thresholds(load_policy("recommended"))
    assert found["confidence"] == {"$min_confidence": 50.0}
    assert found["errors.count"] == {"$max_errors": 5.0}


def test_the_curve_of_cost_adds_up_and_has_each_stop(tmp_path: Path) -> None:
    runs = ticking([1, 1, 1, 1, 9])
    found, _ = played({"r": runs}, [written(tmp_path)])
    curve = spending(found.results, range(1, 6))
    assert curve is not None
    assert curve.chart.line == "M5 80L15 60L25 40L35 20L45 0"
    assert [(stop, at, share) for _, stop, at, share in curve.stops] == [(4, "2.00 USD", "80%")]


def test_tokens_stand_in_for_cost_and_nothing_for_neither(tmp_path: Path) -> None:
    tokens = [iteration(at, plan=plan(1, 4), record={"tokens": 1500}) for at in (1, 2)]
    curve = spending(played({"r": tokens}, [written(tmp_path)])[0].results, (1, 2))
    assert curve is not None
    assert (curve.chart.name, curve.chart.last) == ("tokens so far", "3000")
    silent = [iteration(at, plan=plan(1, 4), record={}) for at in (1, 2)]
    assert spending(played({"r": silent}, [written(tmp_path)])[0].results, (1, 2)) is None
