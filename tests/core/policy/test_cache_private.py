"""The cache is the user's own: what others could have written is never read, and nothing fails for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from exitgate.core.policy import cache
from exitgate.core.policy.cache import (
    ABSENT,
    FOLDER,
    OTHER,
    Loaded,
    Seen,
    changed,
    identified,
    load,
    recall_policy,
    state_of,
)
from exitgate.core.system import folders, portable
from exitgate.core.system.folders import Refused

ROOT = os.geteuid() == 0
OTHER_USER = 12345


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_code", lambda: ["this code"])  # files may be edited while tests run
    monkeypatch.setattr(cache, "_keep_conditions", lambda: None)  # an entry of its own
    assert not recall_policy("bb3").recalled
    assert recall_policy("bb3").recalled
    return tmp_path


def entry_of(home: Path) -> Path:
    (entry,) = (home / "cache").iterdir()
    return entry


def link_folder(home: Path) -> None:
    (home / "cache").rename(home / "elsewhere")
    (home / "cache").symlink_to(home / "elsewhere")


def replace_by_file(home: Path) -> None:
    (home / "cache").rename(home / "elsewhere")
    (home / "cache").write_text("a file")


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "other users can write the folder": (lambda h: (h / "cache").chmod(0o707), "other users can write"),
    "a group may write the folder": (lambda h: (h / "cache").chmod(0o770), "other users can write"),
    "the folder is a link": (link_folder, "not a real folder"),
    "the folder is a file": (replace_by_file, "not a real folder"),
}
SPOILT_ENTRIES: dict[str, Callable[[Path], object]] = {
    "other users can write it": lambda e: e.chmod(0o666),
    "a link": lambda e: (e.rename(e.parent.parent / "x"), e.symlink_to(e.parent.parent / "x")),
    "a fifo": lambda e: (e.unlink(), os.mkfifo(e)),
    "too large": lambda e: os.truncate(e, 10**8),
}


@pytest.mark.parametrize("case", SPOILT)
def test_a_folder_that_is_not_private_is_not_used(home: Path, case: str) -> None:
    spoil, note = SPOILT[case]
    spoil(home)
    found = recall_policy("bb3")
    assert not found.recalled
    assert found.policy.name == "bb3"
    assert note in found.note
    assert "the cache is not used" in found.note


@pytest.mark.skipif(not ROOT, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_neither_read_nor_written(home: Path) -> None:
    raw = entry_of(home).read_bytes()
    os.chown(home / "cache", OTHER_USER, OTHER_USER)
    found = recall_policy("bb3")
    assert not found.recalled
    assert "belongs to another user" in found.note
    recall_policy("bb3", settings={"min_confidence": "60"})
    assert entry_of(home).read_bytes() == raw


@pytest.mark.skipif(not ROOT, reason="only root can give a file away")
def test_an_entry_of_another_user_is_replaced(home: Path) -> None:
    entry = entry_of(home)
    os.chown(entry, OTHER_USER, OTHER_USER)
    assert not recall_policy("bb3").recalled
    assert entry.stat().st_uid == os.geteuid()
    assert recall_policy("bb3").recalled


@pytest.mark.parametrize("case", SPOILT_ENTRIES)
def test_an_entry_that_is_not_private_is_replaced(home: Path, case: str) -> None:
    entry = entry_of(home)
    SPOILT_ENTRIES[case](entry)
    assert not recall_policy("bb3").recalled
    assert not entry.is_symlink()
    assert entry.stat().st_mode & 0o777 == 0o600
    assert recall_policy("bb3").recalled


def test_folder_and_entries_are_private_whatever_the_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "a" / "b"))
    before = os.umask(0)
    try:
        recall_policy("bb3")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    assert {e.stat().st_mode & 0o777 for e in (tmp_path / "a" / "b").iterdir()} == {0o600}


def test_a_folder_that_cannot_be_made_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = recall_policy("bb3")
    assert not found.recalled
    assert "not kept" in found.note


def test_where_the_folder_is() -> None:
    assert folders.place({"HOME": "/h"}) == "/h/.cache/exitgate"
    assert folders.place({"HOME": "/h", "XDG_CACHE_HOME": "/x"}) == "/x/exitgate"
    assert folders.place({"HOME": "/h", "XDG_CACHE_HOME": "x"}) == "/h/.cache/exitgate"
    assert folders.place({"HOME": "/h", "EXITGATE_CACHE_DIR": "/e"}) == "/e"
    for environment in (
        {},
        {"HOME": "h"},
        {"HOME": "/h", "EXITGATE_CACHE_DIR": ""},
        {"EXITGATE_CACHE_DIR": "e"},
    ):
        with pytest.raises(Refused):
            folders.place(environment)


def test_states_of_paths(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "circle").symlink_to("circle")
    found = [state_of(str(tmp_path / n)) for n in ("nothing", ".", "fifo", "circle", "file/x", "\0")]
    assert found == [ABSENT, FOLDER, OTHER, OTHER, ABSENT, OTHER]
    state = state_of(str(tmp_path / "file"))
    assert changed([(str(tmp_path / "file"), state, [])]) == ""
    (tmp_path / "file").write_text("y")
    assert changed([(str(tmp_path / "file"), state, [])]) == str(tmp_path / "file")


@pytest.mark.skipif(portable.WINDOWS, reason="nothing tells there whether a file changed")
def test_a_file_that_was_left_alone_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content of the same length under the same time of writing is noticed all the same."""
    file = tmp_path / "file"
    file.write_text("one")
    path, state = str(file), state_of(str(file))
    assert identified([(path, state, [])], file.stat().st_ctime_ns + 1) is None  # it was written just now
    monkeypatch.setattr(portable, "_SETTLED", 0)
    other = tmp_path / "other"
    while not other.exists() or other.stat().st_ctime_ns <= file.stat().st_ctime_ns:
        other.write_text("the clock of the file system goes on")
    found = identified(
        [(path, state, []), (str(tmp_path / "none"), ABSENT, [])], other.stat().st_ctime_ns + 1
    )
    assert found is not None
    known = [(str(one[0]), str(one[1]), one[2]) for one in found]
    assert known[1] == (str(tmp_path / "none"), ABSENT, [])
    with monkeypatch.context() as patch:
        patch.setattr(
            "exitgate.core.policy.cache.state_of", lambda path: ABSENT if "none" in path else "read"
        )
        assert changed(known) == ""
    assert identified(known, file.stat().st_ctime_ns + 1) is None
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    file.write_text("two")
    os.utime(file, ns=times)
    assert changed(known) == path
    file.write_text("one")
    assert changed(known) == ""  # read again, and the same


def test_what_changes_while_it_is_compiled_is_not_kept(home: Path, tmp_path: Path) -> None:
    policy = recall_policy("bb3").policy
    file = tmp_path / "read.yaml"

    def twice(seen: Seen) -> object:
        seen.read(str(file), b"one")
        seen.read(str(file), b"two")
        return policy

    def unreadable(seen: Seen) -> object:
        seen.looked(str(tmp_path / "circle"))
        return policy

    (tmp_path / "circle").symlink_to("circle")
    for make in (twice, unreadable):
        for _ in range(2):
            found: Loaded = load([make.__name__], make)  # type: ignore[arg-type]
            assert not found.recalled
            assert "not kept" in found.note


def test_a_failure_is_never_kept(home: Path) -> None:
    def fail(seen: Seen) -> object:
        raise ValueError("broken")

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            load(["fails"], fail)  # type: ignore[arg-type]
    assert len(list((home / "cache").iterdir())) == 1
