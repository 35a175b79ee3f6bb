"""Patterns of files, as policies write them. Pure; any paths give an answer."""

from __future__ import annotations

from exitgate.core.model.value import Value


class FilePatterns(Value):
    """
    Which files are meant; paths are relative to the root of the working tree.

    Args:
        places: Files and folders, each with all that is below it.
        patterns: As `ignore:` of the git facts has them. One with a `/` before its end is a path from
            the root; any other is the name of a file or folder, wherever it lies. One that ends in `/`
            is a folder. `*` stands for any characters, also for none.
    """

    __slots__ = ("patterns", "places")

    def __init__(self, places: tuple[str, ...] = (), patterns: tuple[str, ...] = ()) -> None:
        self.places = places
        self.patterns = patterns

    def __call__(self, path: str) -> bool:
        """Return whether `path` is one of them."""
        if any(path == out or path.startswith(f"{out}/") for out in self.places):
            return True
        *folders, _ = names = path.split("/")
        for pattern in self.patterns:
            bare = pattern.rstrip("/")
            if "/" in bare:
                whole = path if bare == pattern else "/".join(folders)
                depth = bare.count("/") + 1
                if matches(bare, "/".join(whole.split("/")[:depth])):
                    return True
            elif any(matches(bare, name) for name in (names if bare == pattern else folders)):
                return True
        return False


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
