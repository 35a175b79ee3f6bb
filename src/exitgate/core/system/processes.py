"""A process begun with little: a copy of this one, or a program with streams that are open already."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


#: Exit code of a copy that failed.
_FAILED = 70


def copied(work: Callable[[], None]) -> int:
    """
    Do `work` in a copy of this process, and return the number of the copy at once.

    The copy ends with 0, or with 70 where `work` raised. Raises OSError where there can be no copy.
    """
    number = os.fork()
    if number:
        return number
    code = _FAILED
    try:
        work()
        code = 0
    finally:
        os._exit(code)


def spawned(
    words: Sequence[str], environment: Mapping[str, str], reads: int | None, out: int, err: int
) -> int:
    """
    Start a program that leads a process group, and return its number.

    Args:
        words: Path of a program, and its arguments.
        environment: Its variables.
        reads: What is its standard input; None for nothing.
        out, err: What it writes to.

    Raises:
        OSError: It cannot be started.
    """
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
        if reads is None
        else (os.POSIX_SPAWN_DUP2, reads, 0),
        (os.POSIX_SPAWN_DUP2, out, 1),
        (os.POSIX_SPAWN_DUP2, err, 2),
    ]
    return os.posix_spawn(words[0], list(words), environment, file_actions=actions, setpgroup=0)
