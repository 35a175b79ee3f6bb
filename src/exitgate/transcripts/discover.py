"""From paths, globs and URLs to files and folders with the reader of each."""

from __future__ import annotations

import os
import posixpath

from exitgate.model.value import Value
from exitgate.transcripts import registry
from exitgate.transcripts.look import look_at
from exitgate.transcripts.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Known = Callable[[Place], str | None]

#: Folders below which nobody keeps transcripts.
_PASSED_OVER = frozenset((".git/", "node_modules/", "__pycache__/", ".venv/"))


class Found(Value):
    """
    A file or folder, and who reads it.

    Args:
        place: Where it is.
        reader: Id, or None where no reader fits or it cannot be opened.
        trouble: Why it cannot be opened, or the empty text.
        named: Whether the user named this very file, so that a format nobody knows is an error.
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

    A path that is not there is found with its trouble; nothing raises.
    """
    seen: set[str] = set()
    for path in paths:
        for place in _places(path):
            if isinstance(place, Found):
                yield place
                continue
            for found in _walk(place, reader, known, named=True):
                if found.place.path not in seen:
                    seen.add(found.place.path)
                    yield found


def _places(path: str) -> Iterator[Place | Found]:
    if "://" in path:
        try:
            yield from tuple(_remote(path))
        except Exception as error:
            # whatever a file system of somebody else's raises: a protocol nobody knows, a missing package
            yield Found(Place(path), None, str(error) or type(error).__name__, named=True)
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
    system, inner = fsspec.core.url_to_fs(path)
    for match in sorted(system.glob(inner)) if any(mark in inner for mark in "*?[") else (inner,):
        yield Place(match, system.isdir(match), system)


def _walk(place: Place, reader: str | None, known: Known | None, *, named: bool) -> Iterator[Found]:
    if reader is None and known is not None and (id := known(place)) is not None:
        yield Found(place, id, named=named)
        return
    try:
        look = look_at(place)
    except OSError as error:
        yield Found(place, None, error.strerror or str(error), named)
        return
    except Exception as error:
        yield Found(place, None, str(error) or type(error).__name__, named)
        return
    if not place.is_folder:
        yield Found(place, reader or registry.sniff(look), named=named)
        return
    id = registry.sniff(look) if reader is None else reader
    taken: frozenset[str] = frozenset()
    module = None if id is None else registry.load(id)
    if module is not None and getattr(module, "FOLDER", False) and module.fits(look):
        yield Found(place, id, named=named)
        taken = module.claims(look)  # type: ignore[attr-defined]
    yield from _below(place, look.names, taken, reader, known)


def _below(
    place: Place, names: Sequence[str], taken: frozenset[str], reader: str | None, known: Known | None
) -> Iterator[Found]:
    """Yield what is in a folder, `taken` names (`a/b` for b in a) left out."""
    for name in names:
        if name in taken or name in _PASSED_OVER:
            continue
        inner = frozenset(t.removeprefix(name) for t in taken if name.endswith("/") and t.startswith(name))
        child = place.at(name.rstrip("/"), name.endswith("/"))
        if not inner:
            yield from _walk(child, reader, known, named=False)
            continue
        try:
            below = child.names()
        except OSError as error:
            yield Found(child, None, error.strerror or str(error))
            continue
        yield from _below(child, below, inner, reader, known)


def base_name(path: str) -> str:
    """Return the last part of a path or URL."""
    return posixpath.basename(path.rstrip("/"))
