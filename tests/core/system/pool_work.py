"""Work for processes of their own: they load it from here."""

from __future__ import annotations

import os
import signal
import sys

BEGUN: list[str] = []


def begin(word: str) -> None:
    BEGUN.append(word)


def fail_to_begin() -> None:
    raise ValueError("cannot begin")


def begun(number: int) -> tuple[list[str], int, int]:
    """Return what the process began with, the number, and the process."""
    print("a stray word")
    os.write(1, b"another")
    assert sys.stdin.read() == ""
    return list(BEGUN), number, os.getpid()


def fail(text: str) -> None:
    raise LookupError(text)


def not_pickled() -> object:
    return lambda: None


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupted() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "went on"


def wait() -> None:
    signal.pause()


def places() -> tuple[list[str], str, dict[str, str]]:
    return sys.path, os.getcwd(), dict(os.environ)
