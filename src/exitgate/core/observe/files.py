"""Texts and records from files, within limits and without ever waiting on one."""

from __future__ import annotations

import errno
import os

from exitgate.core.facts.records import fits
from exitgate.core.facts.registry import own_files
from exitgate.core.model.decision import CANNOT_READ, NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.fact import Source
from exitgate.core.system import safe_files
from exitgate.core.system.folders import is_within, leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.core.model.fact import Source
    from exitgate.core.policy.compiled import CompiledPolicy, Extraction


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
        raw, written = (
            (safe_files.all_of(0, limit), "") if path == STANDARD_INPUT else _read_file(path, limit)
        )
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
    descriptor = safe_files.reading(path, links=True, limit=limit)
    try:
        written = _written(os.fstat(descriptor))
        return safe_files.all_of(descriptor, limit), written
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
    said = getattr(error, "strerror", None) or str(error)
    return said[:1].lower() + said[1:]


# Bytes to text, keeping what can be kept and saying what could not.

_UTF_8_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """
    Return the text of a file and remarks on reading it.

    UTF-8, with or without a byte order mark, or UTF-16 with one. Bytes that are neither become the
    replacement character, one for each maximal wrong stretch, and are remarked on. Never raises.
    """
    warnings: list[str] = []
    if raw.startswith(_UTF_16_MARKS):
        text = raw.decode("utf-16", "replace")
        warnings.append("read as UTF-16")
    else:
        body = raw[len(_UTF_8_MARK) :] if raw.startswith(_UTF_8_MARK) else raw
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError:
            text = body.decode("utf-8", "replace")
            wrong = len(body) - len(body.decode("utf-8", "ignore").encode("utf-8"))
            warnings.append(_plural(wrong, "byte was", "bytes were") + " not UTF-8")
    nulls = text.count("\0")
    if nulls:
        warnings.append("holds " + _plural(nulls, "NUL character", "NUL characters"))
    return text, tuple(warnings)


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


# Which sources of a policy are files that its own entries name, and the observer of each.


def own(policy: CompiledPolicy, given: Mapping[str, str]) -> dict[str, Extraction]:
    """Return the entries of the policy that name files, by source; not those whose source is `given`."""
    return {
        entry.source: entry
        for entry in policy.extractions
        if entry.source not in given and any(option in entry.options for option in own_files(entry.extractor))
    }


def observe(entry: Extraction, root: str) -> Source:
    """Return the source of an entry that names files. Reads nothing outside `root`, and never raises."""
    # an extractor of another package reads one file as `json` does
    name = "json" if "." in entry.extractor else entry.extractor
    module = __import__(f"exitgate.core.observe.{name}", fromlist=["read"])
    found: Source = module.read(entry.source, entry.options, root)
    return found


# Files and folders that a policy names for one of its facts: looked at within the project, and bounded.

#: Entries of folders that are looked at for one pattern.
ENTRY_LIMIT = 20_000
#: Files that one pattern gives.
FILE_LIMIT = 1_000
_WILD = "*?"


class Looked:
    """What was found for patterns: entries left to look at, and remarks on what was not."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.left = ENTRY_LIMIT
        self.remarks: list[str] = []

    def files(self, pattern: str) -> list[str]:
        """
        Return the paths below the root, sorted, of the files that fit; none outside the root.

        In each part of `pattern` ``*`` and ``?`` stand for any characters; a name that begins with a
        dot is only found by a part that does. At most `FILE_LIMIT` files.
        """
        if leads_out(pattern) or "\0" in pattern:
            return []
        self.left = ENTRY_LIMIT
        found = sorted(self._walk("", [p for p in pattern.split("/") if p not in ("", ".")]))
        if self.left <= 0:
            self._remark(f"only {ENTRY_LIMIT} folder entries were read for `{pattern}`")
        if len(found) > FILE_LIMIT:
            self._remark(f"only the first {FILE_LIMIT} files for `{pattern}` were read")
        return found[:FILE_LIMIT]

    def inside(self, path: str) -> bool:
        """Return whether `path` stays within the root, links followed; remark on one that does not."""
        if is_within(self._place(path), (os.path.realpath(self.root),)):
            return True
        self._remark(f"`{path}` leads out of the project and was not read")
        return False

    def folder(self, path: str) -> bool:
        """Return whether there is a folder at `path`, the root itself for the empty path."""
        return os.path.isdir(self._place(path))

    def _walk(self, at: str, parts: list[str]) -> Iterator[str]:
        if not parts:
            return
        name, rest = parts[0], parts[1:]
        names = self._names(at, name) if any(mark in name for mark in _WILD) else [name]
        for one in names:
            path = f"{at}/{one}" if at else one
            place = self._place(path)
            if rest:
                if os.path.isdir(place) and self.inside(path):
                    yield from self._walk(path, rest)
            elif os.path.isfile(place) and self.inside(path):
                yield path

    def _names(self, folder: str, pattern: str) -> list[str]:
        found = []
        try:
            with os.scandir(self._place(folder)) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left <= 0:
                        break
                    if fits(entry.name, pattern):
                        found.append(entry.name)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._remark(f"`{folder or '.'}` cannot be read: {error.strerror or error}")
        return sorted(found)

    def _place(self, path: str) -> str:
        return os.path.join(self.root, path) if path else self.root

    def _remark(self, text: str) -> None:
        if text not in self.remarks and len(self.remarks) < 20:
            self.remarks.append(text)
