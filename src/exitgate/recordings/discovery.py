"""From paths, globs and URLs to files and folders with the reader of each."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from exitgate.core.model.capabilities import ALL
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings import registry
from exitgate.recordings.location import Location, answered
from exitgate.recordings.model import Begin, Part, Problem, RecordedIteration
from exitgate.recordings.probe import Probe, probe_of
from exitgate.recordings.unread import Unread, known_reader

Known = Callable[[Location], str | None]


#: Folders not searched for transcripts.
_PASSED_OVER = frozenset((".git/", "node_modules/", "__pycache__/", ".venv/"))


class Found(Struct, frozen=True):
    """
    A file or folder, and who reads it.

    Args:
        place: Where it is.
        reader: Id, or None where no reader fits or it cannot be opened.
        trouble: Why it cannot be opened, or the empty text.
        named: Whether the user named this very file, so that an unknown format is an error.
    """

    place: Location
    reader: str | None
    trouble: str = ""
    named: bool = False


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


def _places(path: str) -> Iterator[Location | Found]:
    if "://" in path:
        try:
            yield from tuple(_remote(path))
        except OSError as error:  # an unknown protocol and a missing package, too
            yield Found(Location(path), None, error.strerror or str(error), named=True)
        return
    if os.path.lexists(path) or not any(mark in path for mark in "*?["):
        yield Location(path, os.path.isdir(path))
        return
    import glob

    matches = sorted(glob.glob(path, recursive=True, include_hidden=True))
    for match in matches or (path,):
        yield Location(match, os.path.isdir(match))


def _remote(path: str) -> Iterator[Location]:
    import fsspec

    system: Any
    system, inner = answered(fsspec.core.url_to_fs, path)
    matches = answered(system.glob, inner) if any(mark in inner for mark in "*?[") else (inner,)
    for match in sorted(matches):
        yield Location(match, answered(system.isdir, match), system)


def _walk(top: Location, reader: str | None, known: Known | None, seen: set[object]) -> Iterator[Found]:
    """
    Yield what is at `top` and below it, without what is in `seen` and without folders that `top` is in.

    What waits is kept in a list: folders can be deeper than calls.
    """
    above = _above(top)
    waiting: list[tuple[Location, frozenset[str]]] = [(top, frozenset())]
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


def _looked(place: Location) -> Probe | str:
    """Return a first look, or why there is none."""
    try:
        return probe_of(place)
    except OSError as error:
        return error.strerror or str(error)


def _below(
    place: Location, names: Sequence[str], taken: frozenset[str]
) -> Iterator[tuple[Location, frozenset[str]]]:
    """Yield what is in a folder without `taken` names (`a/b` for b in a), each with those taken below it."""
    for name in names:
        if name in taken or name in _PASSED_OVER:
            continue
        inner = frozenset(t.removeprefix(name) for t in taken if name.endswith("/") and t.startswith(name))
        yield place.at(name.rstrip("/"), name.endswith("/")), inner


def _key(place: Location) -> object:
    """Return what a file or folder is known by under any of its names."""
    if place.system is None:
        try:
            status = os.stat(place.path)
        except (OSError, ValueError):
            return place.path
        if status.st_ino:
            return status.st_dev, status.st_ino
    return place.path


def _above(top: Location) -> frozenset[object]:
    """Return the keys of the folders that a folder is in: a link to one of them leads round in a circle."""
    if not top.is_folder or top.system is not None:
        return frozenset()
    found = []
    path = os.path.realpath(top.path)
    while (outer := os.path.dirname(path)) != path:
        found.append(_key(Location(outer)))
        path = outer
    return frozenset(found)


def base_name(path: str) -> str:
    """Return the last part of a path or URL."""
    return posixpath.basename(path.rstrip("/"))


#: What a folder of transcripts and a file of unknown size count as, in bytes.
UNKNOWN_SIZE = 1_000_000


def size_of(found: Found) -> int:
    """Return the bytes of a transcript, or what it counts as where that is not known."""
    size = None if found.place.is_folder else found.place.size()
    return UNKNOWN_SIZE if size is None else size


# The parts of every transcript that paths lead to; one that cannot be read is reported and stops no other.


def readable(paths: Sequence[str], reader: str | None, unread: Unread) -> Iterator[Found]:
    """
    Yield the files and folders that have a reader; `unread` is told the others.

    Raises ExitgateError (64) for a reader that does not exist.
    """
    for found in discover(paths, known_reader(reader)):
        if found.reader is None:
            unread.add(found)
        else:
            yield found


def parts_of(found: Found, unread: Unread, wants: frozenset[str] = ALL) -> Iterator[Part]:
    """Yield the parts of a transcript that has a reader; `unread` gets the reason of an early end."""
    assert found.reader is not None
    try:
        yield from mark_gaps(registry.load(found.reader).read(found.place, wants))
    except OSError as error:
        unread.fail(found.place.path, error)
    except ExitgateError as error:
        # a reader of another package that does not keep to the contract
        unread.failed += error.diagnostics


# Iterations beside what could not be read: a call of a tool may have been there.

#: Problems after which readers no longer name each: every later iteration may have one.
MANY = 20
_ENDED = "the recording could not be read any further"


def mark_gaps(parts: Iterator[Part]) -> Iterator[Part]:
    """
    Yield the parts of a transcript; iterations next to a problem say that calls may be missing.

    A problem belongs to the iteration before or behind it: readers tell of it when they come to it. So each
    iteration is held back until the next one or the next run begins.

    Raises:
        OSError, ExitgateError: As the reader does, behind what it read before. Anything else is a fault of
            the program, and what is held back goes with it.
    """
    held: list[Part] = []
    gap, many = "", 0
    try:
        for part in parts:
            if isinstance(part, Problem) and part.loses:
                many += 1
                gap = _why(part)
                held = [_with(one, gap) if isinstance(one, RecordedIteration) else one for one in held]
            elif isinstance(part, Begin | RecordedIteration):
                yield from held
                held = []
            if isinstance(part, RecordedIteration):
                held = [_with(part, gap) if gap else part]
                gap = gap if many >= MANY else ""
            elif held:
                held.append(part)
            else:
                yield part
    except (OSError, ExitgateError):
        # All that a reader may raise. What it read before is not lost, and what came next may be missing.
        yield from (_with(one, _ENDED) if isinstance(one, RecordedIteration) else one for one in held)
        raise
    yield from held


def _why(problem: Problem) -> str:
    where = f"line {problem.line}" if problem.line else "a part"
    return f"{where} of the recording could not be read"


def _with(one: RecordedIteration, why: str) -> RecordedIteration:
    if one.tool_calls is None or "tool_calls" in one.not_known:
        return one
    return one.but(not_known={**one.not_known, "tool_calls": why})
