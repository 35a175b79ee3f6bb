"""
From a reference to files that may be used: the lock file says which, the store has them.

Nothing is fetched here. What is not in the lock file, not in the store, or not what was pinned is an error
that names the command to run.
"""

from __future__ import annotations

import os
import posixpath

from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value
from exitgate.core.policy.extending.semver import accepts
from exitgate.core.policy.locked import store
from exitgate.core.policy.locked.files import Refused, shown
from exitgate.core.policy.locked.lock_file import COMMAND, Lock, lock_of, places_from
from exitgate.core.policy.locked.reference import Remote, Unfit, file_of, is_commit, is_range, parse
from exitgate.core.system import portable
from exitgate.core.system.folders import LOCK_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.cache import Seen
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.locked.lock_file import Locked


_RUN = f"run `{COMMAND}`"


class Unpacked(Value):
    """
    The files of a package or repository, compared with their digest just now.

    Args:
        entry: How it is pinned.
        folder: Where the files lie.
        files: Name -> content.
        lock: The lock file that pins it, and what it names.
    """

    __slots__ = ("entry", "files", "folder", "lock")

    def __init__(self, entry: Locked, folder: str, files: Mapping[str, bytes], lock: Lock) -> None:
        self.entry = entry
        self.folder = folder
        self.files = files
        self.lock = lock

    def path_of(self, name: str) -> str:
        """Return where a file of it lies."""
        return os.path.join(self.folder, *name.split("/"))

    def beside(self, name: str, path: str) -> str:
        """
        Return the file that a path in another one of its files means.

        Raises:
            Unfit: There is none in it.
        """
        found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if found.startswith(("..", "/", "~")) or path.startswith("~"):
            raise Unfit(f"`{shown(path)}` leads out of what was fetched", "name a file beside it")
        if found not in self.files:
            raise Unfit(f"there is no file `{shown(path)}` in what was fetched", "report it to its authors")
        return found


class Opener:
    """
    Opens what references name; each lock file is read once, each digest compared once.

    Args:
        findings: Takes EP842 to EP845, and what is wrong with a lock file.
        environment: Says where the store is.
        seen: Receives the lock files that were looked for.
    """

    def __init__(self, findings: Findings, environment: Mapping[str, str], seen: Seen | None = None) -> None:
        self._findings = findings
        self._environment = environment
        self._seen = seen
        self._locks: dict[str, Lock | None] = {}
        self._opened: dict[tuple[str, str], Unpacked] = {}

    def find(self, reference: str, place: Location | None, start: str | Lock) -> tuple[Unpacked, str] | None:
        """
        Return the files of what a reference names, and which of them it means; None after an error.

        Args:
            reference: As it is written.
            place: Where it is named; None on the command line.
            start: The folder from which the lock file is looked for upward, or that file.
        """
        try:
            remote = parse(reference)
        except Unfit as unfit:
            self._findings.error("EP842", f"`{shown(reference)}` names no file: {unfit}", place, unfit.help)
            return None
        before = self._findings.errors()
        lock = start if isinstance(start, Lock) else self.lock(start)
        if lock is None:
            if self._findings.errors() == before:
                message = f"`{remote.source}` is not pinned: there is no `{LOCK_FILE}`"
                self._findings.error("EP844", message, place, f"{_RUN} in the folder of the project")
            return None
        entry = lock.entries.get(remote.source)
        if entry is None or not fits(remote, entry):
            found = f"has {entry.pinned}" if entry is not None else "does not have it"
            message = f"`{shown(reference)}` is not pinned: `{LOCK_FILE}` {found}"
            self._findings.error("EP844", message, place, _RUN)
            return None
        unpacked = self._unpacked(entry, lock, place)
        try:
            return None if unpacked is None else (unpacked, file_of(remote.path, unpacked.files))
        except Unfit as unfit:
            self._findings.error("EP842", f"`{shown(reference)}` names no file: {unfit}", place, unfit.help)
            return None

    def lock(self, folder: str) -> Lock | None:
        """Return the lock file of a folder; None where there is none, or after an error."""
        if folder not in self._locks:
            self._locks[folder] = None
            for path in places_from(folder, self._environment):
                if self._seen is not None:
                    self._seen.looked(path)
                if os.path.lexists(path):
                    self._locks[folder] = read_lock(path, self._findings)
                    break
        return self._locks[folder]

    def _unpacked(self, entry: Locked, lock: Lock, place: Location | None) -> Unpacked | None:
        key = lock.path, entry.source
        if key not in self._opened:
            named = f"`{entry.source}` {entry.pinned}"
            try:
                files = store.load(entry.digest, self._environment)
                folder = store.folder_of(entry.digest, self._environment)
            except store.Missing:
                message = f"{named} was not fetched on this machine"
                self._findings.error("EP845", message, place, f"{_RUN}; nothing else fetches")
                return None
            except Refused as refused:
                message = f"{named} cannot be used: {refused}"
                self._findings.error("EP845", message, place, f"{_RUN}, which fetches it again")
                return None
            self._opened[key] = Unpacked(entry, folder, files, lock)
        return self._opened[key]


def read_lock(path: str, findings: Findings) -> Lock | None:
    """Return the lock file at a path without links, at which something is; None after an error."""
    from exitgate.core.policy.library import document_of
    from exitgate.core.policy.reading import Unreadable, read_bytes

    file = portable.relative(path)
    if os.path.realpath(path) != path:
        # Faults quote what they are about: a link could lead to any file.
        findings.error("EP811", f"`{file}` is a link", Location(file), "put the file itself there")
        return None
    try:
        content = read_bytes(path)
    except (FileNotFoundError, Unreadable) as error:
        findings.error("EP811", f"`{file}` cannot be read: {error}", Location(file), _RUN)
        return None
    document = document_of(content, file, findings)
    return lock_of(document.root, path, findings) if document is not None else None


def fits(remote: Remote, entry: Locked) -> bool:
    """Return whether what is pinned is what a reference accepts."""
    try:
        if not remote.is_git:
            return accepts(remote.wanted, padded(entry.version))
        if is_range(remote.revision):
            return accepts(remote.revision, padded(entry.tag.removeprefix("v")))
    except ValueError:
        return False
    return not is_commit(remote.revision) or entry.commit == remote.revision


def padded(version: str) -> str:
    """Return a version of a package as three numbers, `2.1` as `2.1.0`; others as they are."""
    return version + ".0" * (2 - version.count(".")) if version.replace(".", "").isdigit() else version
