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

from exitgate import __version__, system
from exitgate.dryrun.kept_runs import from_plain, to_plain
from exitgate.dryrun.watched import state_of, unchanged
from exitgate.model.digest import SIZE, hex_digest
from exitgate.model.value import Value
from exitgate.policy import private
from exitgate.policy.private import Refused
from exitgate.transcripts.registry import READERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.dryrun.kept_runs import KeptRun
    from exitgate.dryrun.watched import Seen
    from exitgate.system import Folder
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Problem

#: Raised by one whenever the form of an entry changes.
FORMAT = 2
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


class Recalled(Value):
    """
    What the cache knows of a transcript.

    Args:
        runs: Its runs, None where the transcript must be read.
        problems: What was wrong with it.
        columns: Key of an entry -> what it found, as `exitgate.dryrun.facts_columns.Columns.plain` has it.
        note: What is wrong with the cache, for people, or the empty text.
    """

    __slots__ = ("columns", "note", "problems", "runs")

    def __init__(
        self,
        runs: tuple[KeptRun, ...] | None = None,
        problems: tuple[Problem, ...] = (),
        columns: Mapping[str, bytes] | None = None,
        note: str = "",
    ) -> None:
        self.runs = runs
        self.problems = problems
        self.columns = columns or {}
        self.note = note


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

    def known_reader(self, place: Place) -> str | None:
        """Return the reader that read a file which is as it was then; None where that is not known."""
        if place.system is not None or place.is_folder:
            return None
        self._last = (place.path, self._read(place.path))
        raw = self._last[1]
        if not isinstance(raw, bytes):
            return None
        try:
            reader, beside, states = msgspec.json.decode(raw.partition(b"\n")[0])
            same = beside == self._beside(place.path) and unchanged(states)
        except DAMAGE:
            return None
        return str(reader) if same else None

    def recall(self, place: Place, reader: str, keys: Iterable[str]) -> Recalled:
        """Return what is known of a transcript; all of `keys` are among its columns, else it must be read."""
        if not self.keeps(place, reader):
            return Recalled()
        path, raw = self._last
        self._last = ("", None)
        if path != place.path or raw is None:
            raw = self._read(place.path)
        if raw is None:
            return Recalled()
        if isinstance(raw, str):
            return Recalled(note=raw)
        try:
            head, runs, *rest = raw.split(b"\n")
            who, _, states = msgspec.json.decode(head)
            if who != reader or not unchanged(states):
                return Recalled()
            columns = {line[:_KEY].decode("ascii"): line[_KEY + 1 :] for line in rest}
            if not columns.keys() >= set(keys):
                return Recalled(columns=columns)
            found, problems = from_plain(msgspec.json.decode(runs))
        except DAMAGE as error:
            return Recalled(
                note=f"the facts kept of `{place.path}` have another format: {type(error).__name__}"
            )
        return Recalled(found, problems, columns)

    def keeps(self, place: Place, reader: str) -> bool:
        """Return whether facts of this transcript may be kept."""
        return place.system is None and reader not in _NOT_KEPT and reader in READERS

    def keep(
        self,
        place: Place,
        reader: str,
        seen: Seen,
        runs: Iterable[KeptRun],
        problems: Iterable[Problem],
        columns: Mapping[str, bytes],
    ) -> str:
        """Keep what was found; return what kept it from being kept, or the empty text."""
        if not seen.lasting:
            return ""
        head = [reader, None if place.is_folder else self._beside(place.path), seen.plain()]
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
            folder = private.open_folder(place)
            try:
                raw = private.read(folder, name, BYTES)
            finally:
                system.close(folder)
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
            folder = private.open_folder(self._place(), make=True)
            try:
                private.write(folder, self._name(path), raw)
                if self._written % _ROUND == 0:
                    _prune(folder)
                self._written += 1
            finally:
                system.close(folder)
        except Refused as refused:
            return f"facts are not kept: {refused}"
        return ""

    def _place(self) -> str:
        return self.folder or os.path.join(private.place(os.environ), _FOLDER)

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
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
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
        private.remove(folder, name)
        total -= size
