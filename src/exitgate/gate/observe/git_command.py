"""Asking git, within a time limit and with nothing of the repository's or the user's choosing run."""

from __future__ import annotations

import os

from exitgate.children.answer import AnswerError, answer_of
from exitgate.children.start import LateError
from exitgate.model.git import command, environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GitError", "LateError", "ask"]


class GitError(Exception):
    """Git could not answer; the text says why, as a sentence part."""


#: Seconds that all questions of one observation may take together.
TIME_LIMIT = 2.0

#: Bytes of an answer beyond which it is not read.
ANSWER_LIMIT = 128_000_000


def ask(root: str, words: Sequence[str], deadline: float) -> bytes:
    """
    Return what git answers to `words`, asked in folder `root`.

    Args:
        root: Folder within the working tree.
        words: Command and arguments, no shell.
        deadline: Instant of `time.monotonic` by which it must have answered.

    Raises:
        GitError: Without git, outside a repository, or when it fails.
        LateError: When it does not answer by the deadline; it is ended then.
    """
    import time

    if deadline - time.monotonic() <= 0:
        raise LateError
    if not os.path.isdir(root):
        raise GitError(f"there is no folder `{root}`")
    try:
        given = command(("-C", root, *words))
        code, answer, complaint = answer_of(given, environment(), deadline, ANSWER_LIMIT)
    except FileNotFoundError as error:
        raise GitError(f"git cannot be started: {str(error.strerror).lower()}") from error
    except AnswerError as error:
        raise GitError(str(error)) from error
    if code != 0:
        raise GitError(_complaint(complaint))
    return answer


def _complaint(raw: bytes) -> str:
    first = raw.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
    if first.startswith("not a git repository"):
        return "not inside a git repository"
    if first.startswith("this operation must be run in a work tree"):
        return "not inside a git working tree"
    return f"git refused: {first[:160]}" if first else "git failed"
