"""Lines of an open ledger file: the last one, the one at an offset, those before an offset."""

from __future__ import annotations

import os

from exitgate.core.model.decision import CANNOT_READ, CANNOT_WRITE, LOCKED
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.model.json_object import object_or_none
from exitgate.core.system import portable, quick_json, safe_files
from exitgate.core.system.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from exitgate.core.model.json_object import JsonObject


FILE_NAME = "ledger.jsonl"

#: Format of the lines this version writes.
FORMAT = 1

#: Bytes of the largest ledger: some hundred thousand iterations.
LARGEST = 4_000_000_000

#: Bytes of the first reading and of the longest; a line is most often found with the first.
FIRST, LONGEST = 1 << 13, 1 << 20


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
        return safe_files.reading(path, limit=LARGEST)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(path, error) from error


def parse(raw: bytes) -> JsonObject | None:
    """
    Return the object that a raw line holds, or None for a damaged one.

    Raises:
        NewerLineError: The line is whole, and of a format that this version does not know.
    """
    try:
        found = object_or_none(quick_json.loads(raw))
    except (ValueError, RecursionError):
        return None
    if found is None or "format" not in found:
        return None
    if not 0 < found.whole("format", 0) <= FORMAT:
        raise NewerLineError(found["format"], FORMAT)
    return found if found.text("run") is not None and found.whole("sequence", 0) > 0 else None


def raw_at(descriptor: int, offset: int) -> bytes | None:
    """Return the line that begins at `offset`, without its line end; None if it has no line end."""
    pieces: list[bytes] = []
    at, size = offset, FIRST
    while piece := portable.pread(descriptor, size, at):
        end = piece.find(b"\n")
        if end >= 0:
            pieces.append(piece[:end])
            return b"".join(pieces)
        pieces.append(piece)
        at += len(piece)
        size = min(2 * size, LONGEST)
    return None


def begins_line(descriptor: int, offset: int) -> bool:
    """Return whether a line begins at `offset`: at 0, or right behind a line end."""
    return offset == 0 or portable.pread(descriptor, 1, offset - 1) == b"\n"


def start_of_last(descriptor: int, end: int) -> int:
    """Return where the line begins that ends right before `end` (its line end included)."""
    at, size = end - 1, FIRST
    while at > 0:
        start = max(0, at - size)
        found = portable.pread(descriptor, at - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
        size = min(2 * size, LONGEST)
    return 0


def whole_size(descriptor: int) -> int:
    """Return the size up to and with the last line end; what is behind it is torn."""
    size = os.fstat(descriptor).st_size
    if size == 0 or portable.pread(descriptor, 1, size - 1) == b"\n":
        return size
    return start_of_last(descriptor, size + 1)


def hash_of(raw: bytes) -> str:
    """Return the hash that the following line keeps of a raw line, without its line end."""
    return hex_digest(raw)


# The lock on a state directory.

#: Seconds that a check waits for another one.
WAIT = 10.0


def take(directory: str, wait: float = WAIT) -> int:
    """
    Lock `directory`, making it if need be, and return the open descriptor that holds the lock.

    Closing the descriptor lets the lock go, however the process ends.

    Raises:
        ExitgateError: 75 when the lock does not come free within `wait` seconds; 73 when the folder
            or the lock file cannot be made.
    """
    descriptor = _open(directory)
    try:
        take_again(descriptor, directory, wait)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def take_again(descriptor: int, directory: str, wait: float = WAIT) -> None:
    """
    Lock `directory` by the open descriptor of its lock file.

    Raises:
        ExitgateError: 75 when the lock does not come free within `wait` seconds, 73 when there are no locks.
    """
    import time

    try:
        portable.lock_until(descriptor, time.monotonic() + wait)
    except BlockingIOError:
        raise locked(directory, wait) from None
    except OSError as error:
        raise cannot_write(os.path.join(directory, "ledger.lock"), error) from error


def let_go(descriptor: int) -> None:
    """Let the lock go that `descriptor` holds; it stays open."""
    portable.unlock(descriptor)


def _open(directory: str) -> int:
    path = os.path.join(directory, "ledger.lock")
    try:
        if safe_files.make_folder(directory):
            safe_files.sync_folder(os.path.dirname(os.path.abspath(directory)))
    except OSError as error:
        raise cannot_write(directory, error) from error
    try:
        return safe_files.writing(path, read=True)
    except OSError as error:
        raise cannot_write(path, error) from error


# What can go wrong with the ledger, as the user reads it.

#: Code -> what it means.
CODES = {
    "EP830": "the ledger is locked by another process",
    "EP831": "the state directory or the ledger cannot be written",
    "EP832": "the ledger cannot be read",
    "EP833": "the ledger was written by a newer version",
}


def locked(path: str, waited: float) -> ExitgateError:
    """Return the error for a lock that did not come free within `waited` seconds."""
    return ExitgateError(
        [
            Diagnostic(
                "EP830",
                f"`{path}` stayed locked for {waited:g} s: another check is deciding there",
                help="wait for it to end, or give this loop its own `--state-dir`",
            )
        ],
        LOCKED,
    )


def overtaken(path: str, times: int) -> ExitgateError:
    """Return the error for a check that others overtook `times` times while it read."""
    return ExitgateError(
        [
            Diagnostic(
                "EP830",
                f"`{path}`: other checks of this run interfered {counted(times, 'time')}; "
                "nothing was recorded",
                help="give each loop its own `--run NAME`",
            )
        ],
        LOCKED,
    )


def cannot_write(path: str, error: OSError | str) -> ExitgateError:
    """Return the error for a place that cannot be written; nothing was recorded."""
    return ExitgateError(
        [
            Diagnostic(
                "EP831",
                f"cannot write `{path}`: {why(error)}; nothing was recorded",
                help="free some space or fix the permissions, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_WRITE,
    )


def cannot_read(path: str, error: OSError | str) -> ExitgateError:
    """Return the error for a ledger that is there but cannot be read."""
    return ExitgateError(
        [
            Diagnostic(
                "EP832",
                f"cannot read `{path}`: {why(error)}",
                help="fix the permissions, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_READ,
    )


class NewerLineError(Exception):
    """A line has another format, `found`, than the one this version knows, `known`."""

    def __init__(self, found: object, known: int) -> None:
        super().__init__(f"format {found}")
        self.found = found
        self.known = known


class RefusingNewer:
    """
    A context in which a line of a newer version is an error that names the ledger at `path`.

    Such a line is not damaged, and passing over it would decide on half of what happened.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, NewerLineError):
            raise too_new(self._path, error.found, error.known) from error


def too_new(path: str, found: object, known: int) -> ExitgateError:
    """Return the error for a ledger whose lines have a later format than this version knows."""
    return ExitgateError(
        [
            Diagnostic(
                "EP833",
                f"`{path}` has lines of format {found}; this version knows format {known}",
                help="use the newer exitgate that wrote it, or name another folder with `--state-dir`",
            )
        ],
        CANNOT_READ,
    )


def why(error: OSError | str) -> str:
    """Return the reason as a part of a sentence."""
    said = error if isinstance(error, str) else error.strerror or str(error)
    return said[:1].lower() + said[1:]


def raw_backwards(descriptor: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Yield offset and bytes of each line before offset `end`, where a line ends, newest first."""
    at, held, size = end, b"", FIRST
    while end > 0:
        cut = held.rfind(b"\n", 0, end - at - 1)
        while cut < 0 < at:
            start = max(0, at - size)
            piece = portable.pread(descriptor, at - start, start)
            assert len(piece) == at - start  # else the file became shorter
            held = piece + held[: end - at]
            at, size = start, min(2 * size, LONGEST)
            cut = held.rfind(b"\n", 0, end - at - 1)
        start = at + cut + 1
        yield start, held[start - at : end - at - 1]
        end = start


#: How every line begins that this version writes, and what is before the id of its run.
_BEGINNING, _RUN = b'{"format":1,"sequence":', b',"run":"'
#: Bytes in which the id of the run begins.
_NEAR = 64


def start_of_run(raw: bytes) -> int:
    """Return where the id of its run begins in a line as this version writes them, -1 in any other."""
    if not raw.startswith(_BEGINNING):
        return -1
    at = raw.find(_RUN, len(_BEGINNING), _NEAR)
    return -1 if at < 0 else at + len(_RUN)
