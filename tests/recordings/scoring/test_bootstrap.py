"""Bootstrap intervals: the same for the same seed, and as wide as they should be."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.scoring.statistics import figure, quantile


def mean(items: Sequence[float]) -> float:
    return sum(items) / len(items)


def test_the_same_seed_gives_the_same_interval() -> None:
    items = [1.0, 2.0, 9.0, 4.0, 7.0]
    one, other, third = (figure(items, mean, seed=seed) for seed in (1, 1, 2))
    assert one == other
    assert one.value == third.value == 4.6
    assert one != third


def test_one_run_has_no_interval() -> None:
    found = figure([3.0], mean)
    assert (found.value, found.low, found.high) == (3.0, None, None)


def test_runs_that_are_all_alike_have_a_narrow_one() -> None:
    found = figure([2.0] * 5, mean)
    assert (found.low, found.high) == (2.0, 2.0)


def test_draws_in_which_a_figure_cannot_be_told_are_left_out() -> None:
    found = figure([0.0, 5.0], lambda some: sum(some) / 5 if any(some) else None)
    assert (found.low, found.high) == (1.0, 2.0)
    assert figure([0.0, 0.0], lambda some: None if some else 0.0).value is None


def test_about_95_percent_of_the_intervals_hold_the_true_mean() -> None:
    draw = random.Random(5)
    held = 0
    for seed in range(200):
        items = [draw.gauss(10, 3) for _ in range(30)]
        found = figure(items, mean, draws=300, seed=seed)
        assert found.low is not None and found.high is not None
        held += found.low <= 10 <= found.high
    assert 0.88 <= held / 200 <= 0.98


@settings(max_examples=50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_quantiles_are_those_of_the_standard_library(items: list[float]) -> None:
    ordered = sorted(items)
    wanted = statistics.quantiles(ordered, n=40, method="inclusive")
    for number, one in enumerate(wanted, 1):
        assert abs(quantile(ordered, number / 40) - one) <= 1e-6 * (1 + abs(one))
