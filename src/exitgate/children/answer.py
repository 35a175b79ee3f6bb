"""A program started, read and ended within a time limit; `subprocess` costs a third of a warm check."""

from __future__ import annotations

import os

from exitgate.children.start import LateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Bytes read at once.
_PIECE = 1 << 16


class AnswerError(Exception):
    """A program could not answer; the text says why, as a sentence part."""


def answer_of(
    words: list[str], environment: Mapping[str, str], deadline: float, limit: int
) -> tuple[int, bytes, bytes]:
    """
    Return exit code, standard output and standard error of a program.

    It leads a process group of its own and reads nothing.

    Args:
        words: Path of a program, and its arguments.
        environment: Its variables.
        deadline: Instant of `time.monotonic` by which it must have ended.
        limit: Bytes that it may write to one stream.

    Raises:
        AnswerError: When it cannot be started, or writes more than it may.
        LateError: When it has not ended by the deadline; it and what it started are ended then.
    """
    (out, out_end), (err, err_end) = _pipe(), _pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
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
    """Return the ends of a pipe, neither in the place of a standard stream that somebody closed."""
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
