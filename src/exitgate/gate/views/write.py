"""Views brought to the disk: never outside the root, never over a file that is no view."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

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
    Put `text` in the place of the view at `path`: whole or not at all, readable to its owner only.

    Args:
        path: The file; a link there is replaced, not followed.
        text: Its content.
        is_view: Told the bytes of a file that is there, whether it may be replaced.

    Raises:
        NotWrittenError: Something else is there.
        OSError: It cannot be written.
    """
    if os.path.lexists(path) and not _may_replace(path, is_view):
        raise NotWrittenError(f"`{path}` is there and is no view; it was left alone")
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o600), "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
        os.replace(temporary, path)
    except OSError:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise


def append(path: str, text: str) -> None:
    """
    Add whole lines to the log at `path` with one write; a line that was torn before is ended first.

    Raises:
        OSError: It cannot be written whole, or is no regular file.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, 0o600)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a regular file")
        torn = status.st_size > 0 and os.pread(descriptor, 1, status.st_size - 1) != b"\n"
        raw = ("\n" * torn + text).encode("utf-8", "surrogatepass")
        if os.write(descriptor, raw) < len(raw):
            raise OSError("no space is left")
    finally:
        os.close(descriptor)


def last_line(path: str) -> bytes:
    """Return the last whole line of the file at `path`, empty when there is none."""
    from exitgate.ledger.file import raw_at, start_of_last, whole_size

    try:
        descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    except FileNotFoundError:
        return b""
    try:
        end = whole_size(descriptor) if stat.S_ISREG(os.fstat(descriptor).st_mode) else 0
        return (raw_at(descriptor, start_of_last(descriptor, end)) or b"") if end else b""
    finally:
        os.close(descriptor)


def _may_replace(path: str, is_view: Callable[[bytes], bool]) -> bool:
    if os.path.islink(path):
        return True
    descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        found = os.read(descriptor, _LOOKED_INTO)
        return not found.strip() or is_view(found)
    finally:
        os.close(descriptor)


def _within(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)
