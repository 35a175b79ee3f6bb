"""From paths, globs and URLs to files and folders with the reader of each."""

from __future__ import annotations

import os
import posixpath

from exitgate.model.value import Value
from exitgate.transcripts import registry
from exitgate.transcripts.look import look_at
from exitgate.transcripts.place import Place, answered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from exitgate.transcripts.look import Look

    Known = Callable[[Place], str | None]

#: Folders not searched for transcripts.
_PASSED_OVER = frozenset((".git/", "node_modules/", "__pycache__/", ".venv/"))


class Found(Value):
    """
    A file or folder, and who reads it.

    Args:
        place: Where it is.
        reader: Id, or None where no reader fits or it cannot be opened.
        trouble: Why it cannot be opened, or the empty text.
        named: Whether the user named this very file, so that an unknown format is an error.
    """

    __slots__ = ("named", "place", "reader", "trouble")

    def __init__(self, place: Place, reader: str | None, trouble: str = "", named: bool = False) -> None:
        self.place = place
        self.reader = reader
        self.trouble = trouble
        self.named = named


def discover(paths: Sequence[str], reader: str | None = None, known: Known | None = None) -> Iterator[Found]:
    """
    Yield what `paths` stand for, folders walked through in the order of names, nothing twice.

    Args:
        paths: Files, folders, globs (`*`, `**`), URLs that fsspec knows.
        reader: Id of the reader for all of them, or None to tell it by the content.
        known: Says of a file which reader it has, or None where it must be looked at.

    A path that does not exist is found with its trouble; nothing raises.
    """
    seen: set[object] = set()
    for path in paths:
        for place in _places(path):
            if isinstance(place, Found):
                yield place
                continue
            yield from _walk(place, reader, known, seen)


def _places(path: str) -> Iterator[Place | Found]:
    if "://" in path:
        try:
            yield from tuple(_remote(path))
        except OSError as error:  # an unknown protocol and a missing package, too
            yield Found(Place(path), None, error.strerror or str(error), named=True)
        return
    if os.path.lexists(path) or not any(mark in path for mark in "*?["):
        yield Place(path, os.path.isdir(path))
        return
    import glob

    matches = sorted(glob.glob(path, recursive=True, include_hidden=True))
    for match in matches or (path,):
        yield Place(match, os.path.isdir(match))


def _remote(path: str) -> Iterator[Place]:
    import fsspec

    system: Any
    system, inner = answered(fsspec.core.url_to_fs, path)
    matches = answered(system.glob, inner) if any(mark in inner for mark in "*?[") else (inner,)
    for match in sorted(matches):
        yield Place(match, answered(system.isdir, match), system)


def _walk(top: Place, reader: str | None, known: Known | None, seen: set[object]) -> Iterator[Found]:
    """
    Yield what is at `top` and below it, without what is in `seen` and without folders that `top` is in.

    What waits is kept in a list: folders can be deeper than calls.
    """
    above = _above(top)
    waiting: list[tuple[Place, frozenset[str]]] = [(top, frozenset())]
    while waiting:
        place, taken = waiting.pop()
        key, named = _key(place), place is top
        if key in seen or key in above:
            continue
        seen.add(key)
        if not taken and reader is None and known is not None and (id := known(place)) is not None:
            yield Found(place, id, named=named)
            continue
        look = _looked(place)
        if isinstance(look, str):
            yield Found(place, None, look, named)
            continue
        if not place.is_folder:
            yield Found(place, reader or registry.sniff(look), named=named)
            continue
        if not taken:
            id = registry.sniff(look) if reader is None else reader
            module = None if id is None else registry.load(id)
            if module is not None and getattr(module, "FOLDER", False) and module.fits(look):
                yield Found(place, id, named=named)
                taken = module.claims(look)  # type: ignore[attr-defined]
        waiting += reversed(list(_below(place, look.names, taken)))


def _looked(place: Place) -> Look | str:
    """Return a first look, or why there is none."""
    try:
        return look_at(place)
    except OSError as error:
        return error.strerror or str(error)


def _below(
    place: Place, names: Sequence[str], taken: frozenset[str]
) -> Iterator[tuple[Place, frozenset[str]]]:
    """Yield what is in a folder without `taken` names (`a/b` for b in a), each with those taken below it."""
    for name in names:
        if name in taken or name in _PASSED_OVER:
            continue
        inner = frozenset(t.removeprefix(name) for t in taken if name.endswith("/") and t.startswith(name))
        yield place.at(name.rstrip("/"), name.endswith("/")), inner


def _key(place: Place) -> object:
    """Return what a file or folder is known by under any of its names."""
    if place.system is None:
        try:
            status = os.stat(place.path)
        except (OSError, ValueError):
            return place.path
        if status.st_ino:
            return status.st_dev, status.st_ino
    return place.path


def _above(top: Place) -> frozenset[object]:
    """Return the keys of the folders that a folder is in: a link to one of them leads round in a circle."""
    if not top.is_folder or top.system is not None:
        return frozenset()
    found = []
    path = os.path.realpath(top.path)
    while (outer := os.path.dirname(path)) != path:
        found.append(_key(Place(outer)))
        path = outer
    return frozenset(found)


def base_name(path: str) -> str:
    """Return the last part of a path or URL."""
    return posixpath.basename(path.rstrip("/"))
