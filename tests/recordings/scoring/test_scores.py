"""Stops against labels: every case by hand, and what must hold of all."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.scoring.labels import Label
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT, RunScore, Stop, score, total

COSTS = (1.0, 2.0, 4.0, 8.0, 16.0)
NEVER = Label("r", None, None, never=True)


def of(
    label: Label, at: int | None, exit_class: str = "complete", costs: tuple[float | None, ...] = COSTS
) -> RunScore:
    return score("r", "p", label, None if at is None else Stop(at, exit_class), costs)


@each(
    ("label", "at", "kind", "wasted", "wasted_cost", "cut", "cut_cost"),
    [
        (Label("r", 3, 3), 3, RIGHT, 0, 0.0, 0, 0.0),
        (Label("r", 3, 3), 4, LATE, 1, 8.0, 0, 0.0),
        (Label("r", 3, 3), 1, PREMATURE, 0, 0.0, 2, 6.0),
        (Label("r", 3, 3), None, MISSED, 2, 24.0, 0, 0.0),
        (Label("r", 2, 4), 2, RIGHT, 0, 0.0, 0, 0.0),
        (Label("r", 2, 4), 4, RIGHT, 0, 0.0, 0, 0.0),
        (Label("r", 2, 4), 5, LATE, 1, 16.0, 0, 0.0),
        (Label("r", 2, 4), 1, PREMATURE, 0, 0.0, 1, 2.0),
        (Label("r", 5, 5), None, MISSED, 0, 0.0, 0, 0.0),
        (NEVER, None, RIGHT, 0, 0.0, 0, 0.0),
        (NEVER, 2, PREMATURE, 0, 0.0, 3, 28.0),
        (NEVER, 5, PREMATURE, 0, 0.0, 0, 0.0),
    ],
)
def test_a_stop_against_a_label(
    label: Label, at: int | None, kind: str, wasted: int, wasted_cost: float, cut: int, cut_cost: float
) -> None:
    found = of(label, at)
    assert (found.kind, found.wasted, found.wasted_cost) == (kind, wasted, wasted_cost)
    assert (found.cut, found.cut_cost) == (cut, cut_cost)


def test_what_the_recorded_loop_wasted() -> None:
    assert (of(Label("r", 2, 3), 3).loop_wasted, of(Label("r", 2, 3), 3).loop_wasted_cost) == (2, 24.0)
    assert (of(NEVER, 1).loop_wasted, of(NEVER, 1).loop_wasted_cost) == (0, 0.0)


def test_costs_that_are_not_told_are_not_zero() -> None:
    found = of(Label("r", 1, 1), None, costs=(None, None))
    assert (found.wasted, found.wasted_cost, found.cut_cost, found.loop_wasted_cost) == (1, None, None, None)
    assert of(Label("r", 1, 1), None, costs=(1.0, None, 2.0)).wasted_cost == 2.0


def test_classes() -> None:
    label = Label("r", 2, 2, classes=("idle", "complete"))
    assert of(label, 2, "idle").class_right is True
    assert of(label, 3, "stuck").class_right is False
    assert of(label, 1, "idle").class_right is None, "a premature stop is wrong whatever its class"
    assert of(label, None).class_right is None
    assert of(Label("r", 2, 2), 2).class_right is None, "no class is labelled"


LABELS = st.one_of(
    st.just(NEVER),
    st.tuples(st.integers(1, 5), st.integers(1, 5)).map(lambda p: Label("r", min(p), max(p))),
)


@settings(max_examples=50)
@given(LABELS, st.one_of(st.none(), st.integers(1, 5)))
def test_waste_and_cuts_exclude_each_other(label: Label, at: int | None) -> None:
    found = of(label, at)
    assert not (found.wasted and found.cut)
    assert (found.kind == PREMATURE) >= bool(found.cut)
    assert found.wasted <= found.loop_wasted
    assert (found.kind == RIGHT) <= (not found.wasted and not found.cut)


def test_a_total_by_hand() -> None:
    scores = [
        of(Label("a", 3, 3, classes=("complete",)), 3),
        of(Label("b", 3, 3, classes=("complete",)), 4, "stuck"),
        of(Label("c", 2, 2), None),
        of(NEVER, 2),
        of(Label("e", 1, 1), None, costs=(None, None, None)),
    ]
    found = total("p", scores)
    assert (found.runs, found.controls) == (5, 1)
    assert found.counts == {RIGHT: 1, LATE: 1, PREMATURE: 1, MISSED: 2}
    assert (found.wasted.value, found.wasted_cost.value) == (1 + 3 + 2, 8.0 + 28.0)
    # the loops wasted 2, 2, 3, 0 and 2 iterations
    assert found.share.value == pytest.approx(100 * 6 / 9)
    assert found.share_cost.value == pytest.approx(100 * 36 / (24 + 24 + 28))
    assert (found.premature.value, found.cut.value, found.cut_cost.value) == (1, 3, 28.0)
    assert (found.class_right.value, found.classes) == (50.0, 2)
    assert found.wasted.low is not None and found.wasted.low <= 6 <= (found.wasted.high or 0)


def test_a_total_of_nothing_knows_nothing() -> None:
    found = total("p", [])
    assert (found.runs, found.share.value, found.wasted_cost.value, found.class_right.value) == (
        0,
        None,
        None,
        None,
    )
    assert total("p", [of(NEVER, None)]).share.value is None, "the loop wasted nothing"


def test_usd_of_iterations_that_tell_none_are_unknown_though_others_tell_some() -> None:
    found = of(Label("r", 2, 2), None, costs=(1.0, 1.0, None, None))
    assert (found.wasted, found.wasted_cost, found.loop_wasted_cost) == (2, None, None)
    assert of(Label("r", 4, 4), 1, costs=(1.0, None, None, None)).cut_cost is None
    assert of(Label("r", 1, 1), 1, costs=(None, 1.0)).wasted_cost == 0.0
