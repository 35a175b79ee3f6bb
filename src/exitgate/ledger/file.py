"""Lines of an open ledger file: the last one, the one at an offset, those before an offset."""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.ledger.trouble import NewerLineError, cannot_read
from exitgate.model import quick_json
from exitgate.model.digest import hex_digest

FILE_NAME = "ledger.jsonl"

#: Format of the lines this version writes.
FORMAT = 1

#: Bytes of the largest ledger: some hundred thousand iterations.
LARGEST = 4_000_000_000

#: Bytes of the first reading and of the longest; a line is most often found with the first.
_FIRST, _LONGEST = 1 << 13, 1 << 20


def path_in(directory: str) -> str:
    """Return the path of the ledger in a state directory."""
    return os.path.join(directory, FILE_NAME)


def open_reading(directory: str) -> int | None:
    """
    Return a descriptor of the ledger, or None when there is none yet.

    Raises:
        ExitgateError: 74 when it is there but is not a regular file or may not be read.
    """
    path = path_in(directory)
    try:
        return opening.reading(path, limit=LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(path, error) from error


def parse(raw: bytes) -> dict[str, object] | None:
    """
    Return the object that a raw line holds, or None for a damaged one.

    Raises:
        NewerLineError: The line is whole, and of a format that this version does not know.
    """
    try:
        found = quick_json.loads(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or "format" not in found:
        return None
    if not _is_count(found["format"]) or found["format"] > FORMAT:
        raise NewerLineError(found["format"], FORMAT)
    return found if isinstance(found.get("run"), str) and _is_count(found.get("sequence")) else None


def raw_at(descriptor: int, offset: int) -> bytes | None:
    """Return the line that begins at `offset`, without its line end; None if it has no line end."""
    pieces: list[bytes] = []
    at, size = offset, _FIRST
    while piece := system.pread(descriptor, size, at):
        end = piece.find(b"\n")
        if end >= 0:
            pieces.append(piece[:end])
            return b"".join(pieces)
        pieces.append(piece)
        at += len(piece)
        size = min(2 * size, _LONGEST)
    return None


def begins_line(descriptor: int, offset: int) -> bool:
    """Return whether a line begins at `offset`: at 0, or right behind a line end."""
    return offset == 0 or system.pread(descriptor, 1, offset - 1) == b"\n"


def start_of_last(descriptor: int, end: int) -> int:
    """Return where the line begins that ends right before `end` (its line end included)."""
    at, size = end - 1, _FIRST
    while at > 0:
        start = max(0, at - size)
        found = system.pread(descriptor, at - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
        size = min(2 * size, _LONGEST)
    return 0


def whole_size(descriptor: int) -> int:
    """Return the size up to and with the last line end; what is behind it is torn."""
    size = os.fstat(descriptor).st_size
    if size == 0 or system.pread(descriptor, 1, size - 1) == b"\n":
        return size
    return start_of_last(descriptor, size + 1)


def hash_of(raw: bytes) -> str:
    """Return the hash that the following line keeps of a raw line, without its line end."""
    return hex_digest(raw)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
