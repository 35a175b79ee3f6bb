"""
A command handed to the resident process; what only this process may do for it is done here.

This process starts git, reads its own standard input, and says when a line may go into the ledger. Until it
has said so once, nothing was decided, and it can decide itself. After that it does so only where the other
end is dead and none of those lines is in the ledger (`docs/decisions/1227-resident-process.md`).
"""

from __future__ import annotations

import os
import stat
import sys
from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket

from exitgate.surfaces.resident import place, protocol
from exitgate.surfaces.resident.protocol import BrokenError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


#: Seconds for which the resident process may be silent: longer than a check waits for the ledger.
PATIENCE = 15.0
#: The same once a line may be in the ledger: this process cannot go on alone then.
LONG_PATIENCE = 120.0
#: Kinds of lines that begin and end runs: a check that was ended behind one is made again.
_AROUND = (b"run_start", b"expired")


class LostError(Exception):
    """
    The resident process ended, or fell silent, after it recorded; the text says where and what.

    `printed` says that something of its answer may have been printed.
    """

    def __init__(self, why: str, printed: bool) -> None:
        super().__init__(why)
        self.printed = printed


def ask(folder: str, words: Sequence[str]) -> int | None:
    """
    Return the exit code of a command that the resident process ran, None where this process has to run it.

    `place.note` says then why, or who ran it.

    Args:
        folder: Where a socket was found.
        words: The command line behind `exitgate`.

    Raises:
        LostError: It was recorded, and the answer is lost.
        KeyboardInterrupt: The user ended this process.
    """
    talk = _Talk()
    try:
        end = connected(folder)
        try:
            code = talk.about(end, words)
        finally:
            end.close()
    except BrokenError as error:
        talk.check_not_recorded(error)
        place.note = f"decided in this process, not by the resident one: {error}"
        talk.give_back()
        return None
    return code


def connected(folder: str) -> socket:
    """Return a connection to a process of this user at a place where no one else can put anything."""
    try:
        about = os.lstat(folder)
        there = os.lstat(path := os.path.join(folder, place.SOCKET))
    except OSError as error:
        raise BrokenError((error.strerror or str(error)).lower()) from error
    mine = os.geteuid()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != mine or about.st_mode & 0o077:
        raise BrokenError(f"`{folder}` is not a folder that only this user can use")
    if not stat.S_ISSOCK(there.st_mode):
        raise BrokenError(f"`{path}` is not a socket")
    end = socket(AF_UNIX, SOCK_STREAM)
    try:
        end.settimeout(PATIENCE)
        end.connect(path)
        _check_peer(end, path)
    except OSError as error:
        end.close()
        raise BrokenError(f"no process answers at `{path}`") from error
    except BrokenError:
        end.close()
        raise
    return end


def _check_peer(end: socket, path: str) -> None:
    """Raise BrokenError for a process of another user, and for one that the environment does not name."""
    wish = os.environ.get(place.VARIABLE, "")
    if wish and not (wish.isascii() and wish.isdigit()):
        raise BrokenError(f"{place.VARIABLE} is neither `{place.OFF}` nor the number of a process")
    user, number = protocol.peer(end)
    if user != os.geteuid():
        raise BrokenError(f"user {user} listens at `{path}`")
    if wish and str(number) != wish:
        raise BrokenError(f"process {number} listens, and {place.VARIABLE} names {wish}")


class _Talk:
    """What is said about one command."""

    def __init__(self) -> None:
        self._read: list[bytes] = []
        #: What may be in the ledger: its path, where the line begins, its length and digest.
        self._lines: list[tuple[str, int, int, str]] = []
        self._interrupted = self._printed = False

    def about(self, end: socket, words: Sequence[str]) -> int:
        """Return the exit code. Raises BrokenError, KeyboardInterrupt."""
        try:
            protocol.send(end, protocol.DECIDE, protocol.request(words))
        except BrokenError as error:
            if not error.dead:
                raise
            # Who is busy says so, and does not read what is asked.
        while True:
            try:
                kind, body, files = protocol.receive(end)
                if kind == protocol.DONE:
                    return _code(body)
                if not self._interrupted:
                    self._answer(end, kind, body, files)
            except KeyboardInterrupt:
                if self._interrupted:
                    raise
                self._interrupted = True
                end.shutdown(SHUT_WR)  # the other end takes that as the interrupt
            except (BrokenError, ValueError) as error:
                if self._interrupted:
                    raise KeyboardInterrupt from None
                if isinstance(error, BrokenError):
                    raise
                raise BrokenError("its message has no meaning") from error

    def _answer(self, end: socket, kind: bytes, body: bytes, files: list[int]) -> None:
        if kind == protocol.READY:
            _give_files(end)
        elif kind == protocol.READ:
            try:
                piece = os.read(0, min(int(body), protocol.PIECE))
            except OSError as error:
                raise BrokenError(f"standard input cannot be read: {error.strerror}") from error
            self._read.append(piece)
            protocol.send(end, protocol.TEXT, piece)
        elif kind == protocol.RUN:
            _run(end, body, files)
        elif kind == protocol.RECORD:
            path, at, size, digest, what = body.split(b"\0")
            if what not in _AROUND:
                self._lines.append((os.fsdecode(path), int(at), int(size), digest.decode("ascii")))
                end.settimeout(LONG_PATIENCE)
            protocol.send(end, protocol.YES)
        elif kind == protocol.PRINTS:
            self._printed = True
        elif kind == protocol.REFUSED:
            raise BrokenError(os.fsdecode(body))
        else:
            raise BrokenError("its message has no meaning")

    def check_not_recorded(self, why: BrokenError) -> None:
        """Raise LostError where a line that decides was, or still may be, written."""
        for path, at, size, digest in self._lines:
            if _is_there(path, at, size, digest):
                raise LostError(f"{why}; what it decided is recorded in `{path}`", self._printed)
        if self._lines and not why.dead:
            where = self._lines[0][0]
            raise LostError(f"{why}; it may still record what it decided in `{where}`", self._printed)

    def give_back(self) -> None:
        """Let this process read again what was read of its standard input."""
        if not self._read:
            return
        from exitgate.core.system import safe_files

        left = self._read

        def read(descriptor: int, size: int) -> bytes:
            if descriptor != 0 or not left:
                return os.read(descriptor, size)
            piece, rest = left[0][:size], left[0][size:]
            left[:1] = [rest] if rest else []
            return piece

        safe_files.reads = read


def _give_files(end: socket) -> None:
    try:
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise BrokenError(f"the working folder cannot be opened: {error.strerror}") from error
    try:
        protocol.send(end, protocol.FILES, b"", (0, 1, 2, here))
    finally:
        os.close(here)


def _code(body: bytes) -> int:
    """Return an exit code. Raises ValueError."""
    code = int(body)
    if not 0 <= code <= 255:
        raise ValueError(f"{code} is not an exit code")
    return code


def _run(end: socket, body: bytes, files: list[int]) -> None:
    """Run git where it is asked what a check asks of it, with streams that the other end reads."""
    from exitgate.core.observe.git_line import environment_of, is_question
    from exitgate.core.system.processes import spawned

    line = [os.fsdecode(word) for word in body.split(b"\0")]
    try:
        if len(files) not in (2, 3) or not is_question(line, os.environ.get("PATH", "")):
            protocol.send(end, protocol.NO)
            return
        out, err, *given = files
        try:
            started = spawned(line, environment_of(os.environ), given[0] if given else None, out, err)
        except OSError as error:
            protocol.send(end, protocol.NO, str(error.errno or 0).encode())
            return
    finally:
        for one in files:
            os.close(one)
    protocol.send(end, protocol.STARTED, b"%d" % started)
    try:
        _, status = os.waitpid(started, 0)
    except ChildProcessError as error:  # this process was started to ignore the ends of its programs
        raise BrokenError("how git ended is not known") from error
    protocol.send(end, protocol.ENDED, b"%d" % os.waitstatus_to_exitcode(status))


def _is_there(path: str, at: int, size: int, digest: str) -> bool:
    """Return whether a line is in a ledger."""
    from exitgate.core.system import portable, safe_files
    from exitgate.core.system.digest import hex_digest

    try:
        ledger = safe_files.reading(path)
    except OSError:
        return False
    try:
        return hex_digest(portable.pread(ledger, size + 1, at).removesuffix(b"\n")) == digest
    finally:
        os.close(ledger)


def end_with(code: int) -> None:
    """End this process; the resident one has written all there is to say."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
