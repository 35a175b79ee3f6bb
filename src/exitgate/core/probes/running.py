"""
A command run to its end or its limit, with nothing of it left behind.

It leads a session of its own. When its time is up, or this process is asked to end, everything in that
session is ended; so is what it leaves running when it ends by itself. What left that session on purpose is
not looked for, nor waited for where it still holds the output.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time

from exitgate.core.model.value import Value
from exitgate.core.system import child as children
from exitgate.core.system import portable, process_group

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FrameType
    from typing import IO

    #: Seconds since it began, and the last whole line that it wrote.
    Watch = Callable[[float, str], None]


#: How a command can come out: it ended; its time was up; it could not be started.
ENDED, LATE, BROKEN = "ended", "late", "broken"

#: Bytes at the beginning and at the end of the output that are kept.
FIRST, LAST = 1 << 14, 1 << 16
#: Seconds between two looks at first and later on, to end after SIGTERM, and to be gone after SIGKILL.
SOON, LATER, GRACE, KILLED = 0.001, 0.05, 3.0, 5.0
_PIECE = 1 << 16
#: Bytes that a pipe can still hold when all that wrote to it is gone; more is of something that is not.
_PENDING = 1 << 20
#: Seconds in which Windows' streams come to their end.
_PATIENCE = 1.0
#: Requests to end this process for which nothing listens by default, SIGINT aside.
_ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU", "SIGBREAK")


class Ran(Value):
    """
    How a command came out.

    Args:
        how: `ENDED`, `LATE` or `BROKEN`.
        exit_status: Its exit status, 128 and the number of a signal that ended it; None unless it ended.
        output: What it wrote to both streams, as it came; the middle of much is left out.
        stdout: What it wrote to standard output, at most `limit` bytes; None where it was more.
        began: When it was started, nanoseconds since the epoch.
        seconds: How long it ran.
        reason: Why there is no exit status, as a sentence part.
        left: How many processes outlived it and were ended.
        held: Whether something that left its session still holds its output.
    """

    __slots__ = ("began", "exit_status", "held", "how", "left", "output", "reason", "seconds", "stdout")

    def __init__(
        self,
        how: str,
        exit_status: int | None = None,
        output: bytes = b"",
        stdout: bytes | None = b"",
        began: int = 0,
        seconds: float = 0.0,
        reason: str = "",
        left: int = 0,
        held: bool = False,
    ) -> None:
        self.how = how
        self.exit_status = exit_status
        self.output = output
        self.stdout = stdout
        self.began = began
        self.seconds = seconds
        self.reason = reason
        self.left = left
        self.held = held


def run(
    words: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    seconds: float,
    *,
    limit: int = 0,
    watch: Watch | None = None,
    started: Callable[[int], None] | None = None,
    given: bytes = b"",
) -> Ran:
    """
    Run a command to its end or its limit.

    Args:
        words: Program and arguments; the program is a path, or looked for on `PATH`.
        environment: Its variables.
        folder: Where it runs.
        seconds: How long it may take.
        limit: Bytes of its standard output that are kept beside `output`.
        watch: Called now and then while it runs, from this thread.
        started: Called with the number of its process.
        given: What it reads from standard input.
    """
    with _Ending() as ending:
        return _run(
            words,
            environment,
            folder,
            seconds,
            limit=limit,
            watch=watch,
            started=started,
            given=given,
            ending=ending,
        )


def _run(
    words: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    seconds: float,
    *,
    limit: int,
    watch: Watch | None,
    started: Callable[[int], None] | None,
    given: bytes,
    ending: _Ending,
) -> Ran:
    began, start = time.time_ns(), time.monotonic()
    kept = _Kept(limit)
    try:
        child = children.start(
            words, environment, stdin=children.PIPE if given else children.NOTHING, stdout=children.PIPE,
            stderr=children.PIPE, folder=folder,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        said = (getattr(error, "strerror", None) or str(error)).lower()
        return Ran(BROKEN, began=began, reason=f"`{words[0]}` cannot be started: {said}")
    left = 0
    is_over = False
    with _Streams(child, kept, given):
        try:
            ending.listen()
            if started is not None:
                started(child.pid)
            pause = SOON
            while not (is_over := children.has_ended(child)) and time.monotonic() - start < seconds:
                time.sleep(pause)
                pause = min(2 * pause, LATER)
                if watch is not None:
                    watch(time.monotonic() - start, kept.last_line())
        finally:
            try:
                ending.wait()
            finally:
                left = _end(child)
    took = time.monotonic() - start
    held = kept.held
    if not is_over:
        late = f"it took longer than {round(seconds, 1):g} s"
        return Ran(LATE, None, kept.output(), kept.stdout(), began, took, late, left, held)
    code = child.returncode
    status = 128 - code if code < 0 else code
    return Ran(ENDED, status, kept.output(), kept.stdout(), began, took, left=left, held=held)


class _Ending:
    """
    A context in which a request to end this process, by a host for one, ends the command first.

    Only if nothing else listens for it. While the command runs, a signal raises SystemExit here; one
    that comes while it is started or ended does so afterwards.
    """

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._asked = 0
        self._listens = False

    def __enter__(self) -> _Ending:
        if threading.current_thread() is threading.main_thread():
            for name in _ENDING:
                number = getattr(signal, name, None)
                if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._ends)
                    self._taken.append(number)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number in self._taken:
            signal.signal(number, signal.SIG_DFL)
        if self._asked and kind is None:
            raise SystemExit(128 + self._asked)

    def listen(self) -> None:
        """Raise SystemExit for a signal, from now on or for one that came."""
        self._listens = True
        if self._asked:
            raise SystemExit(128 + self._asked)

    def wait(self) -> None:
        """Let what ends the command be done before a signal counts."""
        self._listens = False

    def _ends(self, number: int, _: FrameType | None) -> None:
        self._asked = number
        if self._listens:
            self._listens = False
            raise SystemExit(128 + number)


class _Streams:
    """
    A context in which threads read what a command writes, and one writes what it reads.

    When it ends, nothing writes any more that belongs to the command: what is written already is still read,
    but the end of a stream is not waited for.
    """

    def __init__(self, child: children.Child, kept: _Kept, given: bytes) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._streams = (child.stdout, child.stderr)
        self._kept = kept
        self._wake = None if portable.WINDOWS else os.pipe()
        stop = None if self._wake is None else self._wake[0]
        self._threads = [
            threading.Thread(target=kept.read, args=(stream, stream is child.stdout, stop), daemon=True)
            for stream in self._streams
        ]
        self._giving = None
        if child.stdin is not None:
            self._giving = threading.Thread(target=_give, args=(child.stdin, given), daemon=True)

    def __enter__(self) -> _Streams:
        for thread in (*self._threads, self._giving):
            if thread is not None:
                thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._wake is not None:
            os.close(self._wake[1])
        for stream, thread in zip(self._streams, self._threads, strict=True):
            thread.join(_PATIENCE if portable.WINDOWS else None)
            if thread.is_alive():
                self._kept.held = True
            else:
                stream.close()
        if self._wake is not None:
            os.close(self._wake[0])


def _give(stream: IO[bytes], text: bytes) -> None:
    """Write what a command reads; one that ends before it read everything is not an error."""
    rest = memoryview(text)
    try:
        with stream:
            while rest:
                rest = rest[stream.write(rest) or 0 :]
    except OSError:
        return


def _ready(place: int, stop: int) -> set[int]:
    """Wait until there is something to read, or the end of either; return which."""
    waiting = select.poll()
    for end in (place, stop):
        waiting.register(end, select.POLLIN)
    return {end for end, _ in waiting.poll()}


class _Kept:
    """
    What was written, from two threads.

    `held` says whether one of them saw no end of its stream.
    """

    def __init__(self, limit: int) -> None:
        self._lock = threading.Lock()
        self._first, self._last = bytearray(), bytearray()
        self._between = 0
        self._limit, self._stdout = limit, bytearray()
        self._too_much = False
        self.held = False

    def read(self, stream: IO[bytes], standard: bool, stop: int | None) -> None:
        """Take what comes from a stream until its end, or what is there once the end of `stop` is."""
        place = stream.fileno()
        room = _PENDING
        while stop is None or room > 0:
            if stop is not None:
                ready = _ready(place, stop)
                if place not in ready:
                    break  # nothing is left, and something else holds it
                room -= _PIECE if stop in ready else 0
            piece = os.read(place, _PIECE)
            if not piece:
                return
            with self._lock:
                self._take(piece, standard)
        self.held = True

    def _take(self, piece: bytes, standard: bool) -> None:
        if standard and not self._too_much:
            self._stdout += piece
            if len(self._stdout) > self._limit:
                self._too_much = True
                self._stdout.clear()
        room = max(0, FIRST - len(self._first))
        self._first += piece[:room]
        self._last += piece[room:]
        beyond = len(self._last) - LAST
        if beyond > 0:
            self._between += beyond
            del self._last[:beyond]

    def output(self) -> bytes:
        """Return what was written to both streams."""
        with self._lock:
            if not self._between:
                return bytes(self._first + self._last)
            return b"\n".join((self._first, f"... {self._between} bytes ...".encode(), self._last))

    def stdout(self) -> bytes | None:
        """Return what was written to standard output; None where it was more than is kept."""
        with self._lock:
            return None if self._too_much else bytes(self._stdout)

    def last_line(self) -> str:
        """Return the last whole line."""
        with self._lock:
            tail = bytes(self._last or self._first)[-500:]
        lines = tail.decode("utf-8", "replace").split("\n")[:-1]
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _end(child: children.Child) -> int:
    """End what is left of a command and wait for it; return how many processes outlived it."""
    if portable.WINDOWS:
        child.kill()
        child.wait()
        return 0
    # its number is not given to another process before it is waited for
    over = children.has_ended(child)
    others = _others(child)
    for number, patience in ((signal.SIGTERM, GRACE), (signal.SIGKILL, KILLED)):
        if _is_gone(child):
            break
        process_group.send(child.pid, number)
        until = time.monotonic() + patience
        while time.monotonic() < until and not _is_gone(child):
            time.sleep(SOON)
    child.wait()
    return len(others) if over else 0


def _others(child: children.Child) -> list[int]:
    return [pid for pid in process_group.members(child.pid) if pid != child.pid]


def _is_gone(child: children.Child) -> bool:
    return children.has_ended(child) and not _others(child)
