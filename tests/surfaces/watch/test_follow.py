"""A ledger read on: only what is new, whatever becomes of the file meanwhile."""

from __future__ import annotations

import json
import os
from pathlib import Path

from watched_loops import Loop

from exitgate.core.ledger.append import Ledger
from exitgate.surfaces.watch import ledger_tail
from exitgate.surfaces.watch.ledger_tail import News, read_on
from exitgate.surfaces.watch.watcher import Update, Watcher


def file_of(loop: Loop) -> Path:
    return Path(loop.state) / "ledger.jsonl"


def watched(loop: Loop, wanted: str | None = None) -> Watcher:
    """A watcher that has taken its first look."""
    watcher = Watcher(loop.state, wanted)
    watcher.look()
    return watcher


def numbers(look: Update) -> list[object]:
    return [line.number for line in look.decisions]


def test_what_was_there_is_not_new_and_what_comes_is_told_once(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = Watcher(loop.state, None)
    assert numbers(watcher.look()) == []
    assert numbers(watcher.look()) == []
    loop.step("two", 2)
    loop.step("three", 3)
    assert numbers(watcher.look()) == [2, 3]
    assert watcher.look() == Update()
    assert [cell.iteration for cell in watcher.sight.cells] == [1, 2, 3]


def test_a_watcher_that_is_there_before_the_ledger(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    watcher = Watcher(loop.state, None)
    assert watcher.look() == Update()
    assert "there is no ledger" in watcher.missing
    loop.step("one", 1)
    assert numbers(watcher.look()) == [1]
    assert watcher.missing == ""


def test_a_line_is_taken_when_it_is_whole(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    loop.step("two", 2)
    raw = file_of(loop).read_bytes()
    half = len(raw) - 700
    file_of(loop).write_bytes(raw[:half])
    watcher = watched(loop)
    assert [cell.iteration for cell in watcher.sight.cells] == [1]
    for end in (half + 100, len(raw) - 1):
        with file_of(loop).open("ab") as file:
            file.write(raw[file.tell() : end])
        assert numbers(watcher.look()) == []
    with file_of(loop).open("ab") as file:
        file.write(raw[-1:])
    look = watcher.look()
    assert (numbers(look), look.troubles) == ([2], ())


def test_a_damaged_line_is_told_and_passed_over(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    size = file_of(loop).stat().st_size
    with file_of(loop).open("ab") as file:
        file.write(b'{"format": 1, "run": "def\xff\n')
    look = watcher.look()
    assert look.decisions == ()
    assert [f"offset {size} " in text and "damaged" in text for text in look.troubles] == [True]
    loop.step("two", 2)
    assert numbers(watcher.look()) == [2]
    assert "damaged" in watcher.shown_troubles()[0]
    for n in range(3, 8):
        loop.step("on it", n, of=40)
    watcher.look()
    assert watcher.shown_troubles() == (), "it is not shown for ever"


def test_lines_of_a_newer_version_are_told(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    last = json.loads(file_of(loop).read_bytes().splitlines()[-1])
    with file_of(loop).open("a") as file:
        file.write(json.dumps({**last, "format": 2, "sequence": 3, "iteration": 2}) + "\n")
    look = watcher.look()
    assert look.decisions == ()
    assert "format 2; this version knows format 1" in look.troubles[0]
    begun, _ = read_on(loop.state, None, None)
    assert begun.lines == ()
    assert "format 2" in begun.troubles[0]


def test_a_ledger_that_is_removed_and_begun_anew(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    loop.step("two", 2)
    watcher = watched(loop)
    file_of(loop).unlink()
    look = watcher.look()
    assert look.decisions == ()
    assert "there is no ledger" in look.troubles[0]
    assert watcher.look() == Update()
    assert watcher.shown_troubles() == (watcher.missing,)
    loop.step("<promise>COMPLETE</promise>", 6)
    look = watcher.look()
    assert (numbers(look), look.ended) == ([1], 10)
    assert watcher.shown_troubles() == ()


def test_a_ledger_that_is_put_in_the_place_of_another(tmp_path: Path) -> None:
    loop, other = Loop(tmp_path / "a", "bb3"), Loop(tmp_path / "b", "bb3")
    for one in (loop, other):
        one.folder.mkdir()
        one.step("one", 1)
    watcher = watched(loop)
    other.step("two", 2)
    os.replace(file_of(other), file_of(loop))
    look = watcher.look()
    assert "was replaced" in look.troubles[0]
    assert numbers(look) == [2], "what is later than all that was seen is new, the rest is not"


def test_a_ledger_that_is_cut_or_written_over(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    for n in range(4):
        loop.step("on it", n)
    raw = file_of(loop).read_bytes()
    watcher = watched(loop)
    cut = raw[: raw.rfind(b"\n", 0, len(raw) - 1) + 1]
    with file_of(loop).open("r+b") as file:
        file.truncate(len(cut))
    assert "was truncated or rewritten" in watcher.look().troubles[0]
    with file_of(loop).open("r+b") as file:
        file.write(cut.replace(b'"prev":"', b'"prev":"0')[: len(cut) - 1] + b"\n" + raw)
    look = watcher.look()
    assert "was truncated or rewritten" in look.troubles[0], "longer than before, and not what was there"
    assert look.decisions == ()


def test_a_copy_put_back_is_not_told_again(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    loop.step("<promise>COMPLETE</promise>", 6)
    assert watcher.look().ended == 10
    copy = file_of(loop).read_bytes()
    file_of(loop).unlink()
    watcher.look()
    file_of(loop).write_bytes(copy)
    assert watcher.look().decisions == ()


def test_what_cannot_be_read_is_told_once(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    file_of(loop).unlink()
    file_of(loop).mkdir()
    assert "it is a directory" in watcher.look().troubles[0]
    assert watcher.look().troubles == ()
    file_of(loop).rmdir()
    file_of(loop).symlink_to(tmp_path / "elsewhere")
    assert watcher.look().troubles != ()


def test_what_could_not_be_read_at_first_is_not_new(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("all done", 6)
    aside = file_of(loop).with_name("aside")
    file_of(loop).rename(aside)
    file_of(loop).mkdir()
    watcher = watched(loop)
    assert "it is a directory" in watcher.missing
    file_of(loop).rmdir()
    aside.rename(file_of(loop))
    look = watcher.look()
    assert (look.decisions, look.ended) == ((), 10)


def test_a_long_stretch_is_read_in_pieces(tmp_path: Path, monkeypatch: object) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    for n in range(2, 6):
        loop.step("more", n)
    told, before = [], ledger_tail.CHUNK
    ledger_tail.CHUNK = 500  # less than a line
    try:
        for _ in range(20):
            told += numbers(watcher.look())
    finally:
        ledger_tail.CHUNK = before
    assert told == [2, 3, 4, 5]
    assert not watcher.more


def test_reading_takes_no_lock_and_changes_nothing(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    before = sorted((path.name, path.stat().st_mtime_ns) for path in Path(loop.state).iterdir())
    with Ledger(loop.state):
        watcher = watched(loop)
        assert watcher.sight.now is not None
    assert sorted((path.name, path.stat().st_mtime_ns) for path in Path(loop.state).iterdir()) == before


def test_the_newest_run_is_followed_and_the_others_are_listed(tmp_path: Path) -> None:
    night, day = Loop(tmp_path, "bb3", "night"), Loop(tmp_path, "bb3", "day")
    night.step("one", 1)
    day.time += 30
    day.step("one", 1)
    watcher = watched(day)
    assert watcher.sight.run == "day#1"
    night.step("two", 2)
    assert watcher.look().decisions == ()
    assert watcher.sight.run == "day#1", "another run that goes on does not take its place"
    assert watcher.sight.others["night#1"].number == 2
    assert watched(day, "night").sight.run == "night#1"
    assert watched(day, "night#1").sight.run == "night#1"
    assert watched(day, "night#2").sight.run is None


def test_a_run_begun_anew_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    loop.step("one", 1)
    watcher = watched(loop)
    loop.step("<promise>COMPLETE</promise>", 6)
    loop.step("once more", 1)
    look = watcher.look()
    assert (numbers(look), look.ended, watcher.more) == ([2], 10, True), "an EXIT ends a look"
    assert watcher.sight.run == "default#1"
    look = watcher.look()
    assert (numbers(look), look.ended) == ([1], None)
    assert watcher.sight.run == "default#2"
    assert [cell.iteration for cell in watcher.sight.cells] == [1]
    assert watcher.sight.others["default#1"].plain["decision"] == {
        "verdict": "EXIT", "class": "complete", "stage": "after_iteration", "outcome": "all_tasks_done",
    }  # fmt: skip
    loop.step("and on", 1)
    assert numbers(watcher.look()) == [2]


def test_the_first_reading_does_not_depend_on_the_length(tmp_path: Path) -> None:
    loop = Loop(tmp_path, "bb3")
    for n in range(12):
        loop.step("on it", n, of=40)
    own, recent = ledger_tail.OWN, ledger_tail.RECENT
    ledger_tail.OWN, ledger_tail.RECENT = 4, 2
    try:
        news, mark = read_on(loop.state, None, None)
    finally:
        ledger_tail.OWN, ledger_tail.RECENT = own, recent
    assert [line.number for line in news.lines] == [9, 10, 11, 12]
    assert mark is not None
    assert mark.offset == file_of(loop).stat().st_size
    assert read_on(loop.state, mark, None) == (News(), mark)
