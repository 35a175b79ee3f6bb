"""
The head of a ledger: end, hash and number of its newest acknowledged line, kept outside the project.

No later line covers the newest one yet, and nothing in a ledger says how long it is. So each check leaves the
head in a folder that only the user can write, under the ledger's identity (the digest of its first line) and
the place where the ledger is. A ledger that was moved or copied is known again by its identity; two copies
have a head each. A head that cannot be kept or read is none: then the ledger is not anchored, and nothing
else changes.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.file import hash_of, open_reading, path_in, raw_at, start_of_last, whole_size
from exitgate.core.model.json_object import array_of, object_or_none
from exitgate.core.model.value import Value
from exitgate.core.system import folders, portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps_finite, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from exitgate.core.system.portable import Folder

    #: End of a line in bytes, its hash, its number.
    Mark = tuple[int, str, int]


FORMAT = 1
#: Variable that names the folder, absolute; empty for none.
VARIABLE = "EXITGATE_HEAD_DIR"
#: What a ledger is: no head is known; it continues from its head; from that of the place where it was before;
#: it is a copy that went another way; it differs from the acknowledged line; it replaced another.
UNKNOWN, ANCHORED, MOVED, FORKED, BROKEN, REPLACED = (
    "not anchored", "anchored", "moved", "forked", "broken", "replaced"
)  # fmt: skip

#: Bytes of a head at most, marks that it keeps of what was found broken, heads that are kept.
_LARGEST, _MARKS, _HEADS = 64_000, 20, 4096
ENDING = ".head"
_LONGEST = 32


class Breach(Value):
    """A line that was acknowledged and is not as it was: its number, its end in bytes, and what is wrong."""

    __slots__ = ("end", "number", "reason")

    def __init__(self, number: int, end: int, reason: str) -> None:
        self.number = number
        self.end = end
        self.reason = reason


class Anchor(Value):
    """
    How a ledger compares with its head.

    Args:
        state: One of the states above.
        breaches: What is not as it was acknowledged; also what an earlier check found.
        fresh: Those that no check has reported yet.
        elsewhere: Where the ledger it was copied from is, or the empty text.
        kept: Marks of breaches, for the next head.
    """

    __slots__ = ("breaches", "elsewhere", "fresh", "kept", "state")

    def __init__(
        self,
        state: str,
        breaches: tuple[Breach, ...] = (),
        fresh: tuple[Breach, ...] = (),
        elsewhere: str = "",
        kept: tuple[Mark, ...] = (),
    ) -> None:
        self.state = state
        self.breaches = breaches
        self.fresh = fresh
        self.elsewhere = elsewhere
        self.kept = kept

    @property
    def known(self) -> bool:
        """Whether this user's exitgate wrote the ledger, here or where it was before."""
        return self.state in (ANCHORED, MOVED, BROKEN)

    def remarks(self) -> tuple[str, ...]:
        """Return what a check reports about it."""
        if self.state == FORKED:
            return (f"it is a copy of `{path_in(self.elsewhere)}`, and the two have diverged",)
        return tuple(f"line {one.number}: {one.reason}" for one in self.fresh)


class _Head(Value):
    __slots__ = ("id", "marks", "place")

    def __init__(self, id: str, place: str, marks: tuple[Mark, ...]) -> None:
        self.id = id
        self.place = place
        self.marks = marks


def compare(directory: str, descriptor: int, end: int) -> Anchor:
    """
    Compare a ledger with the head that is known of it.

    Args:
        directory: The state directory.
        descriptor: The ledger, open.
        end: Bytes up to the end of its last whole line.
    """
    try:
        folder = folder_of_heads(make=False)
    except folders.Refused:
        return Anchor(UNKNOWN)
    try:
        return _compared(folder, os.path.realpath(directory), descriptor, end)
    except (OSError, folders.Refused):
        return Anchor(UNKNOWN)
    finally:
        portable.close(folder)


def look(directory: str) -> Anchor:
    """
    Compare the ledger in a state directory with its head, without the lock.

    Raises:
        ExitgateError: 74 when it is there and cannot be read.
    """
    descriptor = open_reading(directory)
    if descriptor is None:
        return Anchor(UNKNOWN)
    try:
        return compare(directory, descriptor, whole_size(descriptor))
    finally:
        os.close(descriptor)


def keep(directory: str, descriptor: int, mark: Mark, broken: Sequence[Mark]) -> bool:
    """
    Keep the head of a ledger; return whether it could be kept.

    Args:
        directory: The state directory.
        descriptor: The ledger, open.
        mark: Its newest line, on the disk.
        broken: Marks of acknowledged lines that are not as they were.
    """
    try:
        folder = folder_of_heads(make=True)
    except folders.Refused:
        return False
    try:
        place, id = os.path.realpath(directory), identity(descriptor)
        name = name_for(id, place)
        plain = {"format": FORMAT, "id": id, "place": place, "marks": [mark, *broken[:_MARKS]]}
        if not _is_there(folder, name):
            _make_room(folder, place)
        folders.write(folder, name, dumps_finite(plain).encode("ascii"))
    except (OSError, ValueError, folders.Refused):
        return False
    finally:
        portable.close(folder)
    return True


def _compared(folder: Folder, place: str, descriptor: int, end: int) -> Anchor:
    id = identity(descriptor) if end else ""
    own = _read(folder, name_for(id, place)) if end else None
    if own is not None:
        return _compare_marks(own, descriptor, end, ANCHORED)
    names = [name for name in safe_files.names_in(folder) if name.endswith(ENDING)]
    others = [_read(folder, name) for name in sorted(names) if end and name.startswith(f"{id}.")]
    copies = [one for one in others if one is not None and one.id == id]
    for one in copies:
        if holds(descriptor, end, one.marks[0]):
            return _compare_marks(one, descriptor, end, MOVED)
    there = [one for one in copies if _is_ledger(one.place, id)]
    if there:
        return Anchor(FORKED, elsewhere=there[0].place)
    if copies:
        return _compare_marks(copies[0], descriptor, end, MOVED)
    return _replaced(folder, place, names, end)


def _compare_marks(head: _Head, descriptor: int, end: int, state: str) -> Anchor:
    """Compare a ledger with every mark of a head, of which the first is that of the newest line."""
    broken = [mark for mark in head.marks if not holds(descriptor, end, mark)]
    if not broken:
        return Anchor(state)
    breaches = tuple(_breach(mark, end) for mark in broken)
    fresh = breaches[:1] if broken[0] == head.marks[0] else ()
    return Anchor(BROKEN, breaches, fresh, kept=tuple(broken))


def _replaced(folder: Folder, place: str, names: Iterable[str], end: int) -> Anchor:
    """Compare with what is known of another ledger at the same place."""
    of_place = [name for name in names if is_of(name, place)]
    before = next((head for name in of_place if (head := _read(folder, name)) is not None), None)
    if before is None or before.place != place:
        return Anchor(UNKNOWN)
    mark = before.marks[0]
    if not end:
        breach = Breach(mark[2], 0, f"the ledger that was here, of {_lines(mark[2])}, is missing")
        return Anchor(REPLACED, (breach,), (breach,))
    breach = Breach(
        1, mark[0], f"another ledger was here, of {_lines(mark[2])}; this one was not started here"
    )
    return Anchor(REPLACED, (breach,), (breach,), kept=(mark,))


def _breach(mark: Mark, end: int) -> Breach:
    if mark[0] > end:
        return Breach(mark[2], end, "it was acknowledged but is now missing")
    return Breach(mark[2], mark[0], "it differs from the acknowledged line")


def holds(descriptor: int, end: int, mark: Mark) -> bool:
    """Return whether the line of a mark ends where it ended, with the bytes that it had."""
    if mark[0] > end:
        return False
    start = start_of_last(descriptor, mark[0])
    raw = raw_at(descriptor, start)
    return raw is not None and start + len(raw) + 1 == mark[0] and hash_of(raw) == mark[1]


def _is_ledger(place: str, id: str) -> bool:
    """Return whether a ledger of this identity is at a place. Raises nothing."""
    from exitgate.core.model.diagnostic import ExitgateError

    try:
        descriptor = open_reading(place)
        if descriptor is None:
            return False
        try:
            return identity(descriptor) == id
        finally:
            os.close(descriptor)
    except (OSError, ValueError, ExitgateError):
        return False


def identity(descriptor: int) -> str:
    """Return what a ledger is known by wherever it is: the digest of its first line."""
    return hash_of(raw_at(descriptor, 0) or b"")[:_LONGEST]


def name_for(id: str, place: str, ending: str = ENDING) -> str:
    """Return the name of a file that is kept of the ledger `id` at a place."""
    return f"{id}.{_digest_of(place)}{ending}"


def is_of(name: str, place: str) -> bool:
    """Return whether a file is kept of a ledger at a place."""
    return name.partition(".")[2].partition(".")[0] == _digest_of(place)


def _digest_of(place: str) -> str:
    return hex_digest(os.fsencode(place))[:_LONGEST]


def folder_of_heads(make: bool) -> Folder:
    """Return the open folder of heads. Raises Refused."""
    return folders.open_folder(place_of_heads(os.environ), make=make)


def place_of_heads(environment: Mapping[str, str]) -> str:
    """
    Return the path of the folder: EXITGATE_HEAD_DIR, else below XDG_STATE_HOME or ``~/.local/state``.

    Raises:
        Refused: It is switched off by an empty EXITGATE_HEAD_DIR, is not absolute, or there is no home.
    """
    named = environment.get(VARIABLE)
    if named is not None:
        if not os.path.isabs(named):
            raise folders.Refused(f"{VARIABLE} is empty or not an absolute path")
        return named
    try:
        return os.path.join(portable.user_folder(environment, portable.STATES), "heads")
    except LookupError as error:
        raise folders.Refused(str(error)) from error


def _read(folder: Folder, name: str) -> _Head | None:
    """Return a head, None when there is none or it is not as it was written. Raises Refused."""
    raw = folders.read(folder, name, _LARGEST)
    try:
        found = None if raw is None else object_or_none(loads(raw))
    except (ValueError, RecursionError):
        return None
    if found is None or found.get("format") != FORMAT:
        return None
    id, place = found.text("id"), found.text("place")
    marks: Any = found.array("marks")
    if id is None or place is None:
        return None
    usable = [(one[0], one[1], one[2]) for one in marks if is_mark(one)]
    return _Head(id, place, tuple(usable)) if usable and len(usable) == len(marks) else None


def is_mark(one: Any) -> bool:
    """Return whether a value that was read is a mark."""
    return [type(part) for part in array_of(one)] == [int, str, int] and one[0] > 0 and one[2] > 0


def _is_there(folder: Folder, name: str) -> bool:
    try:
        portable.status_at(name, folder)
    except FileNotFoundError:
        return False
    return True


def _make_room(folder: Folder, place: str) -> None:
    """Forget other ledgers at a place, and of too many heads those that were longest unused."""
    names = safe_files.names_in(folder)
    for name in names:
        if is_of(name, place):
            folders.remove(folder, name)
    if len(names) > _HEADS:
        used = sorted((portable.status_at(name, folder).st_mtime, name) for name in names)
        for _, name in used[: len(names) - _HEADS * 3 // 4]:
            folders.remove(folder, name)


def _lines(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'}"
