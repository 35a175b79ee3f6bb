"""What a loop does now: it waits, was interrupted, was reset, its breaker is open; and who else runs here."""

from __future__ import annotations

from pathlib import Path

import pytest
from watched_loops import START, Loop, shown

from exitgate.core.gate import breaker_control
from exitgate.core.gate.new_run import reset
from exitgate.core.ledger.typed import LedgerLine, typed
from exitgate.core.state.request import Request
from exitgate.surfaces.watch.run_state import RunState, after_line
from exitgate.surfaces.watch.view import activity, seems_gone
from exitgate.surfaces.watch.watcher import Watcher


def line(number: int, at: float, exit_class: str | None = None, **more: object) -> LedgerLine:
    """A decision as the ledger has it."""
    verdict = "CONTINUE" if exit_class is None else "EXIT"
    decision = {"verdict": verdict, "class": exit_class, "outcome": "some", "firm": True, "warnings": []}
    plain = {
        "format": 1, "sequence": number, "run": "a#1", "kind": "decision", "iteration": number, "time": at,
        "decision": {**decision, **more},
    }  # fmt: skip
    return typed(plain)


def sight(*lines: LedgerLine) -> RunState:
    found = RunState()
    for one in lines:
        found = after_line(found, one)
    return found


def test_a_run_that_waits_says_until_when(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    waiting = sight(line(1, START), line(2, START + 60, "wait", retry_at=START + 3660))
    assert (waiting.ended, waiting.over) == (None, False)
    told = activity(waiting, START + 60).text
    assert told.startswith("continues at ")
    assert told.endswith(", in 1h")
    assert activity(waiting, START + 3700).text.endswith(", now")
    assert not seems_gone(waiting, START + 3660 + 3500)
    assert seems_gone(waiting, START + 3660 + 3700)


def test_a_run_that_waits_for_nobody_knows_how_long() -> None:
    waiting = sight(line(1, START, "wait"))
    assert activity(waiting, START + 7200).text == "suspended 2h ago; the next check continues"
    assert not seems_gone(waiting, START + 1e6)


def test_an_interrupted_run_is_not_over() -> None:
    found = sight(line(1, START, "interrupted"))
    assert (found.ended, found.over) == (None, False)
    assert "suspended" in activity(found, START).text
    assert [cell.exit_class for cell in after_line(found, line(2, START + 9)).cells] == ["interrupted", None]


def test_a_clock_that_was_set_back_makes_nothing_negative() -> None:
    found = sight(line(1, START), line(2, START - 500))
    assert found.pause == 0
    assert activity(found, START - 1000).text == "0s since the last line"


def test_a_decision_made_again_on_an_iteration_is_one_cell() -> None:
    found = sight(line(1, START), line(2, START), typed({**line(3, START, "stuck").plain, "iteration": 2}))
    assert [(cell.iteration, cell.exit_class) for cell in found.cells] == [(1, None), (2, "stuck")]


def test_what_was_asked_before_the_first_iteration_is_a_cell_only_where_it_ends_the_run() -> None:
    early = typed({**line(1, START).plain, "iteration": 0})
    found = sight(early, line(2, START))
    assert [cell.iteration for cell in found.cells] == [2]
    ended = sight(typed({**line(1, START, "exhausted").plain, "iteration": 0}))
    assert [(cell.iteration, cell.exit_class) for cell in ended.cells] == [(0, "exhausted")]


def test_a_long_run_is_kept_in_little_room() -> None:
    found = sight(*(line(n, START + n) for n in range(1, 400)))
    assert len(found.cells) == 256
    assert len(found.earlier) == 256
    assert found.cells[-1].iteration == 399
    text = "".join(sign for sign, _, _ in _strip(found))
    assert text == "→" * 256


def _strip(found: RunState) -> tuple[tuple[str, str, str], ...]:
    from exitgate.surfaces.watch.assessment import NOT_JUDGED
    from exitgate.surfaces.watch.view import view

    return view(found, NOT_JUDGED, START).strip.cells


def test_a_reset_ends_a_run_without_an_exit_and_the_next_is_followed(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = Watcher(loop.state, None)
    watcher.look()
    reset(Request(root=str(tmp_path), time=loop.time + 5), "tried enough")
    assert watcher.look().ended is None
    text = shown(loop.state, loop.time + 65)
    assert "the run was reset" in text
    assert text.startswith("default#1 · bb3 2.1.0 · iteration 1\n")
    loop.step("one again", 1)
    assert [new.run for new in watcher.look().decisions] == ["default#2"]


def test_a_breaker_opened_by_hand_is_seen_at_once(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    assert "OPEN" not in shown(loop.state, loop.time)
    breaker_control.trip(loop.state, "the test machine is down\x1b[2J")
    text = shown(loop.state, loop.time)
    assert "breaker   OPEN · the test machine is down\\x1b[2J" in text
    assert text.startswith("default#1 ")


def test_other_runs_are_listed_with_where_they_stand(tmp_path: Path) -> None:
    day, night = Loop(tmp_path, "bb3", "day"), Loop(tmp_path, "bb3", "night")
    day.step("all done", 6)
    night.time += 30
    night.step("one", 1)
    text = shown(night.state, night.time)
    assert text.startswith("night#1 ")
    assert "others    day#1  iteration 1, EXIT complete, 30s ago" in text


def test_a_run_that_expired_is_one_of_the_others(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    loop.time += 25 * 3600
    loop.step("two", 1)
    text = shown(loop.state, loop.time + 5)
    assert text.startswith("default#2 · bb3 2.1.0 · iteration 1\n")
    assert "others    default#1  expired, 5s ago\n" in text


def test_an_escalation_is_pointed_at(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "loop-detection")
    for _ in range(3):
        loop.step("Trying the same fix again.", 1)
    text = shown(loop.state, loop.time)
    assert "EXIT" in text
    assert "for more, see `exitgate explain`" in text


def test_of_two_limits_on_one_fact_the_nearer_is_shown(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(LIMITS, encoding="utf-8")
    loop = Loop(tmp_path, str(tmp_path / "two.yaml"))
    loop.step("one", 1, cost=3.0)
    text = shown(loop.state, loop.time)
    assert "run.iterations  ███░░░░░░░░░░░░░░░░░  1 of 6\n" in text
    assert "run.cost        ██████░░░░░░░░░░░░░░  3 USD of 10 USD ($most)\n" in text
    assert "day.cost        ███░░░░░░░░░░░░░░░░░  3 USD of 20 USD\n" in text
    assert "run.tokens" not in text, "a limit on what is not known is none"
    assert "clock." not in text, "the time of day is not used up"


LIMITS = """\
policy: two
format: 1
version: 1.0.0
title: Limits of every kind
parameters:
  most: {type: money, currency: USD, default: 10 USD, doc: The most that a run may cost.}
conditions:
  spent: {when: run.cost > $most, doc: Nothing is left.}
rules:
  - {id: many, when: run.iterations >= 40, exit: exhausted, stage: before_iteration}
  - {id: few, when: 6 <= run.iterations, exit: exhausted, stage: before_iteration}
  - {id: cost, when: "@spent", exit: exhausted, stage: before_iteration}
  - {id: tokens, when: run.tokens >= 5000, exit: exhausted, stage: before_iteration}
  - {id: day, when: day.cost > 20 USD, exit: exhausted, stage: before_iteration}
  - {id: late, when: clock.time > 23h59m58s or clock.hour > 23, exit: exhausted, stage: before_iteration}
  - {id: other, when: output.length > 9, exit: exhausted, stage: before_iteration}
otherwise: continue
"""
