"""Where nothing was read, the message names the files that a loop may have written."""

from __future__ import annotations

from exitgate.recordings.discovery import Found
from exitgate.recordings.location import Location
from exitgate.recordings.unread import Unread, nothing_read


def message(*paths: str) -> str:
    unread = Unread()
    for path in paths:
        unread.add(Found(Location(path), None))
    return str(nothing_read(["p"], unread).diagnostics[0].message)


def test_names_as_loops_give_them_are_named() -> None:
    said = message(
        "p/logs/run-1.log", "p/logs/run-4.log", "p/src/a.py", "p/loop.log", "p/out/9.txt", "p/x.md"
    )
    assert "`p/logs/run-1.log`, `p/logs/run-4.log`, `p/loop.log` and 1 more" in said
    assert "a.py" not in said and "x.md" not in said


def test_other_names_are_not() -> None:
    assert "loops" not in message("p/a.py", "p/docs/1.txt", "p/logs/server-1.log", "p/README.md")
