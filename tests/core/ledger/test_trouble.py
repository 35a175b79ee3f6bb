"""Disks that are full, folders that are none, lines that cannot be read: told, never passed over."""

from __future__ import annotations

import os
import resource

import pytest
from ledger_examples import NOW, full, plain
from test_killed import forked

from exitgate.core.ledger import read
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.verify import verify
from exitgate.core.model.diagnostic import ExitgateError


def fill(state, count, run="loop#1"):
    with Ledger(state) as ledger:
        for number in range(1, count + 1):
            ledger.append(plain(run, number))


def trouble(work):
    with pytest.raises(ExitgateError) as caught:
        work()
    (found,) = caught.value.diagnostics
    assert found.help
    return found.code, caught.value.exit_code, found.message


def test_a_full_device_is_73_and_nothing_is_acknowledged(tmp_path):
    state = str(tmp_path / "state")
    fill(state, 2)
    with Ledger(state) as ledger:
        device = os.open("/dev/full", os.O_RDWR)
        os.dup2(device, ledger._file)
        os.close(device)
        code, exit_code, message = trouble(lambda: ledger._write(b"x" * 100))
    assert (code, exit_code) == ("EP831", 73)
    assert "no space left" in message
    assert len(list(read.lines(state))) == 2


@pytest.mark.parametrize("room", [0, 1, 60, 4000])
def test_a_limit_on_the_size_of_files_leaves_whole_lines_only(tmp_path, room):
    state = str(tmp_path / "state")
    fill(state, 2)
    before = (tmp_path / "state" / "ledger.jsonl").read_bytes()

    def work(acknowledge):
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + room, resource.RLIM_INFINITY))
        code, exit_code, _ = trouble(lambda: fill(state, 5000))
        assert (code, exit_code) == ("EP831", 73)

    child, reading = forked(work)
    os.close(reading)
    assert os.waitpid(child, 0)[1] == 0
    after = (tmp_path / "state" / "ledger.jsonl").read_bytes()
    assert after.startswith(before)
    assert after.endswith(b"\n")
    assert verify(state).whole
    fill(state, 1)
    assert verify(state).whole


def test_a_torn_line_stays_when_there_is_no_room_to_set_it_aside(tmp_path):
    state = str(tmp_path / "state")
    fill(state, 2)
    path = tmp_path / "state" / "ledger.jsonl"
    torn = path.read_bytes() + b'{"torn'
    path.write_bytes(torn)
    (tmp_path / "state" / "ledger.torn-1").symlink_to("/dev/full")

    def full_disk(acknowledge):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        assert trouble(lambda: fill(state, 1))[:2] == ("EP831", 73)

    child, reading = forked(full_disk)
    os.close(reading)
    assert os.waitpid(child, 0)[1] == 0
    assert path.read_bytes() == torn


@pytest.mark.parametrize("path", ["ledger.lock", "ledger.jsonl"])
def test_a_folder_where_a_file_should_be(tmp_path, path):
    (tmp_path / path).mkdir()
    assert trouble(lambda: fill(str(tmp_path), 1))[:2] == ("EP831", 73)


@pytest.mark.parametrize("state", ["/dev/null", "/dev/null/below", "/proc/version"])
def test_a_place_where_no_folder_can_be(state):
    assert trouble(lambda: fill(state, 1))[:2] == ("EP831", 73)


NEWER = (
    b'{"format":2,"sequence":3,"run":"loop#1","kind":"decision"}',
    b'{"format":7,"who":"knows"}',
    b'{"format":"2.1","sequence":3,"run":"loop#1"}',
)


@pytest.mark.parametrize("newer", NEWER)
@pytest.mark.parametrize("place", [1, 2])
def test_a_line_of_a_newer_version_is_refused_by_all_that_meet_it(tmp_path, newer, place):
    state = str(tmp_path)
    fill(state, 2)
    path = tmp_path / "ledger.jsonl"
    raw = path.read_bytes().splitlines(keepends=True)
    raw.insert(place, newer + b"\n")
    path.write_bytes(b"".join(raw))
    before = path.read_bytes()
    for work in (lambda: list(read.lines(state)), lambda: verify(state), lambda: read.tail(state, None, 9)):
        code, exit_code, message = trouble(work)
        assert (code, exit_code) == ("EP833", 74)
        assert str(path) in message
    if place == 2:
        for work in (
            lambda: fill(state, 1),
            lambda: read.last(state, "loop"),
            lambda: read.recent(state, "loop", 3),
        ):
            assert trouble(work)[:2] == ("EP833", 74)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage", [b"not json", b"\0\0\0\0", b"[1]", b"{}", b'{"format":1,"run":3,"sequence":1}', b""]
)
def test_a_damaged_line_in_the_middle_is_told_and_passed_over(tmp_path, damage):
    state = str(tmp_path)
    fill(state, 4)
    path = tmp_path / "ledger.jsonl"
    raw = path.read_bytes().splitlines(keepends=True)
    raw[1] = damage + b"\n"
    path.write_bytes(b"".join(raw))
    damages = []
    assert [line["iteration"] for line in read.lines(state, damages)] == [1, 3, 4]
    assert [(d.number, d.reason) for d in damages] == [(2, "it is damaged")]
    with Ledger(state) as ledger:
        ledger.append(plain("loop#1", 5))
        assert ledger.last("loop")["iteration"] == 5
        assert [line["iteration"] for line in ledger.tail(None, 9)] == [1, 3, 4, 5]
    assert path.read_bytes().splitlines()[1] == damage


def test_two_runs_in_one_folder_know_nothing_of_each_other(tmp_path):
    state = str(tmp_path)
    with Ledger(state) as ledger:
        for number in range(1, 21):
            ledger.append(full(f"{'ab'[number % 2]}#1", (number + 1) // 2, time=NOW + number))
    for name, odd in (("a", 0), ("b", 1)):
        own = read.tail(state, f"{name}#1", 99)
        assert [line["iteration"] for line in own] == list(range(1, 11))
        assert [line["sequence"] % 2 for line in own] == [odd] * 10
        assert own[-1]["counts"] == {"decisions": 10, "continue": 10, "exit": 0}
    assert verify(state).whole
