"""Reliability figures against known values and their definitions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.scoring.statistics import auc, base_rate, bins, brier, calibration_error, wilson

PAIRS = st.lists(st.tuples(st.integers(0, 10).map(lambda n: n / 10), st.booleans()), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("true", "count", "low", "high"),
    # From the table in Newcombe, Two-sided Confidence Intervals for the Single Proportion, 1998: method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_as_published(true: int, count: int, low: float, high: float) -> None:
    assert wilson(true, count) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@settings(max_examples=50)
@given(PAIRS)
def test_auc_is_the_share_of_pairs_in_order(pairs: list[tuple[float, bool]]) -> None:
    true = [chance for chance, came in pairs if came]
    false = [chance for chance, came in pairs if not came]
    found = auc(pairs)
    if not true or not false:
        assert found is None
        return
    wanted = sum((one > other) + (one == other) / 2 for one in true for other in false)
    assert found == pytest.approx(wanted / (len(true) * len(false)))
    assert auc([(-chance, came) for chance, came in pairs]) == pytest.approx(1 - found)


def test_bins_hold_every_value_and_one_is_in_the_last() -> None:
    pairs = [(0.0, False), (0.05, True), (0.1, False), (0.95, True), (1.0, True)]
    found = bins(pairs)
    assert [(round(one.low, 1), one.count, one.observed) for one in found] == [
        (0.0, 2, 0.5),
        (0.1, 1, 0.0),
        (0.9, 2, 1.0),
    ]
    assert found[0].stated == pytest.approx(0.025)


def test_figures_by_hand() -> None:
    pairs = [(0.9, True), (0.9, True), (0.9, False), (0.9, False), (0.1, False), (0.1, False)]
    assert calibration_error(bins(pairs)) == pytest.approx((4 * 0.4 + 2 * 0.1) / 6)
    assert brier(pairs) == pytest.approx((2 * 0.01 + 2 * 0.81 + 2 * 0.01) / 6)
    assert base_rate(pairs) == pytest.approx(1 / 3)
    assert auc(pairs) == pytest.approx(0.75)


@settings(max_examples=50)
@given(PAIRS)
def test_who_states_the_base_rate_has_its_brier_score(pairs: list[tuple[float, bool]]) -> None:
    rate = base_rate(pairs)
    assert brier([(rate, came) for _, came in pairs]) == pytest.approx(rate * (1 - rate))
    found = bins(pairs)
    assert sum(one.count for one in found) == len(pairs)
    assert 0 <= calibration_error(found) <= 1
