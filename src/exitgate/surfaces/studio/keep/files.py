"""Files of the project as the studio writes them: shown first, never over what was not shown, taken back."""

from __future__ import annotations

import os
import secrets
import stat
import threading
from collections.abc import Callable, Sequence

from msgspec import Struct

from exitgate.core.model.decision import CANNOT_WRITE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system import portable, safe_files
from exitgate.surfaces.studio.workspace.refusal import refusal

#: Bytes of a file that is changed.
LARGEST = 4 << 20
#: Diffs that wait for an answer, and changes that can be taken back.
WAITING, TAKEN_BACK = 32, 100


class Place(Struct, frozen=True):
    """
    A file that may be written.

    Args:
        folder: Without links: the project's, or that of a file which the command line names.
        path: From there, with slashes. Nothing on the way may be a link.
    """

    folder: str
    path: str

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]

    @property
    def whole(self) -> str:
        """The whole path, for this system."""
        return os.path.join(self.folder, *self.path.split("/"))


class Change(Struct, frozen=True):
    """A new text for a file; `old` is None where there was no file, `new` where there is to be none."""

    place: Place
    old: bytes | None
    new: bytes | None


class Proposal(Struct, frozen=True):
    """
    Changes that wait for an answer.

    Args:
        ticket: By which they are confirmed.
        changes: The files.
        remarks: What is to be said of them.
        done: Called when they are written, and when they are taken back.
    """

    ticket: str
    changes: tuple[Change, ...]
    remarks: tuple[str, ...]
    done: Callable[[], None]


def project_place(project: str, path: str) -> Place:
    """
    Return a file of the project.

    Args:
        project: Its folder.
        path: Absolute, or from the working folder.

    Raises:
        ExitgateError: It is outside of the project.
    """
    folder = os.path.realpath(project)
    # The way to the project may be through links, the way inside of it not.
    above, name = os.path.split(os.path.abspath(path))
    real = os.path.join(os.path.realpath(above), name)
    for one in (os.path.abspath(path), real):
        if portable.is_below(one, folder):
            return Place(folder, portable.with_slashes(portable.relative(one, folder)))
    message = f"`{path}` is outside of the project `{folder}`, and the studio writes nowhere else"
    raise refusal(message, "start the studio in the folder that the file is in", CANNOT_WRITE)


def named_place(path: str) -> Place:
    """Return a file that the command line names, wherever it is."""
    folder, name = os.path.split(os.path.abspath(path))
    return Place(os.path.realpath(folder), name)


def read(place: Place) -> bytes | None:
    """Return what a file holds, None where there is none. Raises `ExitgateError` for what may not be read."""
    try:
        folder = _open(place, make=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _not_usable(place, "read", error) from error
    try:
        return safe_files.content(place.name, LARGEST, folder=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _not_usable(place, "read", error) from error
    finally:
        portable.close(folder)


class Keeper:
    """Writes files after a person has seen what changes, and takes that back."""

    def __init__(self) -> None:
        self._waiting: dict[str, Proposal] = {}
        self._done: list[Proposal] = []
        self._lock = threading.RLock()

    @property
    def last(self) -> Proposal | None:
        """What would be taken back next."""
        with self._lock:
            return self._done[-1] if self._done else None

    def propose(
        self, changes: Sequence[Change], remarks: Sequence[str] = (), done: Callable[[], None] = lambda: None
    ) -> Proposal:
        """Return changes with the ticket that confirms them."""
        with self._lock:
            found = Proposal(secrets.token_urlsafe(12), tuple(changes), tuple(remarks), done)
            self._waiting[found.ticket] = found
            while len(self._waiting) > WAITING:
                self._waiting.pop(next(iter(self._waiting)))
            return found

    def confirm(self, ticket: str) -> Proposal:
        """
        Write what was proposed, once.

        Raises:
            ExitgateError: The ticket is not known any more; a file is not what it was when it was shown; a
                file cannot be written. Then none is.
        """
        with self._lock:
            found = self._waiting.pop(ticket, None)
            if found is None:
                raise refusal("these changes do not wait any more", "look at them once more", CANNOT_WRITE)
            _write_all(found.changes)
            self._done.append(found)
            del self._done[:-TAKEN_BACK]
        found.done()
        return found

    def undo(self) -> Proposal:
        """Take back what was written last. Raises `ExitgateError` as `confirm`; then nothing changes."""
        with self._lock:
            if not self._done:
                raise refusal("this studio has written nothing that could be taken back", "", CANNOT_WRITE)
            found = self._done[-1]
            _write_all([Change(one.place, one.new, one.old) for one in reversed(found.changes)])
            self._done.pop()
        found.done()
        return found


def _write_all(changes: Sequence[Change]) -> None:
    """Write all or none. Raises `ExitgateError`."""
    for one in changes:
        if read(one.place) != one.old:
            message = f"`{one.place.path}` has changed since it was shown; it was not written"
            raise refusal(message, "look at the changes once more", CANNOT_WRITE)
    written: list[Change] = []
    try:
        for one in changes:
            _write(one.place, one.new)
            written.append(one)
    except OSError as error:
        for done in reversed(written):
            _write(done.place, done.old)
        raise _not_usable(one.place, "written", error) from error


def _write(place: Place, raw: bytes | None) -> None:
    folder = _open(place, make=raw is not None)
    try:
        if raw is None:
            portable.remove_at(place.name, folder)
            return
        try:
            mode = stat.S_IMODE(portable.status_at(place.name, folder).st_mode)
        except FileNotFoundError:
            mode = None
        if mode is None:
            safe_files.replace(place.name, raw, folder=folder, mode=0o666)
        else:
            safe_files.replace(place.name, raw, folder=folder, mode=mode, whole_mode=True)
    finally:
        portable.close(folder)


def _open(place: Place, *, make: bool) -> portable.Folder:
    """Return the folder that a file is in, open; no step of the way is a link. Raises OSError."""
    found = safe_files.open_folder(place.folder, links=True)
    for step in place.path.split("/")[:-1]:
        try:
            if make:
                safe_files.make_folder_in(step, found)
            below = safe_files.open_folder(step, within=found)
        finally:
            portable.close(found)
        found = below
    return found


def _not_usable(place: Place, done: str, error: OSError) -> ExitgateError:
    message = f"`{place.path}` cannot be {done}: {safe_files.trouble(error)}"
    return refusal(message, "check its folder and its rights", CANNOT_WRITE)
