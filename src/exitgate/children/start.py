"""
Programs started, with words that no shell reads again.

`subprocess` is imported where it is needed: it costs a third of a warm check.
"""

from __future__ import annotations

import os
import sys

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
    """
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
    first: Callable[[], None] | None = None,
) -> Child:
    """
    Start a program and come back; pipes are not buffered.

    Args:
        words: Program and arguments; the program is a path, or looked for on `PATH`.
        environment: Its variables.
        stdin, stdout, stderr: A file, `PIPE` or `NOTHING`.
        session: Whether it leads a session of its own.
        first: Called in the new process before the program begins, while that process still has every open
            file of ours, locks too.

    Raises:
        OSError, ValueError: It cannot be started.
        PreparationError: `first` raised anything.
    """
    import subprocess

    try:
        return subprocess.Popen(
            list(words), stdin=stdin, stdout=stdout, stderr=stderr, env=dict(environment), bufsize=0,
            start_new_session=session, preexec_fn=first,  # noqa: PLW1509 (callers have one thread)
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


def leave(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """
    Start a program without waiting for it, in ``/``, with nothing to read and nowhere to write to.

    It holds nothing that the caller of this process could wait for.

    Raises:
        OSError: It cannot be started.
    """
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
