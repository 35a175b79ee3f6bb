"""
Records on their way to a collector: one small file each, in a folder of the user's cache.

A file is named ``<destination>.<time and chance>.<signals left>.<tries>.json``. The destination is a
digest of all OTEL_* variables: a sender takes only what was meant for where it sends to, and no secret
of those variables is on the disk. `docs/decisions/0706-telemetry.md` says why there is a spool at all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping

from exitgate.core.model.value import Value
from exitgate.core.state.incidents import incidents, note
from exitgate.core.system import folders, portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.system.portable import Folder

    Record = dict[str, object]


FOLDER = "telemetry"
LOCK = "lock"
#: Records of one destination that wait, at most; how often each is tried; and how long it waits, seconds.
LIMIT, TRIES, AGE = 256, 9, 24 * 3600
_SIZE = 1 << 16
_ENDING = "json"
_HEX = "0123456789abcdef"
_PARTS = 5


class Waiting(Value):
    """
    One record of the spool.

    Args:
        destination: See `destination`.
        key: Time in nanoseconds and some chance; sorts by age.
        left: Letters of the signals that were not sent yet.
        tries: How often it was tried.
    """

    __slots__ = ("destination", "key", "left", "tries")

    def __init__(self, destination: str, key: str, left: str, tries: int) -> None:
        self.destination = destination
        self.key = key
        self.left = left
        self.tries = tries

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.destination}.{self.key}.{self.left}.{self.tries}.{_ENDING}"

    def is_over(self, now: int) -> bool:
        """Return whether it was tried too often, or waits too long; `now` in nanoseconds."""
        return self.tries >= TRIES or now - int(self.key[:20]) > AGE * 10**9


def destination(environment: Mapping[str, str]) -> str:
    """Return 16 hex digits, the same for the same OTEL_* variables."""
    named = sorted((name, value) for name, value in environment.items() if name.startswith("OTEL_"))
    return hex_digest(repr(named).encode("utf-8", "surrogateescape"))[:16]


def place(environment: Mapping[str, str]) -> str:
    """Return the path of the spool. Raises `exitgate.core.system.folders.Refused` where there can be none."""
    return os.path.join(folders.place(environment), FOLDER)


def opened(environment: Mapping[str, str]) -> Folder:
    """Return the spool, open, made where it is missing; raises as `place`."""
    return folders.open_folder(place(environment), make=True)


def put(folder: Folder, goal: str, record: Record, signals: str) -> None:
    """Add a record. Raises `Refused` where it cannot be written."""
    key = f"{time.time_ns():020}{os.urandom(4).hex()}"
    content = dumps(record).encode("ascii")
    if len(content) > _SIZE:
        raise folders.Refused(f"a record of {len(content)} bytes is too large")
    folders.write(folder, Waiting(goal, key, signals, 0).name, content)


def waiting(folder: Folder, goal: str) -> list[Waiting]:
    """Return the records for a destination, oldest first."""
    found = (_waiting(name) for name in safe_files.names_in(folder))
    return sorted((one for one in found if one and one.destination == goal), key=lambda one: one.key)


def taken(folder: Folder, one: Waiting) -> Record | None:
    """Return what a record holds, or None where it is gone or is not ours."""
    try:
        raw = folders.read(folder, one.name, _SIZE)
        value = None if raw is None else loads(raw.decode("ascii"))
    except (folders.Refused, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_record(value) else None


def moved(folder: Folder, one: Waiting, left: str, tries: int) -> Waiting:
    """
    Note what is left to be sent of a record, and how often it was tried; with nothing left it goes.

    One that a check gave up meanwhile, because too many wait, stays given up.
    """
    after = Waiting(one.destination, one.key, left, tries)
    if not left:
        folders.remove(folder, one.name)
        return after
    try:
        portable.replace_at(one.name, after.name, folder)
    except FileNotFoundError:
        return after
    return after


def removed(folder: Folder, gone: Iterable[Waiting]) -> None:
    """Remove records."""
    for one in gone:
        folders.remove(folder, one.name)


def locked(folder: Folder, goal: str) -> int | None:
    """
    Return a descriptor that holds the right to send to a destination until it is closed; None if taken.

    One byte of one file stands for each destination, so that no files pile up.
    """
    file = safe_files.writing(LOCK, read=True, folder=folder)
    try:
        portable.lock_byte(file, int(goal[:7], 16))
    except OSError:
        os.close(file)
        return None
    return file


def _is_record(value: Record) -> bool:
    """Return whether a record has what a span cannot do without."""
    ids = (("trace", 32), ("span", 16))
    return all(isinstance(value.get(key), int) for key in ("start", "duration")) and all(
        isinstance(text := value.get(key), str) and len(text) == size and not text.strip(_HEX)
        for key, size in ids
    )


def _waiting(name: str) -> Waiting | None:
    parts = name.split(".")
    if len(parts) != _PARTS or parts[-1] != _ENDING:
        return None
    goal, key, left, tries, _ = parts
    if not (tries.isdecimal() and key[:20].isdecimal() and len(key) > 20 and left):
        return None
    return Waiting(goal, key, left, int(tries))


# What telemetry lost, as incidents that `exitgate doctor` shows.

KIND = "telemetry"


def note_once(directory: str, text: str, **details: int) -> None:
    """
    Keep an incident beside a ledger, unless the latest one there says the same.

    Where the state directory is gone nothing is kept: its ledger is gone, too.
    """
    if not os.path.isdir(directory):
        return
    latest = incidents(directory)[-1:]
    if not any(one.get("message") == text for one in latest):
        note(directory, KIND, text, **details)


def reason_lost(error: Exception) -> str:
    """Return an error's reason as part of a sentence."""
    text = getattr(error, "strerror", None) or str(error)
    if not text:
        return type(error).__name__
    # A name in capitals stays one.
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
