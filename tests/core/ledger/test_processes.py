"""Many processes at once, and processes killed at any instant."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

from ledger_examples import plain

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.read import lines
from exitgate.core.ledger.verify import verify

WRITER = """
import sys
from exitgate.core.ledger.append import Ledger
state, run, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(1, count + 1):
    with Ledger(state, 60) as ledger:
        assert [line["iteration"] for line in ledger.tail(run, 3)] == list(range(max(1, number - 3), number))
        line = {"run": run, "kind": "decision", "time": 1.0, "iteration": number, "pad": "x" * 3000}
        line = ledger.append(line)
    print(line["sequence"], flush=True)
"""


def writer(state, run, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(state), run, str(count)], stdout=subprocess.PIPE, text=True
    )


def test_eight_processes_lose_and_tear_nothing(tmp_path):
    children = [writer(tmp_path, f"loop{number}#1", 15) for number in range(8)]
    acknowledged = [int(word) for child in children for word in child.communicate()[0].split()]
    assert all(child.returncode == 0 for child in children)
    found = list(lines(str(tmp_path)))
    assert sorted(acknowledged) == [line["sequence"] for line in found] == list(range(1, 121))
    assert Counter(line["run"] for line in found) == {f"loop{number}#1": 15 for number in range(8)}
    assert verify(str(tmp_path)).whole


def test_what_was_acknowledged_survives_being_killed(tmp_path):
    state = tmp_path / "state"
    chance = random.Random(4)
    acknowledged: list[int] = []
    for number in range(20):
        child = writer(state, f"loop{number}#1", 10_000)
        assert child.stdout is not None
        seen = [child.stdout.readline()]
        time.sleep(chance.random() * 0.03)
        os.kill(child.pid, signal.SIGKILL)
        seen.extend(child.communicate()[0].splitlines(keepends=True))
        acknowledged.extend(int(line) for line in seen if line.endswith("\n"))
    with Ledger(str(state)) as ledger:
        ledger.append(plain("after#1"))
    kept = {line["sequence"] for line in lines(str(state))}
    assert len(acknowledged) >= 20
    assert set(acknowledged) <= kept
    assert verify(str(state)).whole
