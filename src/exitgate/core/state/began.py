"""
What a run keeps of how things were when it began, for facts that compare with that.

It is a document in the state directory, under the digest of its bytes; lines of the ledger carry the digest.
So one that was changed or removed is noticed: what rests on it is unknown until the next run begins.
"""

from __future__ import annotations

import os

from exitgate.core.ledger.file import cannot_write
from exitgate.core.model.json_object import JsonObject, object_of, object_or_none
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Source


FOLDER = "began"
#: Documents that are kept at most; those of the longest unused are dropped first.
KEPT = 32
#: Bytes of the largest one.
LARGEST = 16_000_000
_HEX = frozenset("0123456789abcdef")
LOST = "what was kept of the start of the run is lost or was changed"


def began_in(directory: str, source: Source | None) -> str:
    """
    Keep the beginning that a source holds, if it does, and return its digest; the empty text without one.

    Raises:
        ExitgateError: 73 when it cannot be written.
    """
    document = None if source is None or source.record is None else source.record.get("began")
    return keep(directory, object_of(document)) if document is not None else ""


def keep(directory: str, document: JsonObject) -> str:
    """
    Keep a document and return its digest.

    Raises:
        ExitgateError: 73 when it cannot be written.
    """
    raw = dumps(document).encode("ascii")
    digest = hex_digest(raw)
    place = os.path.join(directory, FOLDER)
    path = os.path.join(place, f"{digest}.json")
    if os.path.lexists(path):
        return digest
    try:
        safe_files.replace_in(*os.path.split(path), raw)
        _drop(place)
    except OSError as error:
        raise cannot_write(path, error) from error
    return digest


def kept(directory: str, digest: str) -> JsonObject | None:
    """Return the document with this digest; None where there is none, or it is not as it was written."""
    if not digest or not _HEX.issuperset(digest):
        return None
    try:
        raw = safe_files.content_in(os.path.join(directory, FOLDER), f"{digest[:128]}.json", LARGEST)
        return object_or_none(loads(raw)) if hex_digest(raw) == digest else None
    except (OSError, ValueError, RecursionError):
        return None


def _drop(place: str) -> None:
    """Remove the oldest documents beyond `KEPT`. Raises OSError."""
    folder = safe_files.open_folder(place)
    try:
        names = safe_files.names_in(folder)
        if len(names) <= KEPT:
            return
        names.sort(key=lambda name: portable.status_at(name, folder).st_mtime_ns)
        for name in names[: len(names) - KEPT]:
            try:
                portable.remove_at(name, folder)
            except FileNotFoundError:
                continue  # gone already, which is what is wanted
    finally:
        portable.close(folder)
