"""Ids of runs: ``name#n``."""

from __future__ import annotations

NAME_LIMIT = 200


def run_id(name: str, number: int) -> str:
    """Return the id of the `number`-th run (from 1) called `name`."""
    return f"{name}#{number}"


def name_of(run: str) -> str:
    """Return the name in an id; an id without a number is its own name."""
    name, mark, number = run.rpartition("#")
    return name if mark and number.isdecimal() else run


def number_of(run: str) -> int:
    """Return the number in an id, 1 for an id without one."""
    _, mark, number = run.rpartition("#")
    return int(number) if mark and number.isdecimal() and len(number) < 16 else 1


def usable(name: str) -> bool:
    """Return whether a run may be called `name`: printable, not empty, at most `NAME_LIMIT` characters."""
    return 0 < len(name) <= NAME_LIMIT and name.isprintable() and name == name.strip()
