"""The newest lines of one run: right, and at a cost that does not grow with the ledger."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_examples import plain

from exitgate.core.ledger import read
from exitgate.core.ledger import read as tail_module
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.verify import verify


def write(state, runs):
    with Ledger(str(state)) as ledger:
        return [ledger.append(plain(run, number)) for number, run in enumerate(runs, 1)]


@settings(max_examples=60, deadline=None)
@given(
    runs=st.lists(
        st.sampled_from(["a", "b", "c#x"]).flatmap(lambda n: st.integers(1, 3).map(lambda i: f"{n}#{i}"))
    ),
    limit=st.integers(0, 6),
)
def test_the_tail_is_what_a_full_reading_would_find(tmp_path_factory, runs, limit):
    newest: dict[str, int] = {}
    ordered = []
    for run in runs:  # numbers of runs only rise
        number = max(int(run.rpartition("#")[2]), newest.get(name_of(run), 1))
        newest[name_of(run)] = number
        ordered.append(f"{name_of(run)}#{number}")
    state = tmp_path_factory.mktemp("state")
    written = write(state, ordered)
    for run in {*ordered, "never#1"}:
        own = [line for line in written if line["run"] == run]
        assert list(read.tail(str(state), run, limit)) == (own[-limit:] if limit else [])
        called = [line for line in written if name_of(line["run"]) == name_of(run)]
        assert read.last(str(state), name_of(run)) == (called[-1] if called else None)
    assert list(read.tail(str(state), None, limit)) == (written[-limit:] if limit else [])
    assert verify(str(state)).whole


def test_without_a_ledger_there_is_nothing(tmp_path):
    assert read.tail(str(tmp_path / "none"), "loop#1", 5) == ()
    assert read.last(str(tmp_path / "none"), "loop") is None
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("others", [50, 800])
def test_lines_of_other_runs_are_not_read(tmp_path, monkeypatch, others):
    write(tmp_path, ["mine#1"] * 5 + ["other#1"] * others)
    asked = []
    real = tail_module.raw_at
    monkeypatch.setattr(tail_module, "raw_at", lambda fd, offset: asked.append(offset) or real(fd, offset))
    assert [line["iteration"] for line in read.tail(str(tmp_path), "mine#1", 3)] == [3, 4, 5]
    assert len(asked) <= 5


def test_each_of_many_names_is_found_in_a_few_steps(tmp_path, monkeypatch):
    names = [f"loop{number}" for number in range(300)]
    write(tmp_path, [f"{name}#1" for name in names])
    asked = []
    real = tail_module.raw_at
    monkeypatch.setattr(tail_module, "raw_at", lambda fd, offset: asked.append(offset) or real(fd, offset))
    for number, name in enumerate(names, 1):
        assert read.last(str(tmp_path), name)["iteration"] == number
        assert read.last(str(tmp_path), f"never{number}") is None
    assert len(asked) <= 600 * 14
    assert verify(str(tmp_path)).whole


def test_a_damaged_line_hides_no_other_name(tmp_path):
    names = [f"loop{number}" for number in range(40)]
    write(tmp_path, [f"{name}#1" for name in names])
    path = tmp_path / "ledger.jsonl"
    raw = path.read_bytes().splitlines(keepends=True)
    for broken in (39, 20, 3):
        bad = [*raw[:broken], b"x" * (len(raw[broken]) - 1) + b"\n", *raw[broken + 1 :]]
        path.write_bytes(b"".join(bad))
        found = [read.last(str(tmp_path), name) for name in names]
        assert [number for number, line in enumerate(found) if line is None] == [broken]
        write(tmp_path, [f"{names[broken]}#1", "one more#1"])
        assert all(read.last(str(tmp_path), name) is not None for name in names)
        found_out = {d.number for d in verify(str(tmp_path)).damages}
        assert found_out == ({broken + 1, broken + 2} if broken < 39 else {40})


def test_a_damaged_line_ends_the_walk_and_is_told(tmp_path):
    write(tmp_path, ["loop#1"] * 4)
    path = tmp_path / "ledger.jsonl"
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"x" * (len(second) - 1) + b"\n" + b"".join(rest))
    with Ledger(str(tmp_path)) as ledger:
        assert [line["iteration"] for line in ledger.tail("loop#1", 9)] == [3, 4]
        assert "damaged" in ledger.notes[0]


@pytest.mark.parametrize("offset", [-1, 10**15, 7, True, "0", 1.5])
def test_an_offset_that_leads_nowhere_harms_nothing(tmp_path, offset):
    write(tmp_path, ["loop#1"] * 2)
    descriptor = os.open(tmp_path / "ledger.jsonl", os.O_RDONLY)
    try:
        assert tail_module.line_at(descriptor, offset, os.fstat(descriptor).st_size) is None
    finally:
        os.close(descriptor)


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=300))
def test_any_bytes_can_be_read_and_written_behind(tmp_path_factory, content):
    state = tmp_path_factory.mktemp("state")
    (state / "ledger.jsonl").write_bytes(content)
    list(read.lines(str(state), []))
    read.tail(str(state), "loop#1", 5)
    verify(str(state))
    with Ledger(str(state)) as ledger:
        ledger.append(plain("loop#1", 1))
    assert [line["iteration"] for line in read.tail(str(state), "loop#1", 5)] == [1]
    whole = content[: content.rfind(b"\n") + 1]
    assert (state / "ledger.jsonl").read_bytes().startswith(whole), "bytes that were there are lost"


@pytest.mark.parametrize("others", [0, 3])
def test_a_damaged_newest_line_of_a_name_is_told(tmp_path, others):
    write(tmp_path, ["loop#1"] * 3)
    path = tmp_path / "ledger.jsonl"
    raw = path.read_bytes()
    hidden = raw.rindex(b"\n", 0, -1) + 1
    write(tmp_path, ["other#1"] * others)
    later = path.read_bytes()[len(raw) :]
    path.write_bytes(raw[:hidden] + b"[" + raw[hidden + 1 :] + later)
    with Ledger(str(tmp_path)) as ledger:
        assert ledger.last("loop")["iteration"] == 2
        assert [f"the line at offset {hidden} is damaged" in note for note in ledger.notes] == [True]
    write(tmp_path, ["loop#1"])
    with Ledger(str(tmp_path)) as ledger:
        assert ledger.last("loop")["iteration"] == 1
        assert ledger.notes == ()


def test_a_ledger_without_one_good_line_is_told(tmp_path):
    (tmp_path / "ledger.jsonl").write_bytes(b"not\na\nledger\n")
    with Ledger(str(tmp_path)) as ledger:
        assert ledger.last("loop") is None
        assert ["none of its lines can be read" in note for note in ledger.notes] == [True]
