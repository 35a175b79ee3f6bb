"""What tells a file that has changed from one that has not, without reading it."""

from __future__ import annotations

import os
from stat import S_ISDIR

#: Files of a folder that are looked at.
MOST = 5000

#: Size, time of change and, of a file, its inode; None for what is not there.
Stamp = tuple[int, ...] | None


def stamp_of(path: str) -> Stamp:
    """Return what changes with a file, or with the files below a folder, as many as `MOST`."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not S_ISDIR(status.st_mode):
        return status.st_size, status.st_mtime_ns, status.st_ino
    size, newest, left = 0, 0, MOST
    for folder, _, names in os.walk(path):
        for name in names[:left]:
            try:
                found = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            size, newest = size + found.st_size, max(newest, found.st_mtime_ns)
        left -= len(names)
        if left <= 0:
            break
    return size, newest
