"""The same check asked twice, resets, and clocks that are set back."""

from __future__ import annotations

import math

import pytest
from ledger_examples import NOW, POLICY, STOP, full

from exitgate.core.gate.idempotency import answers_another, repeated_decision, response_of
from exitgate.core.ledger.line import end_for, line_for, start_for
from exitgate.core.ledger.runs import (
    EXPIRY,
    Standing,
    counts_after,
    counts_in,
    elapsed_at,
    has_ended,
    reset_for,
    set_back,
    standing,
)
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject

WAIT = Decision("EXIT", "wait", "x", "x", "")


def on(text, iteration=1, decision=None, turn=None, **more):
    """A line decided on a response."""
    made = Decision("CONTINUE", None, "otherwise", None, "") if decision is None else decision
    line = line_for("loop#1", iteration, NOW + iteration, POLICY, (), made, turn=turn, **more)
    source = line_for("x#1", 1, NOW, POLICY, (), made, sources=[Source("response", text=text)])["sources"]
    return JsonObject({"sequence": 10 + iteration, **line, "sources": source})


def digest(text):
    return response_of(on(text))


def test_the_same_iteration_with_the_same_response_is_the_same_check():
    lines = [on("a", 1), on("b", 2), on("c", 3)]
    for number, text in ((1, "a"), (2, "b"), (3, "c")):
        assert repeated_decision(lines, number, None, digest(text)) is lines[number - 1]
    assert repeated_decision(lines, 4, None, digest("c")) is None
    assert repeated_decision(lines, None, None, digest("c")) is None
    assert repeated_decision([], 1, None, None) is None


def test_another_response_to_the_newest_iteration_changes_nothing_and_is_told():
    lines = [on("a", 1), on("b", 2)]
    assert repeated_decision(lines, 2, None, digest("other")) is lines[1]
    assert "line 12" in answers_another(lines[1], digest("other"))
    assert answers_another(lines[1], digest("b")) == ""


def test_a_loop_that_counts_from_the_start_again_gets_no_old_answers():
    lines = [on("a", 1), on("b", 2), on("c", 3)]
    assert repeated_decision(lines, 1, None, digest("new")) is None
    found = standing("loop", lines[-1], NOW + 60, 1)
    assert found == Standing("loop#2", 1, True, why="loop#1 had already reached iteration 3")


def test_a_check_repeated_after_its_exit_gets_the_same_exit_and_a_new_loop_does_not():
    lines = [on("a", 1), on("done", 2, STOP)]
    assert repeated_decision(lines, 2, None, digest("done")) is lines[1]
    assert repeated_decision(lines, 2, None, digest("next")) is None
    assert repeated_decision(lines, 1, None, digest("next")) is None
    assert repeated_decision([*lines, end_for("loop#1", NOW, "reset", "")], 2, None, digest("done")) is None


def test_a_turn_is_known_by_its_id_alone():
    lines = [on("a", 1, turn="t1"), on("b", 2, STOP, turn="t2")]
    assert repeated_decision(lines, None, "t1", digest("other")) is lines[0]
    assert repeated_decision(lines, 7, "t2", None) is lines[1]
    assert repeated_decision(lines, 1, "t3", digest("a")) is None


def test_the_number_that_the_caller_gives_is_kept():
    assert standing("loop", None, NOW, 5).iteration == 5
    assert standing("loop", full("loop#4", 7), NOW, 12) == Standing("loop#4", 12, False)
    assert standing("loop", full("loop#4", 7, STOP), NOW, 9) == Standing(
        "loop#5", 9, True, why="loop#4 had ended"
    )


def test_a_run_that_waits_goes_on_and_expires_late():
    waiting = JsonObject(full("loop#1", 2, WAIT), retry_at=NOW + 2 * EXPIRY)
    assert not has_ended(waiting)
    assert standing("loop", waiting, NOW + 3 * EXPIRY) == Standing("loop#1", 3, False)
    assert standing("loop", waiting, NOW + 3 * EXPIRY + 1).expired == "loop#1"
    line = line_for("loop#1", 1, NOW, POLICY, (), WAIT, retry_at=NOW + 60)
    assert line["retry_at"] == NOW + 60
    assert "retry_at" not in full()


def test_a_reset_remembers_the_response():
    lines = [on("a", 1), JsonObject(on("b", 2), sources={}), start_for("loop#1", NOW, POLICY)]
    line = reset_for(lines, NOW + 5, "asked for")
    assert (line["kind"], line["run"], line["iteration"], line["reason"]) == (
        "reset",
        "loop#1",
        1,
        "asked for",
    )
    assert response_of(line) == digest("a")
    assert reset_for([line], NOW, "again") is None
    assert reset_for([], NOW, "nothing") is None
    assert reset_for([start_for("loop#1", NOW, POLICY)], NOW, "x")["iteration"] == 0


def test_counts_go_from_line_to_line():
    before = None
    for decision, want in ((None, (1, 1, 0)), (STOP, (2, 1, 1)), (WAIT, (3, 1, 2))):
        line = on("a", 1, decision)
        line["counts"] = counts_after(before, line)
        assert tuple(line["counts"].values()) == want
        before = line
    start = start_for("loop#2", NOW, POLICY)
    assert tuple(counts_after(before, start).values()) == (3, 1, 2)
    assert tuple(counts_after(before, end_for("loop#2", NOW, "expired", "")).values()) == (3, 1, 2)
    assert tuple(counts_after(before, end_for("loop#2", NOW, "reset", "")).values()) == (0, 0, 0)
    assert counts_in(JsonObject({"counts": {"decisions": -4, "continue": True, "exit": "9"}})) == counts_in(
        None
    )


def test_time_never_runs_back_and_never_refills_a_budget():
    instants = (0, 60, 30, -90_000, -89_940, 100)
    want = (0, 60, 60, 60, 120, 90_160)
    line = None
    for instant, elapsed in zip(instants, want, strict=True):
        taken = elapsed_at(line, NOW + instant)
        assert taken == elapsed
        line = JsonObject(time=NOW + instant, totals={"elapsed": taken}, run="loop#1")


@pytest.mark.parametrize("odd", [None, "1", True, math.nan, math.inf, [], -5])
def test_odd_times_give_no_odd_elapsed(odd):
    for line in (
        {"time": odd, "totals": {"elapsed": 7}},
        {"time": NOW, "totals": {"elapsed": odd}},
        {"time": odd},
    ):
        assert 0 <= elapsed_at(JsonObject({"run": "loop#1", **line}), NOW + 3) < math.inf


def test_a_clock_set_back_is_told():
    line = JsonObject(run="loop#1", time=NOW)
    assert (
        set_back(line, NOW + 1)
        == set_back(None, NOW)
        == set_back(JsonObject({"run": "x", "time": "?"}), 0)
        == ""
    )
    assert set_back(line, NOW - 2.5) == "the clock is 2.5s behind the last line of `loop#1`"
    assert set_back(line, NOW - 5400) == "the clock is 1.5h behind the last line of `loop#1`"
