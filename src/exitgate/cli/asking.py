"""Asking the user before something is written."""

from __future__ import annotations

import sys

from exitgate.cli.answer import Answer


def can_ask() -> bool:
    """Return whether somebody can be asked: stdin and stderr are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def agreed(question: str) -> bool:
    """Ask on stderr and return whether the answer begins with y; no answer is no."""
    from exitgate.cli.main import write

    write(Answer(err=question))
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
