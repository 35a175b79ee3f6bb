"""Texts and records from files, within limits and without ever waiting on one."""

from __future__ import annotations

import errno
import os

from exitgate import opening
from exitgate.gate.observe.decode import decode
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.iteration import Source
from exitgate.model.verdict import CANNOT_READ, NOTHING_TO_DECIDE
from exitgate.policy.reach import is_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Bytes of the largest file that is read.
SIZE_LIMIT = 50_000_000

STANDARD_INPUT = "-"

NOT_THERE = "EP820"

#: Nanoseconds within which a file system may give two writes the same time.
_TICK = 20_000_000

#: Code -> what it means.
CODES = {
    NOT_THERE: "a named source does not exist",
    "EP821": "a named source cannot be read",
    "EP822": "a named source is too large",
}


def read_source(
    name: str,
    path: str | None,
    *,
    named: bool = False,
    tried: Sequence[str] = (),
    limit: int = SIZE_LIMIT,
    root: str | None = None,
) -> Source:
    """
    Return the source that `path` holds.

    Args:
        name: Name of the source.
        path: File to read; ``-`` is standard input; None when no default file is there.
        named: True where the user asked for this very file; then trouble is an error.
        tried: Where it was looked for, for the message when `path` is None.
        limit: Largest size in bytes.
        root: Folder that no link may lead out of; None where one may lead anywhere.

    Raises:
        ExitgateError: For a named source that is missing (66), unreadable or too large (74). A
            source that was not named comes back without text, with the reason, and with a warning
            if something is there that was not read.
    """
    if path is None:
        looked = " or ".join(f"`{place}`" for place in tried)
        reason = f"no {name} at {looked}" if looked else f"no {name} was given"
        return _missing(NOT_THERE, name, path, reason, NOTHING_TO_DECIDE, named)
    if root is not None and os.path.lexists(path) and not is_within(path, (os.path.realpath(root),)):
        reason = f"{name} at `{path}` leads out of the project: name it explicitly to read it"
        return _missing("EP821", name, path, reason, CANNOT_READ, named)
    try:
        raw, written = (opening.all_of(0, limit), "") if path == STANDARD_INPUT else _read_file(path, limit)
    except FileNotFoundError:
        reason = f"no {name} at `{path}`"
        return _missing(NOT_THERE, name, path, reason, NOTHING_TO_DECIDE, named)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            reason = f"{name} at `{path}` is larger than {limit // 1_000_000} MB"
            return _missing("EP822", name, path, reason, CANNOT_READ, named)
        reason = f"{name} at `{path}` cannot be read: {_why(error)}"
        return _missing("EP821", name, path, reason, CANNOT_READ, named)
    text, warnings = decode(raw)
    shown = "<standard input>" if path == STANDARD_INPUT else path
    return Source(name, text=text, path=shown, warnings=warnings, written=written)


def given_text(name: str, text: str, limit: int = SIZE_LIMIT) -> Source:
    """
    Return the source whose text the caller has at hand, as a file with it would read.

    Raises:
        ExitgateError: 74 for a text of more than `limit` bytes in UTF-8.
    """
    raw = text.encode("utf-8", "surrogatepass")
    if len(raw) > limit:
        _missing("EP822", name, None, f"{name} is larger than {limit // 1_000_000} MB", CANNOT_READ, True)
    decoded, warnings = decode(raw)
    return Source(name, text=decoded, warnings=warnings)


def first_existing(root: str, candidates: Sequence[str]) -> str | None:
    """Return the first of the paths below `root` at which there is anything, or None."""
    for candidate in candidates:
        path = os.path.join(root, candidate)
        if os.path.lexists(path):
            return path
    return None


def _missing(code: str, name: str, path: str | None, reason: str, exit_code: int, named: bool) -> Source:
    if not named:
        there = code != NOT_THERE
        remarks = (reason.removeprefix(f"{name} at "),) if there else ()
        return Source(name, path=path, reason=reason, warnings=remarks, absent=not there)
    advice = {
        NOT_THERE: f"looked in `{os.getcwd()}`; give the path of an existing file, or `-` for stdin",
        "EP821": "give a readable regular file, or `-` for standard input",
        "EP822": "give a smaller file; only the agent's last response is needed",
    }[code]
    raise ExitgateError([Diagnostic(code, reason, help=advice)], exit_code)


def _read_file(path: str, limit: int) -> tuple[bytes, str]:
    """Return the bytes of a regular file, and when it was written; never blocks on a pipe or a device."""
    descriptor = opening.reading(path, links=True, limit=limit)
    try:
        written = _written(os.fstat(descriptor))
        return opening.all_of(descriptor, limit), written
    finally:
        os.close(descriptor)


def _written(status: os.stat_result) -> str:
    """
    Return what stands for when a file was written, or the empty text.

    A file that was written just now can be written again within the same tick of the file system's clock:
    then it cannot be determined.
    """
    import time

    if time.time_ns() - status.st_mtime_ns < _TICK:
        return ""
    return f"{status.st_ino}.{status.st_mtime_ns}"


def _why(error: Exception) -> str:
    """Return the reason in words that do not repeat the path."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return said[:1].lower() + said[1:]
