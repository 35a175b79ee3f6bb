"""Asking git, within a time limit and with nothing of the repository's or the user's choosing run."""

from __future__ import annotations

import errno
import os
import stat

from exitgate.core.observe.git_line import environment_of, line_of
from exitgate.core.system import portable, safe_files
from exitgate.core.system.child import AnswerError, LateError, answer_of, found, piped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")


__all__ = ["GitError", "LateError", "ask"]


class GitError(Exception):
    """Git could not answer; the text says why, as a sentence part."""


#: Seconds that all questions of one observation may take together.
TIME_LIMIT = 2.0

#: Bytes of an answer beyond which it is not read.
ANSWER_LIMIT = 128_000_000


def ask(root: str, words: Sequence[str], deadline: float, given: bytes = b"") -> bytes:
    """
    Return what git answers to `words`, asked in folder `root`.

    Args:
        root: Folder within the working tree.
        words: Command and arguments, no shell.
        deadline: Instant of `time.monotonic` by which it must have answered.
        given: What it reads, at most 4,000 bytes: so much fits in a pipe everywhere.

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
        line = command(("-C", root, *words))
        if not given:
            code, answer, complaint = answer_of(line, environment(), deadline, ANSWER_LIMIT)
        else:
            with piped(given) as reads:
                code, answer, complaint = answer_of(line, environment(), deadline, ANSWER_LIMIT, reads)
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


def command(words: Sequence[str], *, literal: bool = True) -> list[str]:
    """
    Return the command line for `words`, see `exitgate.core.observe.git_line.line_of`.

    Raises `FileNotFoundError` without a git in a folder of `PATH` that is absolute.
    """
    program = found("git")
    if program is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "git")
    return line_of(program, words, literal=literal)


def environment() -> dict[str, str]:
    """Return this process's environment for git, see `exitgate.core.observe.git_line.environment_of`."""
    return environment_of(os.environ)


# Digests of files in a working tree.

#: Bytes of one file beyond which its size and time of change stand for its content.
CONTENT_LIMIT = 50_000_000

_DIGEST_SIZE = 12
ABSENT = "-"
#: What the digest of a path begins with where it does not speak of the content.
_KIND, _SIZE, _UNREADABLE = "kind-", "size-", "unreadable"
NOT_READ = (_KIND, _SIZE, _UNREADABLE)


def digest_files(root: str, paths: Iterable[str], deadline: float) -> dict[str, str]:
    """
    Return path -> digest of its content; `ABSENT` for a path at which there is nothing.

    Symbolic links stand for where they point and are not followed; a repository inside this one (a
    submodule, or an untracked one) for its HEAD; other things that are not files for their kind.

    Raises:
        LateError: When `deadline` (of `time.monotonic`) passes first.
    """
    import time

    found: dict[str, str] = {}
    for path in paths:
        if time.monotonic() > deadline:
            raise LateError
        found[path] = _digest(os.path.join(root, path), deadline)
    return found


def digest_map(digests: Mapping[str, str]) -> str:
    """Return one digest for a map of path -> digest, no matter what its order."""
    from exitgate.core.system.digest import blake2b

    total = blake2b(digest_size=_DIGEST_SIZE)
    for path in sorted(digests):
        total.update(path.encode("utf-8", "surrogateescape"))
        total.update(b"\0")
        total.update(digests[path].encode("ascii"))
        total.update(b"\0")
    return total.hexdigest()


def _digest(path: str, deadline: float) -> str:
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return _hash(b"link\0" + os.fsencode(os.readlink(path)))
        if stat.S_ISDIR(status.st_mode) and os.path.lexists(os.path.join(path, ".git")):
            return _hash(b"head\0" + ask(path, ("rev-parse", "HEAD"), deadline))
        if not stat.S_ISREG(status.st_mode):
            return f"{_KIND}{stat.S_IFMT(status.st_mode):o}"
        if status.st_size > CONTENT_LIMIT:
            return f"{_SIZE}{status.st_size}-{status.st_mtime_ns}"
        return read_once(path, status, "", lambda: _digest_regular(path, deadline))
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ValueError, GitError):
        return _UNREADABLE


#: Path, what tells whether its file changed, what is asked -> what was found: a check may look twice.
_FOUND: dict[tuple[str, tuple[int, ...], str], Any] = {}
_REMEMBERED = 20_000


def read_once(path: str, status: os.stat_result, asked: str, read: Callable[[], T]) -> T:
    """
    Return what is found in a file, which this process reads once as long as it is the same.

    Args:
        path: Of the file.
        status: As it is before it is read.
        asked: What is looked for.
        read: Reads it.
    """
    import time

    identity = portable.identity(status, time.time_ns())
    if not identity:
        return read()
    key = path, identity, asked
    known: T | None = _FOUND.get(key)
    if known is not None:
        return known
    found = read()
    if len(_FOUND) >= _REMEMBERED:
        _FOUND.clear()
    _FOUND[key] = found
    return found


def _digest_regular(path: str, deadline: float) -> str:
    import time

    from exitgate.core.system.digest import blake2b

    total = blake2b(digest_size=_DIGEST_SIZE)
    descriptor = safe_files.reading(path)
    try:
        executable = os.fstat(descriptor).st_mode & stat.S_IXUSR
        total.update(b"x" if executable else b"f")
        while piece := os.read(descriptor, 1 << 20):
            total.update(piece)
            if time.monotonic() > deadline:
                raise LateError
    finally:
        os.close(descriptor)
    return total.hexdigest()


def _hash(raw: bytes) -> str:
    from exitgate.core.system.digest import blake2b

    return blake2b(raw, digest_size=_DIGEST_SIZE).hexdigest()
