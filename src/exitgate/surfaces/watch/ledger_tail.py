"""
A ledger read on while others write it: only what is new, without the lock, no matter what became of the file.

The first reading, and one of a file that is another than before, takes the newest lines only, found by the
offsets in them: it costs the same for ten lines and for a whole night.
"""

from __future__ import annotations

import os

from msgspec import Struct

from exitgate.core.ledger.file import NewerLineError, open_reading, parse, path_in, too_new, whole_size, why
from exitgate.core.ledger.read import last_of, tail_of_run
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.typed import LedgerLine, typed
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import BREAKER_RUN
from exitgate.core.system import portable

#: Lines of the followed run, and of all runs, that the first reading takes.
OWN, RECENT = 256, 64
#: Bytes of one reading; the rest is taken by the next one.
CHUNK = 8 << 20
#: Bytes before the place reached that tell whether the file is still the same.
_LOOKED_BACK = 256


class Mark(Struct, frozen=True):
    """
    Up to where a ledger was read.

    Args:
        file: Device and inode.
        seen: Size and time of its last change, when it was looked at.
        offset: Where the next line begins.
        before: The bytes right before that.
    """

    file: tuple[int, int]
    seen: tuple[int, int]
    offset: int = 0
    before: bytes = b""


class News(Struct, frozen=True):
    """
    What a reading found.

    Args:
        lines: Good lines, oldest first.
        troubles: What could not be read, in sentences.
        begun: The lines are the newest of a ledger that was not read before.
        run: Of a ledger begun: id of the run whose lines are there as far back as they are kept.
        more: There is more to read at once.
        missing: Why there is no ledger to read now, or the empty text.
        absent: There is none, as opposed to one that cannot be read.
    """

    lines: tuple[LedgerLine, ...] = ()
    troubles: tuple[str, ...] = ()
    begun: bool = False
    more: bool = False
    missing: str = ""
    run: str | None = None
    absent: bool = False


NOTHING = News()


def read_on(directory: str, mark: Mark | None, wanted: str | None) -> tuple[News, Mark | None]:
    """
    Return what is new in the ledger of a state directory, and up to where it is read now.

    Args:
        directory: The state directory.
        mark: Up to where it was read before; None for a first reading.
        wanted: Name or id of the run whose lines a first reading takes; None for that of the newest line.

    Never raises for what the ledger holds or for what became of it.
    """
    path = path_in(directory)
    try:
        status = os.stat(path, follow_symlinks=False)
        if mark is not None and mark.file == _file(status) and mark.seen == _identity(status):
            return NOTHING, mark
        descriptor = open_reading(directory)
    except FileNotFoundError:
        descriptor = None
    except OSError as error:
        return News(missing=f"`{path}` cannot be read: {why(error)}"), mark
    except ExitgateError as error:
        return News(missing=error.diagnostics[0].message), mark
    if descriptor is None:
        return News(missing=f"there is no ledger in `{directory}`", absent=True), None
    try:
        return _read(descriptor, path, mark, wanted)
    except OSError as error:
        return News(missing=f"`{path}` cannot be read: {why(error)}"), mark
    finally:
        os.close(descriptor)


def _read(descriptor: int, path: str, mark: Mark | None, wanted: str | None) -> tuple[News, Mark]:
    status = os.fstat(descriptor)
    now = Mark(_file(status), _identity(status))
    if mark is None:
        return _begin(descriptor, path, now, wanted)
    if mark.file != now.file:
        return _begin(descriptor, path, now, wanted, f"`{path}` was replaced; reading it again")
    if status.st_size < mark.offset or _before(descriptor, mark.offset) != mark.before:
        return _begin(descriptor, path, now, wanted, f"`{path}` was truncated or rewritten; reading it again")
    return _go_on(descriptor, path, mark, now)


def _begin(descriptor: int, path: str, now: Mark, wanted: str | None, trouble: str = "") -> tuple[News, Mark]:
    """Read the newest lines of a ledger: of all runs some, of the wanted one as many as the view takes."""
    end = whole_size(descriptor)
    broken: list[str] = []
    troubles = [trouble] if trouble else []
    found: dict[int, LedgerLine] = {}
    run: str | None = None
    try:
        folder = os.path.dirname(path)
        recent = tuple(map(typed, tail_of_run(folder, descriptor, end, None, RECENT)))
        found = {line.sequence: line for line in recent}
        run = _run(descriptor, path, end, recent, wanted)
        own = tail_of_run(folder, descriptor, end, run, OWN, broken) if run is not None else ()
        found |= {line.sequence: line for line in map(typed, own)}
        run = run if own else None
    except NewerLineError as error:
        troubles.append(_newer(path, error))
    except AssertionError:  # the end of the file went away between two looks at it
        troubles.append(f"`{path}` was truncated while it was read; its content is read with the next line")
    troubles += broken
    lines = tuple(found[number] for number in sorted(found))
    mark = Mark(now.file, now.seen, end, _before(descriptor, end))
    return News(lines, tuple(troubles), begun=True, run=run), mark


def _run(
    descriptor: int, path: str, end: int, recent: tuple[LedgerLine, ...], wanted: str | None
) -> str | None:
    """Return the id of the run to read: the wanted one, or that of the newest line that belongs to one."""
    if wanted is None:
        runs = [line.run for line in recent if line.run != BREAKER_RUN]
        return runs[-1] if runs else None
    if name_of(wanted) != wanted:
        return wanted
    last = last_of(os.path.dirname(path), descriptor, end, wanted)
    return None if last is None else str(last[1]["run"])


def _go_on(descriptor: int, path: str, mark: Mark, now: Mark) -> tuple[News, Mark]:
    """Read whole lines behind the mark; what has no line end yet is left for the next reading."""
    raw = portable.pread(descriptor, CHUNK, mark.offset)
    full = len(raw) == CHUNK
    while full and b"\n" not in raw:
        piece = portable.pread(descriptor, CHUNK, mark.offset + len(raw))
        raw, full = raw + piece, len(piece) == CHUNK
    whole = raw[: raw.rfind(b"\n") + 1]
    lines: list[LedgerLine] = []
    troubles: list[str] = []
    at = mark.offset
    for piece in whole.split(b"\n")[:-1]:
        try:
            line = parse(piece)
            if line is None:
                troubles.append(f"the line at offset {at} of `{path}` is damaged and skipped")
            else:
                lines.append(typed(line))
        except NewerLineError as error:
            troubles.append(_newer(path, error))
        at += len(piece) + 1
    # More to come: nothing is remembered as seen, so that the next reading does not pass over it.
    seen = (-1, -1) if full else now.seen
    reached = Mark(now.file, seen, at, _before(descriptor, at))
    return News(tuple(lines), tuple(troubles), more=full), reached


def _newer(path: str, error: NewerLineError) -> str:
    return too_new(path, error.found, error.known).diagnostics[0].message


def _before(descriptor: int, offset: int) -> bytes:
    start = max(0, offset - _LOOKED_BACK)
    return portable.pread(descriptor, offset - start, start)


def _file(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
