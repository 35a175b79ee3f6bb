"""Views brought to the disk: never outside the root, never over a file that is not a view."""

from __future__ import annotations

import errno
import os

from exitgate.core.ledger.gitignore import leave_out_files
from exitgate.core.system import portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


#: Bytes of the largest log that is looked into for its last line.
LARGEST_LOG = 1_000_000_000
#: Bytes of the largest file that is looked into before it is replaced.
_LOOKED_INTO = 1_000_000


class NotWrittenError(Exception):
    """A view was left as it is; the text says why, for people."""


def place_below(root: str, place: str) -> str:
    """
    Return the path of `place` below `root`, its folder made if need be.

    Raises:
        NotWrittenError: The place, or where links lead on the way to it, is not below the root.
    """
    parts = place.replace("\\", "/").split("/")
    if os.path.isabs(place) or ".." in parts or not parts[-1] or "\0" in place:
        raise NotWrittenError(f"`{place}` is not below the project")
    top = os.path.realpath(root)
    folder = os.path.dirname(os.path.join(top, place))
    if not _within(os.path.realpath(folder), top):
        raise NotWrittenError(f"`{place}` leads out of the project")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, parts[-1])


def replace(path: str, text: str, is_view: Callable[[bytes], bool]) -> None:
    """
    Put `text` instead of the view at `path`: whole or not at all, readable to its owner only.

    Args:
        path: The file; a link there is replaced, not followed.
        text: Its content.
        is_view: Told the bytes of a file that is there, whether it may be replaced.

    Raises:
        NotWrittenError: Something else is there.
        OSError: It cannot be written.
    """
    if os.path.lexists(path) and not _may_replace(path, is_view):
        raise NotWrittenError(f"`{path}` exists and is not a view; it was left alone")
    if not os.path.lexists(path):
        leave_out_files((path, f"{path}.*"))
    safe_files.replace(path, text.encode("utf-8", "surrogatepass"))


def append(path: str, text: str) -> None:
    """
    Add whole lines to the log at `path` with one write; a line that was torn before is ended first.

    Raises:
        OSError: It cannot be written whole, or is not a regular file.
    """
    if not os.path.lexists(path):
        leave_out_files((_days(path),))
    descriptor = safe_files.writing(path, append=True, read=True)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and portable.pread(descriptor, 1, size - 1) != b"\n"
        raw = ("\n" * torn + text).encode("utf-8", "surrogatepass")
        if os.write(descriptor, raw) < len(raw):
            raise OSError("no space left")
    finally:
        os.close(descriptor)


def _days(path: str) -> str:
    """Return the pattern of a daily log, whose name ends in the day; of any other file its path."""
    stem, mark, day = path.rpartition("_")
    return f"{stem}_*.log" if mark and day.removesuffix(".log").isdigit() else path


def last_line(path: str) -> bytes:
    """Return the last whole line of the file at `path`, empty when there is none."""
    from exitgate.core.ledger.file import raw_at, start_of_last, whole_size

    try:
        descriptor = safe_files.reading(path, limit=LARGEST_LOG)
    except FileNotFoundError:
        return b""
    try:
        end = whole_size(descriptor)
        return (raw_at(descriptor, start_of_last(descriptor, end)) or b"") if end else b""
    finally:
        os.close(descriptor)


def _may_replace(path: str, is_view: Callable[[bytes], bool]) -> bool:
    if safe_files.is_link(path):
        return True
    try:
        found = safe_files.beginning(path, _LOOKED_INTO)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.ENXIO):
            return False  # a folder, a pipe, a socket or a device
        raise
    return not found.strip() or is_view(found)


def _within(path: str, top: str) -> bool:
    return path == top or portable.is_below(path, top)
