"""
Programs started, with words that no shell reads again.

`subprocess` is imported where it is needed: it costs a third of a warm check.
"""

from __future__ import annotations

import os
import sys

from exitgate.core.system import portable
from exitgate.core.system.processes import spawned

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping, Sequence
    from typing import IO

    Child = subprocess.Popen[bytes]


#: Numbers in place of a stream: a new pipe, and nothing to read or nowhere to write to.
PIPE, NOTHING = -1, -3
#: The shell puts it into the background and ends, so that it need not be waited for.
_DETACH = 'cd / && "$@" &'
#: Descriptors that are looked at where the system does not list those in use.
_USUAL = 256


class LateError(Exception):
    """A program took longer than it may; it was ended."""


class PreparationError(Exception):
    """What must be done in the new process before its program began has failed there."""


class CannotStartError(BaseException):
    """A program would have to be started by the resident process, which starts none; the text names it."""


class Ran:
    """
    How a program ended.

    Args:
        code: Its exit code, below 0 for a signal.
        out, err: What it wrote.
    """

    __slots__ = ("code", "err", "out")

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


def found(name: str) -> str | None:
    """
    Return the path of a program that exitgate itself chose, None where there is none.

    It is looked for in the folders of `PATH` that are absolute: an empty entry means the working folder,
    where a repository may have put a program of that name.
    """
    endings = [""]
    if sys.platform == "win32":
        endings = os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(os.pathsep)
    for folder in filter(os.path.isabs, os.get_exec_path()):
        for ending in endings:
            path = os.path.join(folder, name + ending)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def run(
    words: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    folder: str | None = None,
    seconds: float | None = None,
) -> Ran:
    """
    Run a program that reads nothing to its end.

    Args:
        words: Program and arguments; the program is a path, or looked for on `PATH`.
        environment: Its variables, by default those of this process.
        folder: Where it runs, by default here.
        seconds: How long it may take, by default as long as it likes.

    Raises:
        OSError, ValueError: It cannot be started.
        LateError: It took longer.
        CannotStartError: In the resident process, as all that starts a program.
    """
    starter.begins(words)
    import subprocess

    try:
        done = subprocess.run(
            list(words), stdin=NOTHING, stdout=PIPE, stderr=PIPE, cwd=folder, env=environment,
            check=False, timeout=seconds,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise LateError(f"took longer than {seconds:g} s") from error
    return Ran(
        done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    )


def start(
    words: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: int | IO[bytes] = NOTHING,
    stdout: int | IO[bytes] = NOTHING,
    stderr: int | IO[bytes] = NOTHING,
    session: bool = True,
    folder: str | None = None,
    first: Callable[[], None] | None = None,
) -> Child:
    """
    Start a program and come back; pipes are not buffered.

    Args:
        words: Program and arguments; the program is a path, or looked for on `PATH`.
        environment: Its variables.
        stdin, stdout, stderr: A file, `PIPE` or `NOTHING`.
        session: Whether it leads a session of its own.
        folder: Where it runs, by default here.
        first: Called in the new process before the program begins, while that process still has every open
            file of ours, locks too.

    Raises:
        OSError, ValueError: It cannot be started.
        PreparationError: `first` raised anything.
    """
    starter.begins(words)
    import subprocess

    try:
        return subprocess.Popen(
            list(words), stdin=stdin, stdout=stdout, stderr=stderr, env=dict(environment), bufsize=0,
            cwd=folder, start_new_session=session, preexec_fn=first,  # noqa: PLW1509 (callers have one thread)
        )  # fmt: skip
    except subprocess.SubprocessError as error:  # it does not tell why
        raise PreparationError(str(error)) from error


def ended(child: Child, seconds: float) -> bool:
    """Return whether a program has ended, or ends within some seconds."""
    import subprocess

    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def has_ended(child: Child) -> bool:
    """Return whether a program has ended; where it can be, its number stays taken until it is waited for."""
    if not hasattr(os, "waitid"):
        return child.poll() is not None
    found = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found is not None


def leave(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """
    Start a program without waiting for it, in ``/``, with nothing to read and nowhere to write to.

    It holds nothing that the caller of this process could wait for.

    Raises:
        OSError: It cannot be started.
    """
    starter.begins(words)
    if not hasattr(os, "posix_spawn"):
        raise OSError("this system cannot start a background program")
    whole = ["/bin/sh", "-c", _DETACH, "sh", *words]
    quiet = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        # A pipe or a lock of the caller's that it holds open would keep the caller waiting.
        *((os.POSIX_SPAWN_CLOSE, number) for number in _inherited()),
    ]
    try:
        child = os.posix_spawn(whole[0], whole, environment, file_actions=quiet, setsid=True)
    except NotImplementedError:  # the system cannot begin a session here: the child stays in this one
        child = os.posix_spawn(whole[0], whole, environment, file_actions=quiet)
    try:
        _, status = os.waitpid(child, 0)
    except ChildProcessError:
        return  # the caller lets the system bury its children
    if status:
        raise OSError(f"the shell ended with {os.waitstatus_to_exitcode(status)}")


def become(words: Sequence[str]) -> None:
    """Go on as another program in this process. Raises OSError where it cannot be started."""
    starter.begins(words)
    os.execv(words[0], list(words))  # noqa: S606 - that is the point


def _inherited() -> list[int]:
    """Return the descriptors behind the three streams that a new process would get."""
    try:
        numbers = [int(name) for name in os.listdir("/dev/fd")]
    except FileNotFoundError:
        numbers = list(range(_USUAL))
    inherited = []
    for number in numbers:
        try:
            if number > 2 and os.get_inheritable(number):
                inherited.append(number)
        except OSError:
            continue  # not open, or the listing's own
    return inherited


# A program started, read and ended within a time limit; `subprocess` costs a third of a warm check.

#: Bytes that `piped` takes: no pipe holds fewer.
PIPED = 4_000
#: Bytes read at once.
_PIECE = 1 << 16
#: Seconds in which the streams of a program that was ended come to their end.
_PATIENCE = 1.0


class AnswerError(Exception):
    """A program could not answer; the text says why, as a sentence part."""


def answer_of(
    words: list[str],
    environment: Mapping[str, str],
    deadline: float,
    limit: int,
    reads: IO[bytes] | None = None,
) -> tuple[int, bytes, bytes]:
    """
    Return exit code, standard output and standard error of a program.

    It leads a process group of its own.

    Args:
        words: Path of a program, and its arguments.
        environment: Its variables.
        deadline: Instant of `time.monotonic` by which it must have ended.
        limit: Bytes that it may write to one stream.
        reads: An open file that is its standard input, from its present offset; by default it reads nothing.

    Raises:
        AnswerError: When it cannot be started, or writes more than it may.
        LateError: When it has not ended by the deadline; it and what it started are ended then, on Windows
            it alone.
    """
    if portable.WINDOWS:
        return _answer_on_windows(words, environment, deadline, limit, reads)
    (out, out_end), (err, err_end) = _pipe(), _pipe()
    try:
        try:
            given = None if reads is None else reads.fileno()
            pid = starter.spawn(words, environment, given, out_end, err_end)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise AnswerError(f"{words[0]} cannot be started: {why}") from error
        finally:
            os.close(out_end)
            os.close(err_end)
        try:
            texts = _read((out, err), deadline, limit)
            return starter.wait(pid, deadline), texts[out], texts[err]
        except BaseException:
            starter.end(pid)
            raise
    finally:
        os.close(out)
        os.close(err)


class Starter:
    """Who starts programs: this process itself; for the resident process, which starts none, its client."""

    def begins(self, words: Sequence[str]) -> None:
        """Raise CannotStartError where programs in general are not started."""

    def spawn(
        self, words: Sequence[str], environment: Mapping[str, str], reads: int | None, out: int, err: int
    ) -> int:
        """Return the number of a program whose streams are these; it leads a group. Raises OSError."""
        return spawned(words, environment, reads, out, err)

    def wait(self, pid: int, deadline: float) -> int:
        """Return how it ended, below 0 for a signal. Raises LateError."""
        return _wait(pid, deadline)

    def end(self, pid: int) -> None:
        """End it and what it started, and wait for its end."""
        _end(pid)


starter = Starter()


def piped(raw: bytes) -> IO[bytes]:
    """Return an open file with what a program is to read: at most 4,000 bytes, which any pipe holds."""
    ends = _pipe() if not portable.WINDOWS else os.pipe()
    assert len(raw) <= PIPED
    os.write(ends[1], raw)
    os.close(ends[1])
    return os.fdopen(ends[0], "rb")


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe, neither instead of a standard stream that somebody closed."""
    import fcntl

    ends = os.pipe()
    if min(ends) > 2:
        return ends
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]


def _read(ends: Sequence[int], deadline: float, limit: int) -> dict[int, bytes]:
    """Return what comes out of each of `ends` until its end."""
    import select
    import time

    pieces: dict[int, list[bytes]] = {end: [] for end in ends}
    waiting = select.poll()
    for end in ends:
        waiting.register(end, select.POLLIN)
    left = len(ends)
    room = dict.fromkeys(ends, limit)
    while left:
        rest = deadline - time.monotonic()
        if rest <= 0:
            raise LateError
        for end, _ in waiting.poll(min(rest, 60.0) * 1000):
            piece = os.read(end, _PIECE)
            pieces[end].append(piece)
            room[end] -= len(piece)
            if room[end] < 0:
                raise AnswerError(f"its output has more than {limit} bytes")
            if not piece:
                waiting.unregister(end)
                left -= 1
    return {end: b"".join(some) for end, some in pieces.items()}


def _wait(pid: int, deadline: float) -> int:
    """Return the exit code, below 0 for a signal; its streams are at their end, so it is about to end."""
    import time

    pause = 0.0002
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            raise LateError
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _end(pid: int) -> None:
    """End a program and what it started, and wait for its end."""
    import signal

    try:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return  # it had just ended by itself, or was waited for already


def _answer_on_windows(
    words: list[str],
    environment: Mapping[str, str],
    deadline: float,
    limit: int,
    reads: IO[bytes] | None,
) -> tuple[int, bytes, bytes]:
    """Do the same with threads that read: Windows cannot wait for pipes."""
    import threading
    import time

    try:
        stdin = NOTHING if reads is None else reads
        child = start(words, environment, stdin=stdin, stdout=PIPE, stderr=PIPE)
    except OSError as error:
        raise AnswerError(
            f"{words[0]} cannot be started: {(error.strerror or str(error)).lower()}"
        ) from error
    assert child.stdout is not None
    assert child.stderr is not None
    texts = {child.stdout: b"", child.stderr: b""}

    def read(stream: IO[bytes]) -> None:
        pieces, room = [], limit
        while room >= 0 and (piece := stream.read(_PIECE)):
            pieces.append(piece)
            room -= len(piece)
        if room < 0:
            child.kill()
        texts[stream] = b"".join(pieces)

    readers = [threading.Thread(target=read, args=(stream,), daemon=True) for stream in texts]
    try:
        for one in readers:
            one.start()
        for one in readers:
            one.join(max(0.0, deadline - time.monotonic()))
        if any(one.is_alive() for one in readers) or not ended(child, max(0.0, deadline - time.monotonic())):
            raise LateError
    finally:
        child.kill()
        child.wait()
        for one, stream in zip(readers, texts, strict=True):
            one.join(_PATIENCE)
            if not one.is_alive():  # what the program started may hold a stream open
                stream.close()
    out, err = texts.values()
    if max(len(out), len(err)) > limit:
        raise AnswerError(f"its output has more than {limit} bytes")
    return child.returncode, out, err
