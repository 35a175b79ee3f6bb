"""Paths as git lists them, and which of them do not count. Pure; any bytes give an answer."""

from __future__ import annotations

from exitgate.model.value import Value


def parse_names(answer: bytes) -> tuple[str, ...]:
    """Return the paths of a ``-z`` list of names, in order, without doubles."""
    return tuple(dict.fromkeys(path_of(part) for part in answer.split(b"\0") if part))


def path_of(raw: bytes) -> str:
    """
    Return a path as the file system functions take it; bytes that are not an UTF-8 survive the way back.
    """
    return raw.decode("utf-8", "surrogateescape")


class LeftOut(Value):
    """
    Which files are not work of the agent; paths are relative to the root of the working tree.

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
        """Return whether `path` is left out."""
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
