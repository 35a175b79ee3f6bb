"""The head that is kept with the user: an edit of any acknowledged line is found, and nothing else is."""

from __future__ import annotations

import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_examples import plain
from test_killed import decide, drained, forever, forked

from exitgate.core.ledger import head
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.file import path_in
from exitgate.core.ledger.head import VARIABLE, place_of_heads
from exitgate.core.ledger.verify import Verified, verify
from exitgate.core.system import folders
from exitgate.core.system.folders import Refused


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "user/heads"))
    return str(tmp_path / "state")


def add(state: str, count: int = 1, run: str = "loop#1") -> tuple[str, ...]:
    """Append lines, a check each; return what the last one told."""
    notes: tuple[str, ...] = ()
    for number in range(count):
        with Ledger(state) as ledger:
            notes = ledger.notes
            ledger.append(plain(run, number + 1, pad=os.urandom(4).hex()))
    return notes


def raw_of(state: str) -> bytes:
    return Path(path_in(state)).read_bytes()


def put(state: str, raw: bytes) -> None:
    Path(path_in(state)).write_bytes(raw)


def edit_newest(state: str) -> None:
    raw = bytearray(raw_of(state))
    at = raw.rindex(b'"pad":"') + 7
    raw[at] = ord("0") if raw[at] != ord("0") else ord("1")
    put(state, bytes(raw))


def heads_in(state: str) -> list[Path]:
    return sorted((Path(state).parent / "user/heads").iterdir())


def test_a_ledger_is_anchored_by_its_first_check(state: str) -> None:
    assert add(state, 3) == ()
    found = verify(state)
    assert (found.whole, found.anchor.state) == (True, "anchored")
    (one,) = heads_in(state)
    assert (one.stat().st_mode & 0o777, one.parent.stat().st_mode & 0o777) == (0o600, 0o700)


@each("count", [1, 2, 5])
def test_an_edit_of_the_newest_line_is_found_by_verify_and_by_the_next_check(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "heads"))
    state = str(tmp_path / "state")
    add(state, count)
    edit_newest(state)
    assert not verify(state).whole
    told = add(state)
    assert len(told) == 1
    assert f"line {count if count > 1 else 1}: " in told[0]
    # Told once; kept for good.
    assert add(state) == ()
    assert not verify(state).whole


@each("count", [1, 2, 5])
def test_a_cut_is_found(count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "heads"))
    state = str(tmp_path / "state")
    add(state, count + 1)
    lines = raw_of(state).splitlines(keepends=True)
    put(state, b"".join(lines[:-1]))
    (damage,) = verify(state).damages
    assert (damage.number, damage.reason) == (count + 1, "it was acknowledged but is now missing")
    assert "now missing" in add(state)[0]
    assert not verify(state).whole


def test_an_emptied_ledger_and_one_that_is_gone_are_told(state: str) -> None:
    add(state, 3)
    put(state, b"")
    assert not verify(state).whole
    assert "the ledger that was here, of 3 lines, is missing" in add(state)[0]
    assert add(state) == ()
    assert verify(state).whole  # begun anew, and that was told
    shutil.rmtree(state)
    assert "of 2 lines, is missing" in add(state)[0]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10**6), by=st.integers(1, 255), count=st.integers(1, 4))
def test_any_byte_of_any_line_that_is_changed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, by: int, count: int
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "heads"))
    state = str(tmp_path / os.urandom(6).hex())
    add(state, count)
    raw = bytearray(raw_of(state))
    raw[at % len(raw)] ^= by
    put(state, bytes(raw))
    try:
        found: Verified | None = verify(state)
    except Exception as error:
        assert "EP833" in str(getattr(error, "diagnostics", ("",))[0].code)
        return
    assert found is not None
    assert not found.whole


def test_a_ledger_that_is_moved_works_on(state: str, tmp_path: Path) -> None:
    add(state, 2)
    moved = str(tmp_path / "elsewhere")
    os.rename(state, moved)
    assert verify(moved).anchor.state == "moved"
    assert add(moved) == ()
    assert (verify(moved).whole, verify(moved).anchor.state) == (True, "anchored")


def test_an_edit_of_one_that_is_moved_is_found(state: str, tmp_path: Path) -> None:
    add(state, 2)
    moved = str(tmp_path / "elsewhere")
    os.rename(state, moved)
    edit_newest(moved)
    assert not verify(moved).whole
    assert "differs from the acknowledged line" in add(moved)[0]
    assert not verify(moved).whole


def test_two_copies_go_different_ways_and_both_are_sound(state: str, tmp_path: Path) -> None:
    add(state, 2)
    copy = str(tmp_path / "copy")
    shutil.copytree(state, copy)
    assert add(state) == ()
    assert "is a copy of" in add(copy)[0]  # told once
    assert add(state) == add(copy) == ()
    for one in (state, copy):
        assert (verify(one).whole, verify(one).anchor.state) == (True, "anchored")
    # The edit of one is found in it, whatever the other says.
    edit_newest(copy)
    assert (verify(copy).whole, verify(state).whole) == (False, True)


def test_an_old_copy_is_a_fork_not_an_attack(state: str, tmp_path: Path) -> None:
    add(state, 2)
    copy = str(tmp_path / "copy")
    shutil.copytree(state, copy)
    add(state, 2)
    assert (verify(copy).whole, verify(copy).anchor.state) == (True, "forked")
    assert "the two have diverged" in add(copy)[0]
    assert add(copy) == ()
    assert verify(copy).anchor.state == verify(state).anchor.state == "anchored"


def test_one_that_was_put_in_its_place_is_told(state: str, tmp_path: Path) -> None:
    add(state, 2)
    shutil.rmtree(state)
    foreign = str(tmp_path / "foreign")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "")
        add(foreign, 4)
    shutil.copytree(foreign, state)
    found = verify(state)
    assert (found.whole, found.anchor.state, found.anchor.known) == (False, "replaced", False)
    assert "another ledger was here, of 2 lines" in add(state)[0]


def test_without_a_head_it_is_not_anchored_and_not_broken(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(state, 2)
    for value in ("", "relative"):
        monkeypatch.setenv(VARIABLE, value)
        found = verify(state)
        assert (found.whole, found.anchor.state, found.anchor.known) == (True, "not anchored", False)
        assert add(state) == ()


def read_only(heads: Path) -> None:
    shutil.rmtree(heads)
    heads.write_text("in the way")


def of_others(heads: Path) -> None:
    heads.chmod(0o777)


def a_link(heads: Path) -> None:
    shutil.move(heads, heads.parent / "real")
    heads.symlink_to("real")


def nonsense(heads: Path) -> None:
    for one in heads.iterdir():
        one.write_bytes(b'{"format":1,"marks":[[1,2,3]]}')


def a_pipe(heads: Path) -> None:
    for one in list(heads.iterdir()):
        one.unlink()
        os.mkfifo(one)


@each("spoil", [read_only, of_others, a_link, nonsense, a_pipe])
def test_a_folder_of_heads_that_cannot_be_used_never_blocks(
    spoil: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "heads"))
    state = str(tmp_path / "state")
    add(state, 2)
    spoil(tmp_path / "heads")
    assert verify(state).anchor.state == "not anchored"
    assert add(state, 2) == ()
    assert (verify(state).whole, verify(state).lines) == (True, 4)


class Killed(BaseException):
    """The process is ended here."""


STEPS = ("folder", "written", "renamed", "before")


@each("step", STEPS)
def test_killed_between_ledger_and_head(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "heads"))
    state = str(tmp_path / "state")
    add(state, 2)

    def killed(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        replace = os.replace
        ledger = Ledger(state).__enter__()
        if step == "folder":
            patch.setattr(head, "folder_of_heads", killed)
        elif step == "before":
            patch.setattr(folders, "write", killed)
        elif step == "written":
            patch.setattr(os, "replace", killed)
        else:
            patch.setattr(os, "replace", lambda *a, **k: (replace(*a, **k), killed()))
        ledger.append(plain("loop#1", 3, pad="00000000"))
        with pytest.raises(Killed):
            ledger.close()
        os.close(ledger._file)
        os.close(ledger._lock)
    found = verify(state)
    assert (found.whole, found.lines, found.anchor.state) == (True, 3, "anchored")
    assert add(state) == ()
    assert (verify(state).whole, verify(state).lines) == (True, 4)
    edit_newest(state)
    assert not verify(state).whole


def test_a_full_disk_loses_no_decision(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add(state, 1)

    def full(*_: object) -> None:
        raise Refused("no space left")

    monkeypatch.setattr(folders, "write", full)
    assert add(state, 2) == ()
    assert (verify(state).whole, verify(state).lines) == (True, 3)


def test_heads_are_bounded(state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "_HEADS", 8)
    for number in range(30):
        add(str(tmp_path / f"state{number}"))
    assert len(heads_in(state)) <= 10
    assert verify(str(tmp_path / "state29")).anchor.state == "anchored"


def test_where_heads_are(tmp_path: Path) -> None:
    assert place_of_heads({"HOME": "/h"}) == "/h/.local/state/exitgate/heads"
    assert place_of_heads({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == "/s/exitgate/heads"
    for environment in ({}, {VARIABLE: ""}, {VARIABLE: "x"}, {"HOME": "x"}):
        with pytest.raises(Refused):
            place_of_heads(environment)


def test_many_at_once_leave_one_head(state: str) -> None:
    def work(acknowledge: Callable[[int], None]) -> None:
        for _ in range(10):
            acknowledge(decide(state, 10))

    running = [forked(work) for _ in range(4)]
    told = [number for _, reading in running for number in drained(reading)]
    assert [os.waitpid(child, 0)[1] for child, _ in running] == [0] * 4
    assert sorted(told) == list(range(1, 41))
    found = verify(state)
    assert (found.whole, found.lines, found.anchor.state) == (True, 40, "anchored")
    assert len(heads_in(state)) == 1


def test_killed_at_any_instant_what_was_acknowledged_is_anchored(state: str) -> None:
    chance = random.Random(7)
    for _ in range(40):
        child, reading = forked(forever(state, 10))
        first = [os.read(reading, 1) for _ in range(chance.choice((1, 2, 3)))]
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen = drained(reading, b"".join(first))
        found = verify(state)
        assert found.anchor.state == "anchored"
        assert [one for one in found.damages if one.reason != "it is unfinished"] == []
        assert not seen or found.lines >= seen[-1]
    decide(state, 10)
    edit_pad(state)
    assert not verify(state).whole


def edit_pad(state: str) -> None:
    raw = raw_of(state)
    whole = raw[: raw.rindex(b"\n") + 1]
    at = whole.rindex(b'"pad":"') + 7
    put(state, whole[:at] + b"y" + whole[at + 1 :])
