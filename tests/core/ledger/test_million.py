"""A million lines cost a check, and looking back, what fifty do, counted in bytes read."""

from __future__ import annotations

import os
from itertools import islice

import pytest
from cases import EVERY
from ledger_examples import plain

from exitgate.cli.commands.state import since_reset
from exitgate.core.gate.check import check as check_once
from exitgate.core.ledger import file as file_module
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.head import VARIABLE
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.read import STEP
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.verify import verify
from exitgate.core.state.request import Request
from exitgate.core.system import portable
from exitgate.recordings.ledger.recall import recall
from exitgate.recordings.ledger.replay import replay

RUNS = ("day#1", "night#1")
PAD = "x" * 40


def write(state, count):
    """Write a ledger of `count` lines of two runs as `Ledger` would, but for its speed."""
    with Ledger(state) as ledger:
        for run in RUNS:
            ledger.append(plain(run, 1))
    path = os.path.join(state, "ledger.jsonl")
    places, offset = [0, 0], os.path.getsize(path)
    with open(path, "rb") as file:
        before = file.read().splitlines()
    places[1] = len(before[0]) + 1
    prev = file_module.hash_of(before[1])
    hash_of = file_module.hash_of
    with open(path, "ab", buffering=1 << 20) as file:
        for sequence in range(3, count + 1):
            which = (sequence + 1) % 2
            number = (sequence + 1) // 2
            raw = (
                f'{{"format":1,"sequence":{sequence},"run":"{RUNS[which]}","kind":"decision",'
                f'"time":{sequence}.0,"iteration":{number},"counts":{{"decisions":0,"continue":0,"exit":0}},'
                f'"prev":"{prev}","run_prev":{places[which]},"name_prev":null,'
                f'"pad":"{PAD}"}}'
            ).encode()
            file.write(raw + b"\n")
            places[which] = offset
            offset += len(raw) + 1
            prev = hash_of(raw)


@pytest.fixture
def reads(monkeypatch):
    """Bytes of each reading, as they happen."""
    sizes = []
    for module, name in ((portable, "pread"), (os, "read")):
        monkeypatch.setattr(module, name, counting(getattr(module, name), sizes))
    return sizes


def counting(real, sizes):
    def counted(*asked):
        found = real(*asked)
        sizes.append(len(found))
        return found

    return counted


def check(state, reads, name):
    """What a check does with the ledger; return how often it read and how many bytes."""
    reads.clear()
    with Ledger(state) as ledger:
        last = ledger.last(name)
        own = ledger.tail(f"{name}#1", 10)
        ledger.append(plain(f"{name}#1", 1 if last is None else last["iteration"] + 1))
    assert len(own) == (10 if last is not None else 0)
    return len(reads), sum(reads)


def costs(state, reads):
    """Return the same of checks of a run that is written, of one that paused, and of two new ones."""
    return [check(state, reads, name) for name in ("day", "day", "night", "never", "other")]


def test_the_way_it_is_written_here_is_how_the_ledger_writes(tmp_path):
    state = str(tmp_path)
    write(state, 60)
    with Ledger(state) as ledger:
        assert {name_of(str(line["run"])) for line in ledger.tail(None, 5)} == {"day", "night"}
        ledger.append(plain("day#1", 31))
    assert verify(state).whole


#: The suite writes a fifth of the million; a search that reads a part of it is found as surely.
MANY = 1_000_000 if EVERY else 200_000


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    """State directories with a ledger of fifty lines and one of many, and a folder for their heads."""
    root = tmp_path_factory.mktemp("states")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(root / "heads"))
        yield from written(root)


def written(root):
    for name, count in (("small", 50), ("large", MANY)):
        os.mkdir(root / name)
        write(str(root / name), count)
        with Ledger(str(root / name)) as ledger:  # a line as long as a step: the index of names is written
            ledger.append(plain("day#1", count // 2 + 1, pad="x" * STEP))
    yield root
    os.unlink(root / "large" / "ledger.jsonl")


def test_a_million_lines_cost_what_fifty_do(states, reads):
    small, large = costs(str(states / "small"), reads), costs(str(states / "large"), reads)
    for (few, little), (many, much) in zip(small, large, strict=True):
        assert few > 0
        assert many <= few + 16
        assert much <= 2 * little + 6 * STEP


def last_check(state):
    """Return the number of a real decision's line, after another one and before one of another run."""
    texts = {"response": "Working on it.", "plan": "- [x] a\n- [ ] b\n", "task": None}
    for run in ("mine", "mine", "day"):
        check_once(Request(policy="bb3", state_dir=state, root=state, run=run, texts=texts))
    return newest(state, "mine", 1)[0][1]["sequence"]


def looking_back(state, reads, number):
    """Return how many bytes are read by what looks back."""
    looks = {
        "history": lambda: newest(state, None, 20),
        "history of a run": lambda: newest(state, "night", 20),
        "state": lambda: since_reset(state, None),
        "state of a run": lambda: since_reset(state, "mine"),
        "explain": lambda: recall(state),
        "explain a number": lambda: recall(state, number),
        "explain a run": lambda: recall(state, name="mine"),
        "replay": lambda: list(replay(state, newest=1)),
        "replay of a run": lambda: list(replay(state, name="mine", newest=2)),
    }
    found = {}
    for name, look in looks.items():
        reads.clear()
        assert look(), name
        found[name] = sum(reads)
    return found


def newest(state, run, count):
    with Past(state) as ledger:
        return list(islice(ledger.newest_first(run), count))


def test_looking_back_over_a_million_lines_reads_what_it_does_over_fifty(states, reads):
    numbers = {name: last_check(str(states / name)) for name in ("small", "large")}
    small = looking_back(str(states / "small"), reads, numbers["small"])
    large = looking_back(str(states / "large"), reads, numbers["large"])
    for name, count in large.items():
        assert 0 < count <= 2 * small[name] + 524_288, name
