"""
Calls under way: `<state_dir>/hooks/<session>.call`, locked by the process that answers and removed by it.

The lock keeps two calls of one session apart. A file that no process holds was left by a call that was ended
before it could answer, by the host's time limit for one: the next call of any session finds it.
"""

from __future__ import annotations

import os

from exitgate import opening, system
from exitgate.gate.incidents import CALL_ENDING
from exitgate.hosts.codes import MEMORY, problem
from exitgate.hosts.memory import unkept
from exitgate.ledger.out_of_git import leave_out_folder
from exitgate.model.quick_json import dumps_finite, loads
from exitgate.model.verdict import LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

#: Seconds to wait for another call of the same session.
WAIT = 5.0
_SIZE = 4096

#: What a call says of itself: host, session, serial; and when it was last heard of, seconds since the epoch.
Left = dict[str, object]


class UnderWay:
    """
    One call under way, as a context.

    Args:
        folder: Of the files; made where it does not exist, private to the user.
        name: Of the session, fit for a file name.
        told: What the file says: the host's id and the session's.

    `left` is what an earlier call of this session left when it was ended, or None; `killed` is that of
    every such call of any session.

    Raises:
        ExitgateError: 75 where another call of the session does not end in time, 73 where the file
            cannot be made.
    """

    def __init__(self, folder: str, name: str, told: dict[str, str]) -> None:
        self._folder = folder
        self._path = os.path.join(folder, f"{name}{CALL_ENDING}")
        self._told = told
        self._file = -1
        self.left: Left | None = None
        self.killed: tuple[Left, ...] = ()

    def __enter__(self) -> UnderWay:
        try:
            self._file = self._taken()
            self.left = _content(self._file)
            self.say(0)
        except OSError as error:
            self._close()
            raise unkept(self._path, error.strerror or type(error).__name__) from error
        except BaseException:
            self._close()
            raise
        self.killed = (*([self.left] if self.left is not None else []), *self._swept())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            os.unlink(self._path)
        except OSError:
            return  # left there it reports a call that was ended: too much is reported, nothing is lost
        finally:
            self._close()

    def say(self, serial: int) -> None:
        """Note which stop is decided on. Raises `OSError` where that cannot be written."""
        raw = dumps_finite({**self._told, "serial": serial}).encode("ascii")[:_SIZE]
        os.ftruncate(self._file, 0)
        if system.pwrite(self._file, raw, 0) != len(raw):
            raise unkept(self._path, "no space left")

    def _taken(self) -> int:
        """Return the descriptor of the session's file, locked."""
        import time

        _make(self._folder)
        until = time.monotonic() + WAIT
        while True:
            file = opening.writing(self._path, read=True)
            try:
                system.lock_until(file, until)
                if _is_at(file, self._path):
                    return file
            except BlockingIOError:
                os.close(file)
                message = f"another call for this session has been under way for {WAIT:g} s"
                raise problem(MEMORY, message, "the next stop is decided on again", LOCKED) from None
            except OSError:
                os.close(file)
                raise
            os.close(file)

    def _swept(self) -> list[Left]:
        """Remove what ended calls of other sessions left, and return it."""
        found = []
        for name in opening.names(self._folder):
            path = os.path.join(self._folder, name)
            if not name.endswith(CALL_ENDING) or path == self._path:
                continue
            try:
                file = opening.writing(path, read=True, make=False)
            except OSError:
                continue  # it was removed meanwhile, or is not a file of ours
            try:
                system.lock(file)
                if _is_at(file, path):
                    content = _content(file)
                    os.unlink(path)
                    found += [] if content is None else [content]
            except OSError:
                continue  # the call is still under way
            finally:
                os.close(file)
        return found

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _make(folder: str) -> None:
    """Make the folder; a link in its place could have files written elsewhere."""
    for path in (os.path.dirname(folder), folder):
        try:
            if opening.make_folder(path) and path != folder:
                leave_out_folder(path)
        except OSError as error:
            raise unkept(path, error.strerror or type(error).__name__) from error


def _is_at(file: int, path: str) -> bool:
    """Return whether `path` still names the open file: its owner may have removed it meanwhile."""
    mine = os.fstat(file)
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return False
    return (mine.st_ino, mine.st_dev) == (there.st_ino, there.st_dev)


def _content(file: int) -> Left | None:
    raw = system.pread(file, _SIZE, 0)
    if not raw:
        return None
    try:
        found = loads(raw.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    # When it was last heard of: the incident is of then, not of when it is found.
    return {**found, "ended": os.fstat(file).st_mtime} if isinstance(found, dict) else None
