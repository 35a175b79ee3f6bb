"""Killed at any instant: what was acknowledged is there, once, in order."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback

import pytest
from cases import EVERY
from ledger_examples import NOW

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.read import lines
from exitgate.core.ledger.runs import standing
from exitgate.core.ledger.verify import verify

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
KILLS = 200 if EVERY else 60


def decide(state, pad):
    """One check: read the tail under the lock, append the next iteration, return its number."""
    with Ledger(state, 30) as ledger:
        where = standing("loop", ledger.last("loop"), NOW)
        assert [line["iteration"] for line in ledger.tail(where.run, 2)] == [
            n for n in (where.iteration - 2, where.iteration - 1) if n > 0
        ]
        ledger.append(
            {
                "run": where.run,
                "kind": "decision",
                "time": NOW,
                "iteration": where.iteration,
                "decision": {"verdict": "CONTINUE"},
                "pad": "x" * pad,
            }
        )
    return where.iteration


def forked(work):
    """Run `work(write)` in a child; return its id and the end of the pipe where acknowledgements arrive."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    code = 1
    try:
        os.close(reading)
        work(lambda number: os.write(writing, b"%d\n" % number))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def drained(reading, first=b""):
    with os.fdopen(reading, "rb") as pipe:
        raw = first + pipe.read()
        return [int(word) for word in raw.splitlines(keepends=True) if word.endswith(b"\n")]


def forever(state, pad):
    def work(acknowledge):
        while True:
            acknowledge(decide(state, pad))

    return work


def test_killed_again_and_again_while_checking_in_a_loop(tmp_path):
    state = str(tmp_path / "state")
    chance = random.Random(11)
    acknowledged, killed_early, torn = [], 0, 0
    for _ in range(KILLS):
        child, reading = forked(forever(state, chance.choice((10, 3000, 40_000))))
        # So many are acknowledged first; then it is killed at an instant that nobody knows.
        first = [os.read(reading, 1) for _ in range(chance.choice((0, 0, 1, 3)))]
        time.sleep(chance.random() * 0.005)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen = drained(reading, b"".join(first))
        killed_early += not seen
        acknowledged += seen
    with Ledger(state) as ledger:
        torn += bool(ledger.notes)
    found = list(lines(state))
    assert [line["iteration"] for line in found] == list(range(1, len(found) + 1)), "lost or doubled"
    assert [line["counts"]["decisions"] for line in found] == list(range(1, len(found) + 1))
    assert acknowledged == sorted(set(acknowledged)), "acknowledged twice"
    assert set(acknowledged) <= {line["iteration"] for line in found}
    # A line that is on the disk may not have been acknowledged: one a kill at most.
    assert len(found) - len(acknowledged) <= KILLS
    assert len(acknowledged) >= KILLS // 4
    assert killed_early < KILLS
    assert verify(state).whole


def test_eight_processes_on_one_loop_make_every_decision_once(tmp_path):
    state = str(tmp_path / "state")

    def work(acknowledge):
        for _ in range(12):
            acknowledge(decide(state, 2000))

    children = [forked(work) for _ in range(8)]
    acknowledged = [drained(reading) for _, reading in children]
    assert [os.waitpid(child, 0)[1] for child, _ in children] == [0] * 8
    assert sorted(number for seen in acknowledged for number in seen) == list(range(1, 97))
    assert all(seen == sorted(seen) for seen in acknowledged)
    found = list(lines(state))
    assert [line["iteration"] for line in found] == list(range(1, 97))
    assert {line["run"] for line in found} == {"loop#1"}
    assert verify(state).whole


@pytest.mark.parametrize("torn", [1, 2, 17, 100])
def test_a_line_cut_anywhere_is_set_aside_and_the_loop_goes_on(tmp_path, torn):
    state = str(tmp_path)
    for _ in range(3):
        decide(state, 50)
    path = tmp_path / "ledger.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-torn])
    assert decide(state, 50) == 3
    assert [line["iteration"] for line in lines(state)] == [1, 2, 3]
    assert verify(state).whole
    last = whole.splitlines(keepends=True)[-1]
    assert (tmp_path / "ledger.torn-1").read_bytes() == last[:-torn]
