"""
Where the newest line of each name is: an index that a ledger's own lines make again at any time.

A search walks a ledger from its end. For a name that has no line there it would read all of it, so the
offsets of names are kept beside the ledger's head, with the user (`exitgate.core.ledger.head`), each time
that the ledger has grown by `STEP`. They hold as long as the line that they end with is as it was. Without
them, when the folder cannot be written or the file was removed, everything is found by walking.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.file import parse, raw_backwards, start_of_run
from exitgate.core.ledger.head import folder_of_heads, holds, identity, is_mark, name_for
from exitgate.core.ledger.runs import name_of
from exitgate.core.model.json_object import object_or_none
from exitgate.core.model.value import Value
from exitgate.core.system import folders, portable
from exitgate.core.system.quick_json import dumps_finite, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.core.ledger.head import Mark


FORMAT = 1
_ENDING = ".names"
#: Bytes of an index, for a million names; a longer one is not read.
_LARGEST = 1 << 26


class Index(Value):
    """Name -> offset of its newest line among those before offset `end`."""

    __slots__ = ("end", "places")

    def __init__(self, end: int, places: dict[str, int]) -> None:
        self.end = end
        self.places = places


def known(directory: str, descriptor: int, end: int) -> Index | None:
    """
    Return the index that is kept of a ledger, None where there is none or it is of another one.

    Args:
        directory: The state directory.
        descriptor: The ledger, open.
        end: Bytes up to the end of its last whole line.
    """
    try:
        folder = folder_of_heads(make=False)
    except folders.Refused:
        return None
    try:
        raw = folders.read(folder, _file_of(directory, descriptor), _LARGEST)
        plain = None if raw is None else object_or_none(loads(raw))
    except (OSError, ValueError, RecursionError, folders.Refused):
        return None
    finally:
        portable.close(folder)
    if plain is None or plain.get("format") != FORMAT or not is_mark(plain.get("mark")):
        return None
    mark: Any = plain.array("mark")
    places: Any = object_or_none(plain.get("names"))
    if places is None or not holds(descriptor, end, (mark[0], mark[1], mark[2])):
        return None
    return Index(mark[0], places)


def keep_names(directory: str, descriptor: int, mark: Mark) -> bool:
    """
    Keep where the newest lines of all names are; return whether that could be kept.

    Args:
        directory: The state directory.
        descriptor: The ledger, open.
        mark: Its newest line, on the disk.
    """
    before = known(directory, descriptor, mark[0])
    places: dict[str, int] = {}
    for offset, raw in raw_backwards(descriptor, mark[0]):
        if before is not None and offset < before.end:
            break
        run = _run_of(raw)
        if run is not None:
            places.setdefault(name_of(run), offset)
    if before is not None:
        places = {**before.places, **places}
    try:
        folder = folder_of_heads(make=True)
    except folders.Refused:
        return False
    try:
        plain = {"format": FORMAT, "mark": mark, "names": places}
        folders.write(folder, _file_of(directory, descriptor), dumps_finite(plain).encode("ascii"))
    except (OSError, ValueError, folders.Refused):
        return False
    finally:
        portable.close(folder)
    return True


def _file_of(directory: str, descriptor: int) -> str:
    return name_for(identity(descriptor), os.path.realpath(directory), _ENDING)


def _run_of(raw: bytes) -> str | None:
    """Return the run of a line, None for a damaged one; a line as this version writes it is not parsed."""
    start = start_of_run(raw)
    stop = raw.find(b'"', start) if start >= 0 else -1
    if stop >= 0 and b"\\" not in raw[start:stop]:
        return raw[start:stop].decode("ascii", "replace")
    line = parse(raw)
    return None if line is None else str(line["run"])
