"""Files and folders that a policy names for one of its facts: looked at within the project, and bounded."""

from __future__ import annotations

import os

from exitgate.facts.listing import fits
from exitgate.policy.reach import is_within, leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Entries of folders that are looked at for one pattern.
ENTRY_LIMIT = 20_000
#: Files that one pattern gives.
FILE_LIMIT = 1_000
_WILD = "*?"


class Looked:
    """What was found for patterns: entries left to look at, and remarks on what was not."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.left = ENTRY_LIMIT
        self.remarks: list[str] = []

    def files(self, pattern: str) -> list[str]:
        """
        Return the paths below the root, sorted, of the files that fit; none outside the root.

        In each part of `pattern` ``*`` and ``?`` stand for any characters; a name that begins with a
        dot is only found by a part that does. At most `FILE_LIMIT` files.
        """
        if leads_out(pattern) or "\0" in pattern:
            return []
        self.left = ENTRY_LIMIT
        found = sorted(self._walk("", [p for p in pattern.split("/") if p not in ("", ".")]))
        if self.left <= 0:
            self._remark(f"only {ENTRY_LIMIT} folder entries were read for `{pattern}`")
        if len(found) > FILE_LIMIT:
            self._remark(f"only the first {FILE_LIMIT} files for `{pattern}` were read")
        return found[:FILE_LIMIT]

    def inside(self, path: str) -> bool:
        """Return whether `path` stays within the root, links followed; remark on one that does not."""
        if is_within(self._place(path), (os.path.realpath(self.root),)):
            return True
        self._remark(f"`{path}` leads out of the project and was not read")
        return False

    def folder(self, path: str) -> bool:
        """Return whether there is a folder at `path`, the root itself for the empty path."""
        return os.path.isdir(self._place(path))

    def _walk(self, at: str, parts: list[str]) -> Iterator[str]:
        if not parts:
            return
        name, rest = parts[0], parts[1:]
        names = self._names(at, name) if any(mark in name for mark in _WILD) else [name]
        for one in names:
            path = f"{at}/{one}" if at else one
            place = self._place(path)
            if rest:
                if os.path.isdir(place) and self.inside(path):
                    yield from self._walk(path, rest)
            elif os.path.isfile(place) and self.inside(path):
                yield path

    def _names(self, folder: str, pattern: str) -> list[str]:
        found = []
        try:
            with os.scandir(self._place(folder)) as entries:
                for entry in entries:
                    self.left -= 1
                    if self.left <= 0:
                        break
                    if fits(entry.name, pattern):
                        found.append(entry.name)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._remark(f"`{folder or '.'}` cannot be read: {error.strerror or error}")
        return sorted(found)

    def _place(self, path: str) -> str:
        return os.path.join(self.root, path) if path else self.root

    def _remark(self, text: str) -> None:
        if text not in self.remarks and len(self.remarks) < 20:
            self.remarks.append(text)
