"""What a reader looked at: files, lists of names, questions whether something is there."""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.model.digest import SIZE, blake2b, hex_digest
from exitgate.transcripts.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    #: What was seen at a path: of a file its size, its times and a digest of both ends; of a folder
    #: a digest of its names; or whether there is a file.
    State = list[object]

#: Bytes at either end of a file that its digest is made of.
_END = 4_096


class Seen:
    """The states of all that was looked at, by what was asked and the path."""

    __slots__ = ("states",)

    def __init__(self) -> None:
        self.states: dict[tuple[str, str], State] = {}

    def note(self, asked: str, path: str) -> None:
        """Note how things are, the first time that something is asked."""
        key = (asked, os.path.abspath(path))
        if key not in self.states:
            self.states[key] = _state(*key)

    @property
    def lasting(self) -> bool:
        """Whether everything still is as it was when it was looked at."""
        return all(_state(*key) == state for key, state in self.states.items())

    def plain(self) -> list[list[object]]:
        """Return it as JSON."""
        return [[*key, state] for key, state in self.states.items()]


def unchanged(plain: list[list[Any]]) -> bool:
    """Return whether all that `Seen.plain` shows is as it was."""
    return all(_state(str(asked), str(path)) == state for asked, path, state in plain)


class WatchedPlace(Place):
    """A file or folder of this machine; what is looked at from here on is noted."""

    __slots__ = ("_seen",)

    def __init__(self, path: str, is_folder: bool, seen: Seen) -> None:
        super().__init__(path, is_folder)
        self._seen = seen

    def at(self, name: str, is_folder: bool = False) -> Place:
        """As `Place.at`."""
        return self._same(super().at(name, is_folder))

    def parent(self) -> Place:
        """As `Place.parent`."""
        return self._same(super().parent())

    def exists(self) -> bool:
        """As `Place.exists`."""
        self._seen.note("exists", self.path)
        return super().exists()

    def open(self) -> BinaryIO:
        """As `Place.open`."""
        self._seen.note("file", self.path)
        return super().open()

    def names(self) -> tuple[str, ...]:
        """As `Place.names`."""
        self._seen.note("names", self.path)
        return super().names()

    def size(self) -> int | None:
        """As `Place.size`."""
        self._seen.note("size", self.path)
        return super().size()

    def _same(self, other: Place) -> Place:
        return WatchedPlace(other.path, other.is_folder, self._seen)


def _state(asked: str, path: str) -> State:
    if asked == "exists":
        return [os.path.isfile(path)]
    try:
        if asked == "size":
            return [os.path.getsize(path)]
        if asked == "names":
            names = Place(path, True).names()
            return [len(names), hex_digest("\0".join(names).encode("utf-8", "surrogatepass"))]
        file = opening.reading(path, links=True)
        try:
            status = os.fstat(file)
            digest = blake2b(os.read(file, _END), digest_size=SIZE)
            if status.st_size > _END:
                digest.update(system.pread(file, _END, max(_END, status.st_size - _END)))
        finally:
            os.close(file)
    except OSError as error:
        return [error.errno]
    # the time of change too: a program may set the other one back after it has written
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest.hexdigest()]


def state_of(asked: str, path: str) -> State:
    """Return how things are now at an absolute path."""
    return _state(asked, path)
