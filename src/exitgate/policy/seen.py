"""What was looked at on the disk while a policy was made, so that a later check can tell what changed."""

from __future__ import annotations

import os

from exitgate import opening
from exitgate.model.digest import hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: States of a path; the state of a regular file is the hex digest of what it holds.
ABSENT, FOLDER, OTHER = "absent", "folder", "other"

#: More than any file a policy may be made of; a longer one is never what was seen.
_READ_LIMIT = 8 * 1024 * 1024


def state_of(path: str) -> str:
    """
    Return the state of `path` now: a digest, `ABSENT`, `FOLDER`, or `OTHER` for what cannot be read.

    A FIFO or device is never waited for.
    """
    try:
        content = opening.beginning(path, _READ_LIMIT, links=True)
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except IsADirectoryError:
        return FOLDER
    except (OSError, ValueError):
        return OTHER
    return hex_digest(content)


class Seen:
    """
    Collects paths and their states: files that were read, and places where there was nothing.

    `lasting` is False once something was seen that cannot be recognised again: a file that changed
    while it was looked at, or one that could not be read.
    """

    def __init__(self) -> None:
        self._states: dict[str, str] = {}
        self.lasting = True

    def read(self, path: str, content: bytes) -> None:
        """Note that `path` (absolute) was a regular file that held `content`."""
        self._note(path, hex_digest(content))

    def looked(self, path: str) -> None:
        """Note the state of `path` (absolute), no matter what it is."""
        self._note(path, state_of(path))

    def missing(self, path: str) -> None:
        """Note that there was no regular file at `path` (absolute)."""
        state = state_of(path)
        self._note(path, state if state in (ABSENT, FOLDER) else OTHER)

    def leave_out(self, places: Iterable[str]) -> None:
        """Take places out at which there was nothing; one where something was does not last."""
        for path in places:
            if self._states.pop(path, ABSENT) != ABSENT:
                self.lasting = False
        if ABSENT in self._states.values():
            self.lasting = False

    def states(self) -> list[list[str]]:
        """Return ``[path, state]`` in the order of first sight, plain JSON."""
        return [[path, state] for path, state in self._states.items()]

    def _note(self, path: str, state: str) -> None:
        if not os.path.isabs(path) or state == OTHER or self._states.setdefault(path, state) != state:
            self.lasting = False


def changed(states: Iterable[Iterable[str]]) -> str:
    """Return the first path that is not in the state it was seen in, the empty text when all are."""
    for path, state in states:
        if state_of(path) != state:
            return path
    return ""
