"""Files that this process prints into: what a loop prints is not the agent's work."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_STREAMS = (1, 2)


def printed_into(top: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Return those of `paths`, relative to folder `top`, to which standard output or standard error goes."""
    streams = set()
    for stream in _STREAMS:
        try:
            status = os.fstat(stream)
        except OSError:
            continue  # closed
        if stat.S_ISREG(status.st_mode):
            streams.add((status.st_dev, status.st_ino))
    if not streams:
        return ()
    return tuple(path for path in paths if _identity(os.path.join(top, path)) in streams)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino
