"""What every reader of state files must stand: a file cut anywhere, and any bytes at all."""

from __future__ import annotations

import shutil
from pathlib import Path

from loop_folders import read

from exitgate.transcripts.recorded import RecordedIteration
from exitgate.transcripts.run import Run


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
