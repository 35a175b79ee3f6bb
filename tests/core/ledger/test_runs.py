"""Which run and iteration a check belongs to."""

from __future__ import annotations

import pytest
from ledger_examples import NOW, POLICY, STOP, full

from exitgate.core.ledger.line import breaker_for, end_for, start_for
from exitgate.core.ledger.runs import (
    EXPIRY,
    Standing,
    decisions_of,
    name_of,
    number_of,
    run_id,
    standing,
    usable,
)
from exitgate.core.model.decision import Decision
from exitgate.core.model.json_object import JsonObject


def ended(exit_class):
    return full("loop#4", 7, Decision("EXIT", exit_class, "x", "x", ""))


def test_the_first_run_is_number_one():
    assert standing("loop", None, NOW) == Standing("loop#1", 1, True, why="there was none")


@pytest.mark.parametrize(
    ("last", "want"),
    [
        (start_for("loop#4", NOW, POLICY), ("loop#4", 1, False)),
        (full("loop#4", 7), ("loop#4", 8, False)),
        (breaker_for("loop#4", 7, NOW, {}, "cooldown"), ("loop#4", 8, False)),
        (ended("wait"), ("loop#4", 8, False)),
        (ended("interrupted"), ("loop#4", 8, False)),
        (ended("complete"), ("loop#5", 1, True)),
        (ended("stuck"), ("loop#5", 1, True)),
        (end_for("loop#4", NOW, "reset", ""), ("loop#5", 1, True)),
        (end_for("loop#4", NOW, "expired", ""), ("loop#5", 1, True)),
    ],
)
def test_what_the_last_line_means(last, want):
    found = standing("loop", last, NOW + 60)
    assert (found.run, found.iteration, found.new) == want
    assert found.expired is None
    assert bool(found.why) == found.new


def test_a_run_expires_a_day_after_its_last_line():
    last = full("loop#4", 7)
    assert standing("loop", last, NOW + EXPIRY).run == "loop#4"
    late = standing("loop", last, NOW + EXPIRY + 1)
    assert (late.run, late.new, late.expired) == ("loop#5", True, "loop#4")


def test_a_run_that_waits_expires_a_day_after_its_retry_time():
    last = JsonObject(ended("wait"), retry_at=NOW + 5 * EXPIRY)
    assert standing("loop", last, NOW + 6 * EXPIRY).run == "loop#4"
    assert standing("loop", last, NOW + 6 * EXPIRY + 1).expired == "loop#4"


def test_an_ended_run_does_not_expire_as_well():
    assert standing("loop", full("loop#4", 7, STOP), NOW + 9 * EXPIRY).expired is None


def test_a_clock_set_back_expires_nothing():
    assert standing("loop", full("loop#4", 7), NOW - 9 * EXPIRY).run == "loop#4"


def test_history_has_one_line_an_iteration():
    again = JsonObject(full(iteration=2), mark="again")
    lines = [start_for("loop#1", NOW, POLICY), full(iteration=1), full(iteration=2), again, full(iteration=3)]
    assert [line["iteration"] for line in decisions_of(lines)] == [1, 2, 3]
    assert decisions_of(lines)[1]["mark"] == "again"


def test_a_look_ahead_does_not_hide_what_the_iteration_did():
    ahead = full(iteration=1, decision=Decision("CONTINUE", None, "x", None, "", stage="before_iteration"))
    after = full(iteration=1)
    for lines in ([after, ahead], [ahead, after], [ahead, after, ahead]):
        assert decisions_of(lines) == (after,)
    assert decisions_of([ahead]) == (ahead,)


@pytest.mark.parametrize(
    ("run", "name", "number"),
    [("a#1", "a", 1), ("a#b#12", "a#b", 12), ("plain", "plain", 1), ("a#x", "a#x", 1), ("#3", "", 3)],
)
def test_ids_of_runs(run, name, number):
    assert (name_of(run), number_of(run)) == (name, number)
    assert name_of(run_id(name, number)) == name


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("loop", True),
        ("a#b", True),
        ("ü 1", True),
        ("", False),
        ("x" * 201, False),
        ("a\nb", False),
        (" a", False),
    ],
)
def test_usable_names(name, good):
    assert usable(name) is good
