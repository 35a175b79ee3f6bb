"""The ledger as a file: whole lines, in order, tied together, private, and safe against trouble."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys

import pytest
from ledger_examples import plain

from exitgate.core.ledger import append as append_module
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.file import hash_of
from exitgate.core.ledger.read import Damage, lines
from exitgate.core.ledger.verify import verify
from exitgate.core.model.diagnostic import ExitgateError


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "deep" / "state")


def fill(state, count, run="loop#1"):
    with Ledger(state) as ledger:
        for number in range(1, count + 1):
            ledger.append(plain(run, number))


def raw(state):
    with open(os.path.join(state, "ledger.jsonl"), "rb") as file:
        return file.read()


def overwrite(state, content):
    with open(os.path.join(state, "ledger.jsonl"), "wb") as file:
        file.write(content)


def test_a_new_state_directory_is_private(state):
    fill(state, 1)
    assert stat.S_IMODE(os.stat(state).st_mode) == 0o700
    for name in ("ledger.jsonl", "ledger.lock"):
        assert stat.S_IMODE(os.stat(os.path.join(state, name)).st_mode) == 0o600


def test_lines_are_numbered_and_tied_to_the_bytes_before(state):
    fill(state, 3)
    written = raw(state).splitlines()
    parsed = [json.loads(line) for line in written]
    assert [line["sequence"] for line in parsed] == [1, 2, 3]
    assert [line["prev"] for line in parsed] == ["", hash_of(written[0]), hash_of(written[1])]
    assert [line["run_prev"] for line in parsed] == [None, 0, len(written[0]) + 1]
    assert list(lines(state)) == parsed
    assert verify(state).whole
    assert verify(state).lines == 3


def test_append_returns_what_it_wrote(state):
    with Ledger(state) as ledger:
        returned = ledger.append(plain("loop#1", 1, facts={"a": {"v": "\ud800 é"}}))
    assert json.loads(raw(state)) == returned


def test_each_damage_is_found(state):
    fill(state, 4)
    first, second, third, fourth = raw(state).splitlines(keepends=True)

    overwrite(state, first + second.replace(b'"iteration":2', b'"iteration":7') + third + fourth)
    assert [(d.number, d.reason) for d in verify(state).damages] == [
        (3, "the line before it was changed, removed or inserted")
    ]
    overwrite(state, first + third + fourth)
    assert {d.number for d in verify(state).damages} == {2, 3}
    overwrite(state, first + b"\0" * 20 + b"\n" + third)
    assert (2, "it is damaged") in [(d.number, d.reason) for d in verify(state).damages]
    overwrite(state, first + second[:30])
    assert verify(state).damages == (Damage(2, len(first), "it is unfinished"),)


def test_reading_skips_damaged_lines_and_tells_them(state):
    fill(state, 3)
    first, second, third = raw(state).splitlines(keepends=True)
    overwrite(state, first + second[:-5] + b"\n" + third + b'{"torn')
    damages = []
    assert [line["sequence"] for line in lines(state, damages)] == [1, 3]
    assert [(d.number, d.reason) for d in damages] == [(2, "it is damaged"), (4, "it is unfinished")]
    assert raw(state).endswith(b'{"torn'), "reading must not mend"


def test_a_torn_last_line_is_set_aside_and_told(state):
    fill(state, 2)
    whole = raw(state)
    for number, torn in enumerate((b'{"sequence": 3, "ru', b"\0\0\0"), 1):
        overwrite(state, whole + torn)
        with Ledger(state) as ledger:
            assert f"ledger.torn-{number}" in ledger.notes[0]
            assert [line["iteration"] for line in ledger.tail("loop#1", 9)] == [1, 2]
        assert raw(state) == whole
        with open(os.path.join(state, f"ledger.torn-{number}"), "rb") as file:
            assert file.read() == torn
    fill(state, 1)
    assert verify(state).whole


def test_the_ledger_goes_on_behind_a_damaged_line(state):
    fill(state, 2)
    first, _ = raw(state).splitlines(keepends=True)
    overwrite(state, first + b"not json\n")
    with Ledger(state) as ledger:
        line = ledger.append(plain("loop#1", 3))
    assert line["sequence"] == 2
    assert line["prev"] == hash_of(b"not json")
    assert [d.number for d in verify(state).damages] == [2]


def expect(code, exit_code, state, wait=10.0):
    with pytest.raises(ExitgateError) as caught, Ledger(state, wait) as ledger:
        ledger.append(plain())
    assert caught.value.exit_code == exit_code
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert caught.value.diagnostics[0].help


def test_a_lock_that_does_not_come_free_is_75(state):
    with Ledger(state):
        expect("EP830", 75, state, wait=0.05)
    fill(state, 1)


def test_places_that_cannot_hold_a_ledger_are_73(tmp_path, state):
    file = tmp_path / "file"
    file.write_text("x")
    expect("EP831", 73, str(file))
    expect("EP831", 73, str(file / "below"))
    os.makedirs(os.path.join(state, "ledger.jsonl"))
    expect("EP831", 73, state)


@pytest.mark.parametrize("kind", ["fifo", "link", "loop"])
def test_a_ledger_that_is_no_regular_file_is_73_and_never_hangs(tmp_path, kind):
    path = tmp_path / "ledger.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("ledger.jsonl" if kind == "loop" else tmp_path / "elsewhere")
    expect("EP831", 73, str(tmp_path))
    assert not (tmp_path / "elsewhere").exists()


def test_a_ledger_of_a_newer_version_is_refused(state):
    fill(state, 1)
    overwrite(state, raw(state).replace(b'"format":1', b'"format":2'))
    before = raw(state)
    expect("EP833", 74, state)
    assert raw(state) == before


def test_no_part_of_a_line_stays_when_the_write_is_short(state, monkeypatch):
    fill(state, 1)
    before = raw(state)
    real = os.write
    monkeypatch.setattr(append_module.os, "write", lambda fd, data: real(fd, data[:10]))
    expect("EP831", 73, state)
    assert raw(state) == before


def test_no_part_of_a_line_stays_when_the_disk_fails(state, monkeypatch):
    fill(state, 1)
    before = raw(state)

    def fails(_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(append_module.os, "fsync", fails)
    expect("EP831", 73, state)
    assert raw(state) == before


def test_a_full_disk_leaves_no_partial_line(state):
    """A limit on file size stands for the disk: the kernel writes what fits and no more."""
    fill(state, 1)
    before = raw(state)
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 40}, resource.RLIM_INFINITY))\n"
        "from exitgate.core.ledger.append import Ledger\n"
        "from exitgate.core.model.diagnostic import ExitgateError\n"
        "try:\n"
        "    with Ledger(sys.argv[1]) as ledger:\n"
        "        ledger.append({'run': 'loop#1', 'kind': 'decision', 'time': 1.0, 'x': 'y' * 500})\n"
        "except ExitgateError as error:\n"
        "    sys.exit(error.exit_code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, state], check=False)
    assert done.returncode == 73
    assert raw(state) == before
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != len(before) + 40
