"""Where the newest line of a name is: the same with an index, without, and in ledgers of earlier versions."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ledger_examples import plain

from exitgate.core.gate.check import check
from exitgate.core.ledger import append, file, names, read
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.file import path_in
from exitgate.core.ledger.head import VARIABLE
from exitgate.core.ledger.past import Past
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.verify import verify
from exitgate.core.model.json_object import JsonObject
from exitgate.core.state.request import Request
from exitgate.core.system.digest import blake2b
from exitgate.recordings.ledger.replay import replay

NAMES = ("a", "ab", "b", 'b",c', "b#2", "ü\\")
#: So small that some lines are beyond it.
STEP = 600


WRITTEN_NOW = Ledger._complete


def with_links(self, line):
    """Return a line as earlier versions wrote it: with the offsets of the newest lines of other names."""
    complete = WRITTEN_NOW(self, line)
    own, links = bits(name_of(complete["run"])), [None] * 64
    with Past(self.directory) as past:
        for at, one in reversed(list(past.newest_first())):
            depth = 64 - (own ^ bits(name_of(one["run"]))).bit_length()
            if depth < 64:
                links[depth] = at
    while links and links[-1] is None:
        links.pop()
    return JsonObject(complete, links=links)


def bits(name):
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")


@contextmanager
def with_heads(root):
    """Keep an index of names below `root`, made anew by every few lines; the end is read in small pieces."""
    pieces = ((read, "STEP", STEP), (append, "STEP", STEP), (file, "FIRST", 100))
    with patch.dict(os.environ, {VARIABLE: str(root / "heads")}), ExitStack() as stack:
        for module, name, size in pieces:
            stack.enter_context(patch.object(module, name, size))
        yield


def form(earlier):
    return patch.object(Ledger, "_complete", with_links if earlier else WRITTEN_NOW)


def found(state, runs):
    """What is found from the end for each run, and each name, of some."""
    with Past(state) as past:
        back = {run: [line for _, line in past.newest_first(run)] for run in runs}
    return {
        run: (read.last(state, name_of(run)), read.tail(state, run, 3), read.recent(state, name_of(run), 4))
        for run in runs
    }, back


def scanned(state, runs):
    """The same by reading every line."""
    whole = list(read.lines(state))

    def called(run):
        return [line for line in whole if name_of(line["run"]) == name_of(run)]

    def own(run):
        return [line for line in whole if line["run"] == run]

    return {
        run: ((called(run) or [None])[-1], tuple(own(run)[-3:]), tuple(called(run)[-4:])) for run in runs
    }, {run: [line for line in whole if run in (line["run"], name_of(line["run"]))][::-1] for run in runs}


@settings(max_examples=18, deadline=None)
@given(
    writing=st.lists(
        st.tuples(st.booleans(), st.lists(st.sampled_from(NAMES), min_size=1, max_size=6)), max_size=5
    )
)
def test_names_are_found_as_a_full_reading_finds_them(tmp_path_factory, writing):
    root = tmp_path_factory.mktemp("root")
    state, runs = str(root / "state"), [f"{name}#1" for name in (*NAMES, "never")]
    with with_heads(root):
        for earlier, chunk in writing:
            with form(earlier), Ledger(state) as ledger:
                for name in chunk:
                    ledger.append(plain(f"{name}#1", 1))
        wanted = scanned(state, runs)
        assert found(state, runs) == wanted
        with patch.dict(os.environ, {VARIABLE: ""}):  # no folder, so no index
            assert found(state, runs) == wanted
        for file in (root / "heads").glob("*.names"):
            file.write_bytes(file.read_bytes()[:-9])
        assert found(state, runs) == wanted
        assert verify(state).whole


@settings(max_examples=18, deadline=None)
@given(
    first=st.lists(st.sampled_from(NAMES), min_size=1, max_size=14),
    broken=st.sets(st.integers(0, 13), max_size=4),
    then=st.lists(st.sampled_from(NAMES), max_size=5),
)
def test_an_index_hides_no_line_and_shows_no_damaged_one(tmp_path_factory, first, broken, then):
    root = tmp_path_factory.mktemp("root")
    state = str(root / "state")
    with with_heads(root):
        for chunk in (first, then):
            with Ledger(state) as ledger:
                for name in chunk:
                    ledger.append(plain(f"{name}#1", 1))
            if chunk is first:
                path = Path(path_in(state))
                raw = path.read_bytes().splitlines(keepends=True)
                for number in broken:
                    raw[number % len(raw)] = b"x" * (len(raw[number % len(raw)]) - 1) + b"\n"
                path.write_bytes(b"".join(raw))
        whole = list(read.lines(state))
        for name in (*NAMES, "never"):
            called = [line for line in whole if name_of(line["run"]) == name]
            assert read.last(state, name) == (called[-1] if called else None)
            with Past(state) as past:
                assert [line for _, line in past.newest_first(name)] == called[::-1]


@pytest.fixture
def heads(tmp_path):
    with with_heads(tmp_path):
        yield tmp_path / "heads"


def test_a_replaced_ledger_has_none_of_the_names_before(heads, tmp_path):
    state = str(tmp_path / "state")
    for run in ("a#1", "b#1"):
        with Ledger(state) as ledger:
            for number in range(20):
                ledger.append(plain(run, number + 1))
    (index,) = heads.glob("*.names")
    with Ledger(state) as ledger:
        assert names.known(state, ledger._file, ledger._end).places.keys() == {"a", "b"}
    path = Path(path_in(state))
    raw = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*raw[:20], *(b"x" * (len(one) - 1) + b"\n" for one in raw[20:])]))
    with Ledger(state) as ledger:
        assert names.known(state, ledger._file, ledger._end) is None
        assert ledger.last("b") is None
    os.unlink(path)
    with Ledger(state) as ledger:
        ledger.append(plain("c#1", 1))
    assert not index.exists()
    assert [read.last(state, name) is None for name in "abc"] == [True, True, False]


def test_checks_and_replays_go_on_in_a_ledger_of_an_earlier_version(heads, tmp_path):
    state = str(tmp_path / "state")
    for number in range(8):
        texts = {"response": f"Working on step {number}.", "plan": "- [x] a\n- [ ] b\n", "task": None}
        with form(number in (0, 1, 2, 5)):
            request = Request(
                policy="bb3", state_dir=state, root=str(tmp_path), run="ab"[number % 2], texts=texts
            )
            check(request)
    whole = list(read.lines(state))
    assert {"links" in line for line in whole} == {True, False}
    assert verify(state).whole
    replayed = list(replay(state))
    assert [one.line.iteration for one in replayed] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert all(one.same for one in replayed)
