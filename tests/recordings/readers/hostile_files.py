"""What every reader of state files must stand: a file cut anywhere, and any bytes at all."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from loop_folders import read

from exitgate.recordings.model import RecordedIteration, Run


def cut_by_lines(path: Path, id: str, *, growing: bool = False) -> None:
    """
    Cut a file at every line, and in the middle of each: what stands before a cut is read as before.

    `growing` says that the last iteration is over only when another begins: it is not compared then.
    """
    whole, _ = read(path, id)
    lines = path.read_bytes().splitlines(keepends=True)
    for keep in range(len(lines) + 1):
        for half in (b"", lines[keep][: len(lines[keep]) // 2] if keep < len(lines) else b""):
            path.write_bytes(b"".join(lines[:keep]) + half)
            runs, _ = read(path, id)
            assert same(runs, whole, keep, growing)
    path.write_bytes(b"".join(lines))


def same(cut: tuple[Run, ...], whole: tuple[Run, ...], keep: int, growing: bool) -> bool:
    """Return whether every iteration that ends before the cut is in both the same."""
    found = [one for run in cut for one in run.iterations]
    early = [one for one in found[: len(found) - growing] if 0 < one.provenance.last < keep]
    every = [told(one) for run in whole for one in run.iterations]
    return all(told(one) in every for one in early)


def told(one: RecordedIteration) -> tuple[object, ...]:
    where = one.provenance
    return (one.index, where.first, where.last, one.response, one.started_at, one.record, one.files_changed)


def any_bytes(folder: Path, name: str, body: bytes, id: str) -> None:
    """Read a file of any bytes, alone and in a folder of its own."""
    inside = folder / "state"
    inside.mkdir()
    (inside / name).write_bytes(body)
    read(inside / name, id)
    shutil.rmtree(inside)


#: What no member of a recording should be; a half of a character, a number that no float holds.
ODD: tuple[object, ...] = (
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "\ud800",
    "9999-99-99",
    "x" * 500,
    [],
    [None, [1]],
    {},
    {"a": {"b": [1]}},
)


def odd_members(path: Path, id: str) -> None:
    """Put odd values in the place of each member, at any depth, of each object of a file of JSON lines."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for nth, value in enumerate(lines):
        for changed in with_odd(value):
            mixed = [*lines[:nth], changed, *lines[nth + 1 :]]
            path.write_text("".join(json.dumps(one) + "\n" for one in mixed), encoding="utf-8")
            runs, _ = read(path, id)
            texts = [
                t
                for run in runs
                for one in run.iterations
                for t in (one.response, one.plan, *one.files.values())
            ]
            "".join(text for text in texts if text is not None).encode("utf-8")


def with_odd(value: object) -> list[object]:
    """Return copies of a value, each with one odd part."""
    if isinstance(value, dict):
        return [{**value, name: odd} for name in value for odd in ODD] + [
            {**value, name: odd} for name in value for odd in with_odd(value[name])
        ]
    if isinstance(value, list):
        return [[*value[:n], odd, *value[n + 1 :]] for n in range(len(value)) for odd in ODD]
    return []
