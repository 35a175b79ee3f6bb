"""A ledger of a million lines costs a check what one of fifty does, counted in bytes read."""

from __future__ import annotations

import os

import pytest
from cases import EVERY
from ledger_examples import plain

from exitgate.ledger import file as file_module
from exitgate.ledger.append import Ledger
from exitgate.ledger.names import name_of
from exitgate.ledger.verify import verify

RUNS = ("day#1", "night#1")
PAD = "x" * 40


def write(state, count):
    """Write a ledger of `count` lines of two runs as `Ledger` would, but for its speed."""
    with Ledger(state) as ledger:
        first = [ledger.append(plain(run, 1)) for run in RUNS]
    path = os.path.join(state, "ledger.jsonl")
    places, offset = [0, 0], os.path.getsize(path)
    with open(path, "rb") as file:
        before = file.read().splitlines()
    places[1] = len(before[0]) + 1
    prev = file_module.hash_of(before[1])
    hash_of = file_module.hash_of
    depth = len(first[1]["links"]) - 1  # the bits that the two names share
    nothing = "null," * depth
    with open(path, "ab", buffering=1 << 20) as file:
        for sequence in range(3, count + 1):
            which = (sequence + 1) % 2
            number = (sequence + 1) // 2
            raw = (
                f'{{"format":1,"sequence":{sequence},"run":"{RUNS[which]}","kind":"decision",'
                f'"time":{sequence}.0,"iteration":{number},"counts":{{"decisions":0,"continue":0,"exit":0}},'
                f'"prev":"{prev}","run_prev":{places[which]},"name_prev":null,'
                f'"links":[{nothing}{places[1 - which]}],"pad":"{PAD}"}}'
            ).encode()
            file.write(raw + b"\n")
            places[which] = offset
            offset += len(raw) + 1
            prev = hash_of(raw)


@pytest.fixture
def reads(monkeypatch):
    """Bytes of each reading, as they happen."""
    sizes = []
    real = os.pread

    def counted(*asked):
        found = real(*asked)
        sizes.append(len(found))
        return found

    monkeypatch.setattr(os, "pread", counted)
    return sizes


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
    return [check(state, reads, name) for name in ("day", "day", "night", "never")]


def test_the_way_it_is_written_here_is_how_the_ledger_writes(tmp_path):
    state = str(tmp_path)
    write(state, 60)
    with Ledger(state) as ledger:
        assert {name_of(str(line["run"])) for line in ledger.tail(None, 5)} == {"day", "night"}
        ledger.append(plain("day#1", 31))
    assert verify(state).whole


#: The suite writes a fifth of the million; a search that reads a part of it is found as surely.
MANY = 1_000_000 if EVERY else 200_000


def test_a_million_lines_cost_what_fifty_do(tmp_path, reads):
    for name, count in (("small", 50), ("large", MANY)):
        os.mkdir(tmp_path / name)
        write(str(tmp_path / name), count)
    small, large = costs(str(tmp_path / "small"), reads), costs(str(tmp_path / "large"), reads)
    os.unlink(tmp_path / "large" / "ledger.jsonl")
    for (few, little), (many, much) in zip(small, large, strict=True):
        assert many <= few + 4
        assert much <= 2 * little + 65_536
