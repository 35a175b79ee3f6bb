"""Patterns of files, as policies write them. Pure; any paths give an answer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Folders of which is remembered whether they are left out.
_FOLDERS = 100_000


class FilePatterns:
    """
    Which files are meant; paths are relative to the root of the working tree.

    Args:
        places: Files and folders, each with all that is below it.
        patterns: As `ignore:` of the git facts has them. One with a `/` before its end is a path from
            the root; any other is the name of a file or folder, wherever it lies. One that ends in `/`
            is a folder. `*` stands for any characters, also for none.

    A thousand files take about as long as their names and their folders: a folder is looked at once.
    """

    def __init__(self, places: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> None:
        self._exact = frozenset(places)
        self._below = tuple(f"{place}/" for place in places)
        bare = {pattern: pattern.rstrip("/") for pattern in patterns}
        named = [(pattern, name) for pattern, name in bare.items() if "/" not in name]
        self._names = _Names(name for pattern, name in named if name == pattern)
        self._folders = _Names(name for _, name in named)
        paths = [(pattern, path) for pattern, path in bare.items() if "/" in path]
        #: Depth -> what paths of it begin with, and they themselves, of files and folders.
        self._paths: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        for path in (path for pattern, path in paths if path == pattern):
            heads, whole = self._paths.get(path.count("/"), ((), ()))
            self._paths[path.count("/")] = (*heads, path.partition("*")[0]), (*whole, path)
        self._folder_paths = [(path.count("/") + 1, path) for _, path in paths]
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Return whether `path` is one of them."""
        if path in self._exact or path.startswith(self._below):
            return True
        folder, inside, name = path.rpartition("/")
        found = self._known.get(folder) if inside else False
        if found is None:
            if len(self._known) >= _FOLDERS:
                self._known.clear()
            found = self._known[folder] = self._has(folder.split("/"))
        if found or self._names(name):
            return True
        heads, whole = self._paths.get(path.count("/"), ((), ()))
        return path.startswith(heads) and any(matches(pattern, path) for pattern in whole)

    def named(self, names: Iterable[str]) -> list[str]:
        """Return those of the names in a folder that are meant, no matter where the folder lies."""
        return self._folders.among(names)

    def _has(self, folders: Sequence[str]) -> bool:
        """Return whether a folder, or one that it is in, is one of them."""
        return any(map(self._folders, folders)) or any(
            deep <= len(folders) and matches(pattern, "/".join(folders[:deep]))
            for deep, pattern in self._folder_paths
        )


class _Names:
    """Names and patterns of names, sorted by what it takes to match them."""

    def __init__(self, patterns: Iterable[str]) -> None:
        every = list(patterns)
        self._exact = frozenset(one for one in every if "*" not in one)
        single = [one for one in every if one.count("*") == 1]
        self._starts = tuple(one[:-1] for one in single if one.endswith("*"))
        self._ends = tuple(one[1:] for one in single if one.startswith("*"))
        known = {*self._exact, *(one for one in single if "*" in (one[:1], one[-1:]))}
        self._others = [one for one in every if one not in known]

    def __call__(self, name: str) -> bool:
        return (
            name in self._exact
            or name.startswith(self._starts)
            or name.endswith(self._ends)
            or any(matches(pattern, name) for pattern in self._others)
        )

    def among(self, names: Iterable[str]) -> list[str]:
        """Return those of some names that match; most folders have none, which takes little time."""
        starts, ends, others = self._starts, self._ends, self._others
        every = {*names}
        found = {one for one in every if one.startswith(starts) or (ends and one.endswith(ends))}
        found |= self._exact & every
        if others:
            found |= {one for one in every if any(matches(pattern, one) for pattern in others)}
        return sorted(found)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern in which `*` stands for any characters fits the whole text; linear in both."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    end = len(text) - len(last)
    if not text.startswith(first) or not text.endswith(last) or end < len(first):
        return False
    at = len(first)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
