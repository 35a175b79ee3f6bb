"""
Facts of runs, kept in the user's cache: a transcript that is walked again is not read again.

An entry is a file of lines: a head with the digest of the rest; the reader, what it looked at and how that
was; the runs; then what each entry of the policies found, its key in front. Its name is the digest of the
transcript's path and this exitgate. If anything is wrong with it, the transcript is read anew.
"""

from __future__ import annotations

import os
import sys
from functools import cache

import msgspec
from msgspec import Struct

from exitgate import __version__
from exitgate.core.system import folders as folders_module
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import SIZE, blake2b, hex_digest
from exitgate.core.system.folders import Refused
from exitgate.recordings.location import Location
from exitgate.recordings.registry import READERS
from exitgate.recordings.replay.stored_runs import from_plain, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any, BinaryIO

    from exitgate.core.system.portable import Folder
    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Problem
    from exitgate.recordings.replay.stored_runs import StoredRun

    #: What was seen at a path: of a file its size, its times and a digest of both ends; of a folder
    #: a digest of its names; or whether there is a file.
    State = list[object]


#: Raised by one whenever the form of an entry changes.
FORMAT = 3
#: Bytes of one entry; facts of a longer transcript are extracted each time.
BYTES = 64 * 1024 * 1024
#: Bytes of all entries; the ones written longest ago go first.
TOTAL = 512 * 1024 * 1024

#: Entries that are written between two looks at how much there is.
_ROUND = 64

#: Which characters are letters, and how they are folded, is a matter of the Python that runs this.
_PYTHON = sys.implementation.cache_tag or sys.version

_FOLDER = "facts"
_ENDING = ".facts"
_HEAD = b"exitgate facts "
#: Letters of the digest that is in front of what an entry of a policy found.
_KEY = 2 * SIZE
#: What can be wrong with an entry that somebody changed.
DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, msgspec.MsgspecError
)  # fmt: skip
#: Readers that look at more than files: what they say may change while no file does.
_NOT_KEPT = frozenset(("git-history",))


class CachedRuns(Struct, frozen=True):
    """
    What the cache knows of a transcript.

    Args:
        runs: Its runs, None where the transcript must be read.
        problems: What was wrong with it.
        columns: Key of an entry -> what it found, as `stored_runs.Columns.plain` has it.
        note: What is wrong with the cache, for people, or the empty text.
    """

    runs: tuple[StoredRun, ...] | None = None
    problems: tuple[Problem, ...] = ()
    columns: Mapping[str, bytes] = {}
    note: str = ""


class FactsCache:
    """
    The cache as one dry run sees it. Costs nothing until it is asked.

    Args:
        folder: Of the user's own, absolute; None for the default place. Raises nothing: a folder that
            cannot be used gives notes.
        subagents: Whether runs of sub-agents count; else nothing is looked for in them.
    """

    def __init__(self, folder: str | None = None, subagents: bool = False) -> None:
        self.folder = folder
        self.subagents = subagents
        self._written = 0
        #: How names was in folders when they were first asked for; one dry run is short.
        self._names: dict[str, object] = {}
        #: The entry that was read last: who asks for the reader soon asks for the rest.
        self._last: tuple[str, bytes | str | None] = ("", None)

    def known_reader(self, place: Location) -> str | None:
        """Return the reader that read a file which is as it was then; None where that is not known."""
        if place.system is not None or place.is_folder:
            return None
        self._last = (place.path, self._read(place.path))
        raw = self._last[1]
        if not isinstance(raw, bytes):
            return None
        try:
            reader, beside, states, _ = msgspec.json.decode(raw.partition(b"\n")[0])
            same = beside == self._beside(place.path) and unchanged(states)
        except DAMAGE:
            return None
        return str(reader) if same else None

    def recall(self, place: Location, reader: str, keys: Iterable[str], wants: Collection[str]) -> CachedRuns:
        """
        Return what is known of a transcript; all of `keys` are among its columns, else it must be read.

        Nothing is known of one that was read for other parts than `wants`: a reader leaves out what is not
        wanted of an iteration, and so its runs are others.
        """
        if not self.keeps(place, reader):
            return CachedRuns()
        path, raw = self._last
        self._last = ("", None)
        if path != place.path or raw is None:
            raw = self._read(place.path)
        if raw is None:
            return CachedRuns()
        if isinstance(raw, str):
            return CachedRuns(note=raw)
        try:
            head, runs, *rest = raw.split(b"\n")
            who, _, states, wanted = msgspec.json.decode(head)
            if who != reader or wanted != sorted(wants) or not unchanged(states):
                return CachedRuns()
            columns = {line[:_KEY].decode("ascii"): line[_KEY + 1 :] for line in rest}
            if not columns.keys() >= set(keys):
                return CachedRuns(columns=columns)
            found, problems = from_plain(msgspec.json.decode(runs))
        except DAMAGE as error:
            return CachedRuns(
                note=f"the facts kept of `{place.path}` have another format: {type(error).__name__}"
            )
        return CachedRuns(found, problems, columns)

    def keeps(self, place: Location, reader: str) -> bool:
        """Return whether facts of this transcript may be kept."""
        return place.system is None and reader not in _NOT_KEPT and reader in READERS

    def keep(
        self,
        place: Location,
        reader: str,
        seen: Observed,
        runs: Iterable[StoredRun],
        problems: Iterable[Problem],
        columns: Mapping[str, bytes],
        wants: Collection[str],
    ) -> str:
        """Keep what was found; return what kept it from being kept, or the empty text."""
        if not seen.lasting:
            return ""
        beside = None if place.is_folder else self._beside(place.path)
        head = [reader, beside, seen.plain(), sorted(wants)]
        lines = [msgspec.json.encode(head), msgspec.json.encode(to_plain(runs, problems))]
        lines += [key.encode("ascii") + b" " + column for key, column in columns.items()]
        return self._write(place.path, b"\n".join(lines))

    def _beside(self, path: str) -> object:
        """Return how the names beside a file are: which reader fits it may rest on them."""
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in self._names:
            self._names[folder] = state_of("names", folder)
        return self._names[folder]

    def _read(self, path: str) -> bytes | str | None:
        """Return the lines behind the head, None where there is no entry, or what is wrong with it."""
        name = self._name(path)
        try:
            place = self._place()
            if not os.path.lexists(place):
                return None
            folder = folders_module.open_folder(place)
            try:
                raw = folders_module.read(folder, name, BYTES)
            finally:
                portable.close(folder)
        except Refused as refused:
            return f"the facts kept of `{path}` cannot be used: {refused}"
        if raw is None:
            return None
        head, _, rest = raw.partition(b"\n")
        if head != _head(rest):
            return f"the facts kept of `{path}` are damaged"
        return rest

    def _write(self, path: str, rest: bytes) -> str:
        raw = _head(rest) + b"\n" + rest
        if len(raw) > BYTES:
            return ""
        try:
            folder = folders_module.open_folder(self._place(), make=True)
            try:
                folders_module.write(folder, self._name(path), raw)
                if self._written % _ROUND == 0:
                    _prune(folder)
                self._written += 1
            finally:
                portable.close(folder)
        except Refused as refused:
            return f"facts are not kept: {refused}"
        return ""

    def _place(self) -> str:
        return self.folder or os.path.join(folders_module.place(os.environ), _FOLDER)

    def _name(self, path: str) -> str:
        asked = "\0".join(
            (str(FORMAT), __version__, _PYTHON, _code(), str(self.subagents), os.path.abspath(path))
        )
        return hex_digest(asked.encode("utf-8", "surrogatepass")) + _ENDING


def _head(rest: bytes) -> bytes:
    return _HEAD + hex_digest(rest).encode("ascii")


@cache
def _code() -> str:
    """
    Return a digest of what this program is made of: after any change to it, facts are found anew.

    An installed one is known by when it was written there; in a checkout every file may be edited.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    states = [package]
    if os.path.isdir(os.path.join(package, "policies")):
        status = os.stat(__file__)
        states.append(f"{status.st_mtime_ns} {status.st_size} {status.st_ino}")
        return hex_digest("\n".join(states).encode("utf-8", "surrogatepass"))
    for folder, folders, files in os.walk(package):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            if name.endswith(".py"):
                status = os.stat(os.path.join(folder, name))
                states.append(f"{folder} {name} {status.st_mtime_ns} {status.st_size}")
    return hex_digest("\n".join(states).encode("utf-8", "surrogatepass"))


def _prune(folder: Folder) -> None:
    """Remove the oldest entries beyond `TOTAL` bytes, leftovers of killed writers included."""
    entries = []
    with os.scandir(folder) as found:
        for entry in found:
            if _ENDING in entry.name:
                try:
                    status = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # another process removed it
                entries.append((status.st_mtime_ns, status.st_size, entry.name))
    total = sum(size for _, size, _ in entries)
    for _, size, name in sorted(entries):
        if total <= TOTAL:
            return
        folders_module.remove(folder, name)
        total -= size


# What a reader looked at: files, lists of names, questions whether something is there.

#: Bytes at either end of a file that its digest is made of.
_END = 4_096


class Observed:
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


class WatchedLocation(Location):
    """A file or folder of this machine; what is looked at from here on is noted."""

    __slots__ = ("_seen",)

    def __init__(self, path: str, is_folder: bool, seen: Observed) -> None:
        super().__init__(path, is_folder)
        self._seen = seen

    def at(self, name: str, is_folder: bool = False) -> Location:
        """As `Place.at`."""
        return self._same(super().at(name, is_folder))

    def parent(self) -> Location:
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

    def _same(self, other: Location) -> Location:
        return WatchedLocation(other.path, other.is_folder, self._seen)


def _state(asked: str, path: str) -> State:
    if asked == "exists":
        return [os.path.isfile(path)]
    try:
        if asked == "size":
            return [os.path.getsize(path)]
        if asked == "names":
            names = Location(path, True).names()
            return [len(names), hex_digest("\0".join(names).encode("utf-8", "surrogatepass"))]
        file = safe_files.reading(path, links=True)
        try:
            status = os.fstat(file)
            digest = blake2b(os.read(file, _END), digest_size=SIZE)
            if status.st_size > _END:
                digest.update(portable.pread(file, _END, max(_END, status.st_size - _END)))
        finally:
            os.close(file)
    except OSError as error:
        return [error.errno]
    # the time of change too: a program may set the other one back after it has written
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, digest.hexdigest()]


def state_of(asked: str, path: str) -> State:
    """Return how things are now at an absolute path."""
    return _state(asked, path)
