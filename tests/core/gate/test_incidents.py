"""Incidents: what could not be told to anybody is kept, wherever there is room, and is found again."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path

import pytest

from exitgate.core.state import incidents as module
from exitgate.core.state.incidents import KINDS, incidents, note


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


def test_what_is_kept_is_found(state: Path) -> None:
    assert note(str(state), "killed", "ended", host="codex", session="s")
    assert note(str(state), "capped", "let go", count=3)
    first, second = incidents(str(state))
    assert (first["kind"], first["message"], first["host"], first["session"]) == (
        "killed",
        "ended",
        "codex",
        "s",
    )
    assert (second["kind"], second["count"]) == ("capped", 3)
    assert (state / "incidents.jsonl").stat().st_mode & 0o777 == 0o600


def test_every_kind_is_told_to_people() -> None:
    assert all(meaning.strip() for meaning in KINDS.values())


def test_where_the_state_directory_cannot_be_written_it_is_kept_beside(state: Path) -> None:
    blocked = state / "file" / "below"
    (state / "file").write_text("in the way")
    assert note(str(blocked), "telemetry", "nobody listens")
    assert [one["message"] for one in incidents(str(blocked))] == ["nobody listens"]
    assert incidents(str(state)) == ()
    [folder] = (state.parent / "temporary").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_nowhere_to_keep_it_is_said(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (state / "file").write_text("in the way")
    monkeypatch.setenv("TMPDIR", str(state / "file"))
    assert not note(str(state / "file" / "below"), "loop", "lost")


def test_a_folder_of_somebody_else_is_not_used(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert not note(str(state), "loop", "lost")
    assert list(state.iterdir()) == []


def test_a_current_folder_that_is_gone(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = state / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not note("state", "loop", "lost")


def test_a_torn_line_costs_only_itself(state: Path) -> None:
    note(str(state), "killed", "first")
    with (state / "incidents.jsonl").open("a") as file:
        file.write('{"time": 1, "kind": "kil')
    note(str(state), "killed", "second")
    assert [one["message"] for one in incidents(str(state))] == ["first", "second"]


def test_the_file_does_not_grow_for_ever(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIZE_LIMIT", 400)
    for number in range(40):
        note(str(state), "killed", f"{number}")
    found = [one["message"] for one in incidents(str(state))]
    assert found == [str(number) for number in range(40 - len(found), 40)]
    assert 2 < len(found) < 20
    assert {path.name for path in state.iterdir()} <= {"incidents.jsonl", "incidents.jsonl.1"}


def test_lines_that_a_repository_brought_along(state: Path) -> None:
    lines = [{"kind": "killed", "time": "soon"}, {"kind": ["x"]}, {"kind": "other", "time": 1}, 7, None]
    content = "\n".join(json.dumps(line) for line in lines) + "\n\xff\n" + "[" * 9999
    (state / "incidents.jsonl").write_text(content)
    assert [one["kind"] for one in incidents(str(state))] == ["killed"]


def test_what_is_no_file_is_not_waited_for(state: Path) -> None:
    os.mkfifo(state / "incidents.jsonl")
    assert incidents(str(state)) == ()
    assert note(str(state), "loop", "beside")  # a pipe that nobody reads keeps nothing
    assert [one["message"] for one in incidents(str(state))] == ["beside"]


def test_calls_that_were_ended_are_told_before_the_next_one_finds_them(state: Path) -> None:
    folder = state / "hooks"
    folder.mkdir()
    (folder / "one.call").write_text('{"host":"codex","session":"one","serial":3}')
    (folder / "begun.call").write_text("")
    (folder / "two.json").write_text('{"host":"codex"}')
    with (folder / "two.call").open("w") as file:
        file.write('{"host":"gemini","session":"two","serial":1}')
        file.flush()
        fcntl.flock(file, fcntl.LOCK_EX)
        [told] = incidents(str(state))
    assert (told["kind"], told["host"], told["session"]) == ("killed", "codex", "one")
    assert len(list(folder.iterdir())) == 4
