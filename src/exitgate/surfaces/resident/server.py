"""
The resident process: it waits at its socket, and copies itself for each request.

One process for each user and folder. It starts no programs and decides nothing itself: it keeps in memory
what a decision needs, and its copies decide. It ends after a long time without a
request, when its code on the disk changes, or when its socket is no longer the one in the folder.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import select
import signal
import socket
import stat
import sys
import time

from exitgate.core.system import folders, portable, safe_files
from exitgate.core.system.folders import Refused
from exitgate.core.system.processes import copied
from exitgate.surfaces.resident import place, protocol, served
from exitgate.surfaces.resident.protocol import BrokenError
from exitgate.surfaces.resident.warm import Warm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.core.system.portable import Folder


#: Requests at once; a further one is decided by its own process.
MOST = 16
#: Seconds without a request after which it ends.
IDLE = 1800.0
#: Seconds between two looks at what may end it.
_LOOK = 5.0
#: Seconds that requests under way get once it ends.
_LAST = 10.0
_LOCK = "serve.lock"
#: Connections that wait; more are refused by the system.
_BACKLOG = 64


class BusyError(Exception):
    """Another process listens in the folder; the text names it."""


class Server:
    """
    The socket in its folder, and the copies at work.

    Args:
        folder: Where it listens; made with mode 0700 if it is missing.
        run: Runs a command line and returns its exit code.
        most: Requests at once.
        idle: Seconds without a request after which it ends.

    Raises:
        Refused: The folder cannot be used.
        BusyError: Another process listens there.
        OSError: It cannot listen.
    """

    def __init__(
        self, folder: str, run: Callable[[list[str]], int], most: int = MOST, idle: float = IDLE
    ) -> None:
        self._folder = folder
        self._run = run
        self._most = most
        self._idle = idle
        self._copies: set[int] = set()
        self._answered = 0
        self._ending = ""
        self._path = os.path.join(folder, place.SOCKET)
        self._lock = _locked(folder)
        self._listener = _listening(self._path)
        self._mine = os.lstat(self._path)
        #: A copy whose parent ended has another one, which it must not end.
        self._number = os.getpid()
        self._began = self._asked = time.monotonic()
        self._warm = Warm()

    def serve(self) -> str:
        """Answer until something ends it, and return what did."""
        ears, mouth = os.pipe()
        os.set_blocking(mouth, False)
        os.set_blocking(ears, False)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
        waiting = select.poll()
        for descriptor in (self._listener.fileno(), ears, self._warm.reads):
            waiting.register(descriptor, select.POLLIN)
        gc.freeze()
        while not self._ending:
            ready = {descriptor for descriptor, _ in waiting.poll(min(_LOOK, self._idle) * 1000)}
            self._bury()
            if ears in ready:
                os.read(ears, 1 << 12)
            if self._warm.reads in ready:
                self._warm.learn()
            self._ending = self._ending or self._reason()
            if self._listener.fileno() in ready:
                self._take(ears, mouth)
        self._close()
        return self._ending

    def _stop(self, number: int, _frame: object) -> None:
        self._ending = f"signal {signal.Signals(number).name}"

    def _reason(self) -> str:
        """Return what ends it now, the empty text for nothing."""
        changed = self._warm.changed()
        if changed:
            return f"`{changed}` is another file than the one it loaded"
        try:
            there = os.lstat(self._path)
        except OSError:
            return f"`{self._path}` is gone"
        if not os.path.samestat(there, self._mine):
            return f"`{self._path}` is another one"
        if not self._copies and time.monotonic() - self._asked > self._idle:
            return "there was no request for long"
        return ""

    def _take(self, *own: int) -> None:
        """Take one connection, and copy this process for it."""
        try:
            end, _ = self._listener.accept()
        except OSError:
            return  # who asked is gone already, or no more files can be opened
        with end:
            try:
                user, _ = protocol.peer(end)
                if user != os.geteuid():
                    return
                self._asked = time.monotonic()
                if self._ending or len(self._copies) >= self._most:
                    end.setblocking(False)
                    why = f"it ends: {self._ending}" if self._ending else "it is busy"
                    protocol.send(end, protocol.REFUSED, os.fsencode(why))
                    return
                self._copies.add(copied(lambda: self._serve(end, own)))
                self._answered += 1
            except (BrokenError, OSError):
                return  # the client decides itself

    def _serve(self, end: socket.socket, own: tuple[int, ...]) -> None:
        """Serve one request, in the copy."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._listener.close()
        for descriptor in (*own, self._lock):
            os.close(descriptor)
        served.serve(end, self._run, self._number, self._told, self._end)
        self._warm.teach()

    def _end(self) -> None:
        """End, from a copy, the process that waits, where it is still the parent."""
        if os.getppid() == self._number:
            os.kill(self._number, signal.SIGTERM)

    def _told(self) -> str:
        up = int(time.monotonic() - self._began)
        return (
            f"process {self._number} listens at {self._path}: {self._answered} requests in {up} s, "
            f"{len(self._copies)} at work of at most {self._most}"
        )

    def _bury(self) -> None:
        while self._copies:
            try:
                number, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._copies.clear()
                return
            if not number:
                return
            self._copies.discard(number)

    def _close(self) -> None:
        """Take no more requests; let those under way end."""
        self._listener.close()
        with contextlib.suppress(OSError):  # it is gone
            if os.path.samestat(os.lstat(self._path), self._mine):
                os.unlink(self._path)
        until = time.monotonic() + _LAST
        while self._copies and time.monotonic() < until:
            select.select((), (), (), 0.02)
            self._bury()
        os.close(self._lock)


def _locked(folder: str) -> int:
    """Return the lock on the folder, open. Raises as `Server`."""
    at: Folder = folders.open_folder(folder, make=True)
    try:
        if portable.rights(portable.status_of(at)) & 0o077:
            raise Refused(f"others can look into `{folder}`")
        lock = safe_files.writing(_LOCK, folder=at)
    finally:
        portable.close(at)
    try:
        portable.lock(lock)
    except BlockingIOError as error:
        os.close(lock)
        raise BusyError(folder) from error
    return lock


def _listening(path: str) -> socket.socket:
    """Return the socket at a path; one that a process left that is gone is replaced. Raises OSError."""
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except FileNotFoundError:
        pass
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno is None:  # Python's own words for a path that does not fit an address
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from error
        raise
    finally:
        os.umask(before)
    listener.setblocking(False)
    return listener


def told(folder: str, kind: bytes) -> str:
    """
    Return what the process that listens in a folder says of itself; it is asked to end for `protocol.STOP`.

    Raises:
        BrokenError: None does.
    """
    from exitgate.surfaces.resident.client import connected

    end = connected(folder)
    try:
        protocol.send(end, kind)
        letter, body, _ = protocol.receive(end)
    finally:
        end.close()
    if letter != protocol.DONE:
        raise BrokenError(os.fsdecode(body))
    return body.decode("utf-8", "replace")


def quiet() -> None:
    """Hold no folder, and read nothing."""
    os.chdir("/")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.stdout is not None:
        sys.stdout.flush()
