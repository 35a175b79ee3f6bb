"""A program started, read and ended within a time limit; `subprocess` costs a third of a warm check."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.children.start import NOTHING, PIPE, LateError, start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO

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
    if system.WINDOWS:
        return _answer_on_windows(words, environment, deadline, limit, reads)
    (out, out_end), (err, err_end) = _pipe(), _pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
            if reads is None
            else (os.POSIX_SPAWN_DUP2, reads.fileno(), 0),
            (os.POSIX_SPAWN_DUP2, out_end, 1),
            (os.POSIX_SPAWN_DUP2, err_end, 2),
        ]
        try:
            pid = os.posix_spawn(words[0], words, environment, file_actions=actions, setpgroup=0)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise AnswerError(f"{words[0]} cannot be started: {why}") from error
        finally:
            os.close(out_end)
            os.close(err_end)
        try:
            texts = _read((out, err), deadline, limit)
            return _wait(pid, deadline), texts[out], texts[err]
        except BaseException:
            _end(pid)
            raise
    finally:
        os.close(out)
        os.close(err)


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

    from exitgate.children.start import ended

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
