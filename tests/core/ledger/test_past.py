"""What is found from the end of a ledger is what a full reading finds, whatever lines are damaged."""

from __future__ import annotations

import os
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_examples import plain

from exitgate.core.ledger import read
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.runs import name_of

NAMES = ["a", "b", "b#2"]


def damage(state, numbers):
    """Overwrite lines, counted from 0, with what is no line of a ledger; keep every offset."""
    path = os.path.join(state, "ledger.jsonl")
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    for number in numbers:
        lines[number % len(lines)] = b"x" * (len(lines[number % len(lines)]) - 1) + b"\n"
    with open(path, "wb") as file:
        file.write(b"".join(lines))


@settings(max_examples=60, deadline=None)
@given(
    first=st.lists(st.sampled_from(NAMES), min_size=1, max_size=14),
    broken=st.sets(st.integers(0, 13), max_size=4),
    then=st.lists(st.sampled_from(NAMES), max_size=5),
    torn=st.booleans(),
)
def test_what_is_found_from_the_end_is_what_a_full_reading_finds(tmp_path_factory, first, broken, then, torn):
    state = str(tmp_path_factory.mktemp("state"))
    for names in (first, then):
        with Ledger(state) as ledger:
            for name in names:
                ledger.append(plain(f"{name}#{len(first)}", 1))
        if names is first:
            damage(state, broken)
    if torn:
        with open(os.path.join(state, "ledger.jsonl"), "ab") as file:
            file.write(b'{"format":1,"seq')
    damages: list[read.Damage] = []
    whole = list(read.lines(state, damages))
    with Past(state) as ledger:
        assert [line for _, line in ledger.newest_first()] == whole[::-1]
        assert [(d.number, d.offset, d.reason) for d in ledger.damages()] == [
            (d.number, d.offset, d.reason) for d in damages
        ]
        for run in (*NAMES, f"a#{len(first)}", "never"):
            own = [line for line in whole if run in (line["run"], name_of(str(line["run"])))]
            assert [line for _, line in ledger.newest_first(run)] == own[::-1]
        for line in whole:
            # behind a damage a number can come twice: the newest counts
            found = ledger.numbered(line["sequence"])
            assert found is not None
            assert found[1]["sequence"] == line["sequence"]
        assert ledger.numbered(len(whole) + len(damages) + 1) is None


def test_without_a_ledger_there_is_nothing(tmp_path):
    with Past(str(tmp_path / "none")) as ledger:
        assert list(ledger.newest_first()) == list(ledger.newest_first("a")) == ledger.damages() == []
        assert ledger.numbered(1) is None
    assert not (tmp_path / "none").exists()


def test_lines_before_one_are_those_of_its_run(tmp_path):
    with Ledger(str(tmp_path)) as ledger:
        for number, run in enumerate(["a#1", "b#1", "a#1", "a#2", "a#2"], 1):
            ledger.append(plain(run, number))
    with Past(str(tmp_path)) as past:
        offset, line = next(islice(past.newest_first("a"), 1))
        assert [one["iteration"] for one in past.before(line, offset)] == [4]
        assert [one["iteration"] for one in past.name_before(line, offset)] == [4, 3, 1]
