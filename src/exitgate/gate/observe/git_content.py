"""Digests of files in a working tree."""

from __future__ import annotations

import os
import stat

from exitgate import opening
from exitgate.gate.observe.git_command import GitError, LateError, ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Bytes of one file beyond which its size and time of change stand for its content.
CONTENT_LIMIT = 50_000_000

_DIGEST_SIZE = 12
ABSENT = "-"


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
    from exitgate.model.digest import blake2b

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
            return f"kind-{stat.S_IFMT(status.st_mode):o}"
        if status.st_size > CONTENT_LIMIT:
            return f"size-{status.st_size}-{status.st_mtime_ns}"
        return _digest_regular(path, deadline)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except (OSError, ValueError, GitError):
        return "unreadable"


def _digest_regular(path: str, deadline: float) -> str:
    import time

    from exitgate.model.digest import blake2b

    total = blake2b(digest_size=_DIGEST_SIZE)
    descriptor = opening.reading(path)
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
    from exitgate.model.digest import blake2b

    return blake2b(raw, digest_size=_DIGEST_SIZE).hexdigest()
