"""What went wrong around decisions and could not be told to anybody: kept beside the ledger for `doctor`."""

from __future__ import annotations

import os

from exitgate.core.ledger.gitignore import leave_out_folder
from exitgate.core.model.json_object import JsonObject, object_or_none
from exitgate.core.system import portable, safe_files
from exitgate.core.system.quick_json import dumps_finite, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.system.portable import Folder


FILE_NAME = "incidents.jsonl"
#: Folder of the state directory in which hooks keep theirs, and the ending of a call under way: its
#: process holds a lock on it, and removes it in the end.
CALLS, CALL_ENDING = "hooks", ".call"

#: Bytes after which the file is moved to `.1`, over the one before.
SIZE_LIMIT = 256 * 1024

#: Kind -> what it means, for people.
KINDS = {
    "failed_open": "a hook could not decide and let the agent stop",
    "killed": "a hook was ended before it could answer",
    "capped": "a stop was allowed because the agent had been blocked too often in a row",
    "telemetry": "a decision could not be sent to a collector or written for Prometheus",
    "notify": "a command to be notified of an EXIT failed",
    "loop": "the loop runner met an error and continued",
    "crashed": "a bug in exitgate ended a command that decides: no decision was made",
    "fault": "a bug in exitgate prevented a part of an iteration from being read: its facts were unknown",
    "shim": "a function in ralph's loop got no answer",
}


def note(directory: str, kind: str, message: str, **details: str | int | float | bool | None) -> bool:
    """
    Keep one incident; return whether it could be kept. Never raises.

    Args:
        directory: The state directory. Where it cannot be written, the user's folder below the
            temporary one is used instead.
        kind: One of `KINDS`.
        message: What happened, in a sentence part.
        details: Plain values: the host, the session, an exit code.
    """
    raw = _line(kind, message, details)
    try:
        places = _places(directory)
    except OSError:
        return False  # a path from a current folder that is gone
    return any(_append(path, raw) for path in places)


def note_aside(directory: str, kind: str, message: str, **details: str | int | float | bool | None) -> bool:
    """Keep one incident of a state directory to which nothing may be written, in the user's folder alone."""
    raw = _line(kind, message, details)
    try:
        return _append(_places(directory)[1], raw)
    except OSError:
        return False


def _line(kind: str, message: str, details: Mapping[str, object]) -> bytes:
    import time

    assert kind in KINDS
    line = dumps_finite({"time": time.time(), "kind": kind, "message": message, **details})
    return line.encode("ascii", "backslashreplace") + b"\n"


def incidents(directory: str) -> tuple[JsonObject, ...]:
    """
    Return what was kept for a state directory, oldest first; lines that are not whole are passed over.

    Hooks that were ended and that no later hook has found yet are among them. Nothing is written.
    """
    found = [one for path in _places(directory) for old in (f"{path}.1", path) for one in _lines(old)]
    return tuple(sorted((*found, *_ended_calls(directory)), key=_time))


def _time(one: JsonObject) -> float:
    return one.number("time", 0.0)


def _ended_calls(directory: str) -> Iterator[JsonObject]:
    """Yield an incident for each file of a call under way that no process holds any more."""
    folder = os.path.join(directory, CALLS)
    try:
        names = [name for name in safe_files.names(folder) if name.endswith(CALL_ENDING)]
    except OSError:
        return
    for name in sorted(names):
        try:
            file = safe_files.reading(os.path.join(folder, name))
        except OSError:
            continue  # it ended meanwhile
        try:
            portable.lock(file, shared=True)
            status = os.fstat(file)
            told = object_or_none(loads(os.read(file, 4096).decode("ascii")))
        except (OSError, ValueError):
            continue  # it is under way, or it had not begun
        finally:
            os.close(file)
        if told is not None:
            message = "a call was ended before it could answer"
            yield JsonObject({"time": status.st_mtime, "kind": "killed", "message": message, **told})


def _places(directory: str) -> tuple[str, str]:
    """Return the file in the state directory, and the one for when that cannot be written."""
    from exitgate.core.system.digest import hex_digest

    own = hex_digest(os.path.realpath(directory).encode("utf-8", "surrogateescape"))[:16]
    beside = os.path.join(portable.temporary(), f"exitgate-{portable.user()}", f"incidents-{own}.jsonl")
    return os.path.join(directory, FILE_NAME), beside


def _append(path: str, raw: bytes) -> bool:
    try:
        at, name = os.path.split(path)
        if not os.path.lexists(at):
            os.mkdir(at, 0o700)
            leave_out_folder(at)
        folder = safe_files.open_folder(at)
        try:
            return portable.owner(portable.status_of(folder)) == portable.user() and _append_in(
                folder, name, raw
            )
        finally:
            portable.close(folder)
    except OSError:
        return False  # the next place is tried; that nothing could be kept is the caller's to tell


def _append_in(folder: Folder, name: str, raw: bytes) -> bool:
    """Append a line to a file of the folder; return whether it is there whole. Raises OSError."""
    _make_room(folder, name)
    descriptor = safe_files.writing(name, append=True, read=True, folder=folder)
    try:
        size = os.fstat(descriptor).st_size
        if size and portable.pread(descriptor, 1, size - 1) != b"\n":
            raw = b"\n" + raw  # a full disk tore the line before
        return os.write(descriptor, raw) == len(raw)
    finally:
        os.close(descriptor)


def _make_room(folder: Folder, name: str) -> None:
    """Move a file that is full aside. Raises OSError."""
    try:
        if portable.status_at(name, folder).st_size > SIZE_LIMIT:
            portable.replace_at(name, f"{name}.1", folder)
    except FileNotFoundError:
        return  # there is none yet, or another process moved it


def _lines(path: str) -> Iterator[JsonObject]:
    try:
        folder = safe_files.open_folder(os.path.dirname(path) or os.curdir)
        try:
            descriptor = safe_files.reading(os.path.basename(path), folder=folder)
        finally:
            portable.close(folder)
    except OSError:
        return
    try:
        raw = os.read(descriptor, 4 * SIZE_LIMIT)
    finally:
        os.close(descriptor)
    for line in filter(None, raw.split(b"\n")):
        try:
            value = object_or_none(loads(line.decode("ascii")))
        except (ValueError, RecursionError):
            continue
        if value is not None and str(value.get("kind")) in KINDS:
            yield value
