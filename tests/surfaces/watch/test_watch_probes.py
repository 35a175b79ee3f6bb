"""Probes in the view: what they said to the newest decision, and one that a check asks at the moment."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import each
from test_watch_view import same
from watched_loops import START, Loop, shown

from exitgate.core.ledger.typed import typed
from exitgate.core.probes.turn import NAME, Turn, UnderWay
from exitgate.core.system.quick_json import dumps
from exitgate.report.terminal import Style, columns
from exitgate.surfaces.watch.assessment import NOT_JUDGED
from exitgate.surfaces.watch.render import plain, screen
from exitgate.surfaces.watch.run_state import RunState, after_line
from exitgate.surfaces.watch.view import view

ANSWERS: dict[str, object] = {
    "tests": {
        "status": "answered", "passed": False, "exit_status": 2, "total": 9, "failed": 2, "skipped": 0,
        "failing": ["test_shop.test_login", f"test_shop.test_{'a_name_too_long_for_one_line_' * 3}"],
        "seconds": 12.34, "at": START, "why": {"rule": "not_verified", "facts": ["verified.passed"]},
    },
    "lint": {"status": "answered", "passed": True, "exit_status": 0, "seconds": 0.4, "at": 1, "reused": 7},
    "smoke": {
        "status": "answered", "passed": False, "exit_status": 1, "seconds": 3.0, "at": START,
        "evidence": [["output", at, f"line {at}"] for at in range(1, 9)],
    },
    "goal": {"status": "late", "reason": "it took longer than 90 s", "seconds": 90.0, "cost": 0.0123},
}  # fmt: skip


def rests_on(
    answers: object, width: int = 80, height: int | None = None, asked: UnderWay | None = None
) -> str:
    """Return the view of a run whose newest decision rests on these answers."""
    decision = {"verdict": "CONTINUE", "class": None, "outcome": "not_verified", "message": "Not complete"}
    line = {
        "kind": "decision", "run": "default#1", "iteration": 3, "sequence": 9, "time": START,
        "policy": {"name": "recommended", "version": "9.9.9"}, "decision": decision,
        "probes": answers,
    }  # fmt: skip
    sight = after_line(RunState(), typed(line))
    return plain(screen(view(sight, NOT_JUDGED, START + 12, asked=asked), Style(False, width), height))


def test_a_line_for_each_probe_and_below_it_what_failed() -> None:
    same("probes.txt", rests_on(ANSWERS))
    same("probes-narrow.txt", rests_on(ANSWERS, 40))


def test_in_a_low_window_the_rest_is_counted() -> None:
    text = rests_on(ANSWERS, height=7)
    assert "probes    tests  failed     2 of 9 failed, 12.3 s\n" in text
    assert text.endswith(" more\n")


def test_without_an_answer_there_is_no_section() -> None:
    assert "probes" not in rests_on({})
    assert "probes" not in rests_on(None)


def test_answers_that_no_check_wrote_are_shown_within_the_window() -> None:
    hostile = {
        "\x1b[31mred\u202e" * 9: {
            "passed": False, "total": 10**400, "failed": 10**400, "seconds": 10**400, "cost": 1e300,
            "coverage": float("nan"), "reason": "\x1b]0;title\x07" * 500,
            "failing": ["日本\x00\x1b[2J\n" * 99] * 99,
            "evidence": [["\x1b[1m", 10**400, "x"], 7],
        },
        "b": 7, "c": {"passed": "yes", "exit_status": 10**300, "reused": "\x1b"},
    }  # fmt: skip
    for width in (20, 40, 80):
        for line in rests_on(hostile, width).splitlines():
            assert columns(line) <= width
            assert line.isprintable()


@pytest.fixture
def command() -> Iterator[subprocess.Popen[bytes]]:
    """A command that runs, as that of a probe does."""
    wait = [sys.executable, "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(wait, start_new_session=True) as child:
        yield child
        child.kill()


def test_a_probe_that_a_check_asks_now_is_the_pulse(tmp_path: Path, command: subprocess.Popen[bytes]) -> None:
    loop = Loop(tmp_path)
    loop.step("Wrote the reader.", 1)
    turn = Turn(loop.state, 0)
    now = time.time()
    assert "verifying" not in shown(loop.state, now)  # between two probes
    turn.note("tests", 300.0, command.pid, "default#1")
    text = shown(loop.state, time.time() + 12)
    assert "verifying: tests for 12s, 5m at most\n" in text
    assert "the loop seems to have stopped" not in text
    assert "verifying: tests" in shown(loop.state, now, width=24)
    turn.note("tests", 300.0, command.pid, "nightly#1")  # of another run of this state directory
    assert "verifying" not in shown(loop.state, now)
    turn.note("tests", 300.0, command.pid, "default#2")  # the run that takes its place
    assert "verifying: tests" in shown(loop.state, now)
    turn.close()
    assert "verifying" not in shown(loop.state, now)


def test_what_a_killed_check_left_behind_is_not_at_work(
    tmp_path: Path, command: subprocess.Popen[bytes]
) -> None:
    loop = Loop(tmp_path)
    loop.step("Wrote the reader.", 1)
    turn = Turn(loop.state, 0)
    turn.note("tests", 300.0, command.pid, "default#1")
    command.kill()
    command.wait()
    assert "verifying" not in shown(loop.state, loop.time)
    turn.close()


@each(
    "said",
    [
        b"", b"{", b"[" * 4000, b"\xff" * 100, b"7",
        dumps({"probe": "a", "since": 1, "until": 2, "child": 2, "began": "other"}).encode(),
        dumps({"probe": "a", "since": 1, "until": 2, "child": 10**40, "began": "x"}).encode(),
        dumps({"probe": "a", "since": 1, "until": 2, "child": -1, "began": "x"}).encode(),
        dumps({"probe": 3, "since": "x", "until": [], "child": True, "began": {}}).encode(),
    ],
)  # fmt: skip
def test_a_file_that_no_check_wrote_says_nothing(tmp_path: Path, said: bytes) -> None:
    loop = Loop(tmp_path)
    loop.step("Wrote the reader.", 1)
    (Path(loop.state) / NAME).write_bytes(said)
    assert "verifying" not in shown(loop.state, loop.time)


def test_a_name_cannot_leave_the_window() -> None:
    asked = UnderWay("", "\x1b[31m" * 99, START, float("inf"))
    assert "verifying" not in rests_on({}, asked=asked)
    text = rests_on({}, 40, asked=UnderWay("", "\x1b[31m" * 99, START, START + 60))
    assert "verifying" in text
    assert all(columns(line) <= 40 and line.isprintable() for line in text.splitlines())
