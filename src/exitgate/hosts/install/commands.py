"""Shell commands of hooks: which are ours, how ours is written, whether one can run."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil

from exitgate.children.python import interpreter, is_program, is_safe, program

PROGRAM, HOOK = "exitgate", "hook"


def is_ours(command: str, host: str) -> bool:
    """Return whether a shell command runs `exitgate hook HOST`, no matter what is before or behind."""
    words = _words(command)
    at = _program_at(words)
    if at is None:
        return False
    behind = words[at + 1 :]
    if is_program(behind):
        behind = behind[behind.index("-m") + 2 :]
    return behind[:2] == [HOOK, host]


def runs(command: str, path: str | None) -> bool:
    """
    Return whether the program of a hook's command of ours can be found.

    Args:
        command: The shell command.
        path: Folders that are looked in, as in PATH.
    """
    words = _words(command)
    at = _program_at(words)
    return at is not None and shutil.which(words[at], path=path) is not None


def is_unsafe(command: str) -> bool:
    """Return whether a hook's command of ours starts a Python that imports from the folder it is in."""
    words = _words(command)
    at = _program_at(words)
    return at is not None and is_program(words[at + 1 :]) and not is_safe(words)


def command_for(host: str, path: str | None) -> str:
    """
    Return the shell command of the hook: by name where `exitgate` is on `path`, else by the path of this one.

    A name is the better choice for settings that a team shares.
    """
    if shutil.which(PROGRAM, path=path) is not None:
        return f"{PROGRAM} {HOOK} {host}"
    beside = os.path.join(os.path.dirname(interpreter()), PROGRAM)
    if os.access(beside, os.X_OK):
        return f"{shlex.quote(beside)} {HOOK} {host}"
    return shlex.join(program(HOOK, host))


def is_by_name(command: str) -> bool:
    """Return whether the command names its program without a path."""
    return command.startswith(f"{PROGRAM} ")


def _words(command: str) -> list[str]:
    """Return the words of a command; where it is one for a shell, ``sh -c '…'``, those of the inner one."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []  # a quote is open: no command of ours
    for flag, inner in itertools.pairwise(words[1:]):
        if flag.startswith("-") and flag.endswith("c") and " " in inner:
            return _words(inner)
    return words


def _program_at(words: list[str]) -> int | None:
    """Return where the program is that may be ours, behind settings of variables."""
    for at, word in enumerate(words):
        if os.path.basename(word) == PROGRAM or is_program(words[at + 1 :]):
            return at
        if "=" not in word:
            return None
    return None
