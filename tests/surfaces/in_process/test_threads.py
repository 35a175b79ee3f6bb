"""Gates among threads and over a fork: every iteration is counted once, nobody waits for ever."""

from __future__ import annotations

import gc
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import PATIENCE

from exitgate import Gate, Iteration
from exitgate.core.ledger import read
from exitgate.core.ledger.verify import verify
from exitgate.surfaces.in_process import gate as module
from exitgate.surfaces.in_process.gate import queue_at

OPEN = "- [x] a\n- [ ] b\n"
LEDGER = ".ralph/exitgate"
#: Later Pythons warn of what is tested here: a fork while there are threads.
forks = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def iterations(place: Path, run: str) -> list[object]:
    found = read.lines(str(place / LEDGER))
    return [line["iteration"] for line in found if line["kind"] == "decision" and line["run"] == run]


def test_threads_with_runs_of_their_own(place: Path) -> None:
    def loop(name: str) -> list[str]:
        gate = Gate("small.yaml", run=name)
        return [gate.check(Iteration(f"{name} {n}", plan=OPEN)).outcome for n in range(4)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(loop, [f"agent-{n}" for n in range(8)]))
    assert found == [["otherwise", "otherwise", "otherwise", "same"]] * 8
    assert verify(str(place / LEDGER)).whole
    assert iterations(place, "agent-5#1") == [1, 2, 3, 4]


def test_one_gate_among_threads_counts_each_iteration_once(place: Path) -> None:
    gate = Gate("small.yaml")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: gate.check(f"turn {n}"), range(24)))
    assert iterations(place, "default#1") == list(range(1, 25))


@forks
def test_the_child_of_a_fork_does_not_wait_for_threads_that_are_gone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("small.yaml", run="parent", state_dir="parent")
    gate.check("before the fork")
    held, let_go = threading.Event(), threading.Event()

    def keep() -> None:
        with queue_at(str(place / "parent")):
            held.set()
            assert let_go.wait(PATIENCE)

    keeper = threading.Thread(target=keep)
    keeper.start()
    assert held.wait(PATIENCE)
    child = os.fork()
    if child == 0:
        code = 1
        signal.alarm(30)
        try:
            code = 0 if gate.check("in the child").go_on else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    let_go.set()
    keeper.join(PATIENCE)
    assert os.waitstatus_to_exitcode(status) == 0
    assert gate.check("behind it").go_on
    found = [line["iteration"] for line in read.lines(str(place / "parent")) if line["kind"] == "decision"]
    assert found == [1, 2, 3]


@forks
def test_the_child_of_a_fork_leaves_a_temporary_ledger_alone(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    gate.check("one")
    child = os.fork()
    if child == 0:
        try:
            del gate
            gc.collect()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert gate.check("two").go_on
    assert "iteration 2" in gate.explain()


def test_thousands_of_checks_keep_no_more_than_the_last(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The deciding itself is left out: this counts what the gate keeps beside it, for many checks.
    made = Gate("small.yaml", record=False)
    made.check("one")
    checked = made._last
    assert checked is not None
    monkeypatch.setattr(module, "decide", lambda request: checked)
    for n in range(100):
        made.check(f"turn {n}")
    gc.collect()
    before = len(gc.get_objects())
    for n in range(1000):
        made.check(f"turn {n}")
    gc.collect()
    assert len(gc.get_objects()) - before < 50


def test_many_checks_leave_no_file_open_and_hold_on_to_nothing(place: Path) -> None:
    gate = Gate("small.yaml", settings={"budget": 10_000, "same": 900})
    for n in range(10):
        gate.check(Iteration(f"turn {n}", plan=OPEN))
    gc.collect()
    files, objects = len(os.listdir("/dev/fd")), len(gc.get_objects())
    for n in range(10, 30):
        gate.check(Iteration(f"turn {n}", plan=f"- [ ] {n}\n" * n))
    gc.collect()
    assert len(os.listdir("/dev/fd")) == files
    # The records that `same` looks back on belong to the last decision: one a check, and no more.
    assert len(gc.get_objects()) - objects < 20 * 40
