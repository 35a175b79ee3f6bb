"""A JSON file of the project."""

from __future__ import annotations

import os

from exitgate.core.model.fact import Source
from exitgate.core.observe.files import Looked, read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.model.json_object import JsonObject


#: Bytes of the largest file that is read.
SIZE_LIMIT = 10_000_000


def read(name: str, options: JsonObject, root: str) -> Source:
    """
    Return the source `name`, the text of the option `file`; one that leads out is reported and not read.

    Of several places the first that holds anything is read; where their shape is looked for
    (`lexicon`), all of them, as one list.
    """
    places = places_of(options)
    if len(places) == 1:
        return _read(name, places[0], root)
    found = [
        source
        for path in places
        if os.path.lexists(path if root == "." else os.path.join(root, path))
        and not (source := _read(name, path, root)).absent
    ]
    return (
        joined(name, found, options) if found else Source(name, reason=not_there(name, places), absent=True)
    )


def joined(name: str, found: Sequence[Source], options: JsonObject) -> Source:
    """
    Return what stands for several files: the first that is not empty, or with `lexicon` a list of all.

    One of them that cannot be read stands for all.
    """
    told = [source for source in found if source.text is None or source.text.strip()]
    broken = next((source for source in told if source.text is None), None)
    if broken is not None or len(told) <= 1 or "lexicon" not in options:
        return broken or (told or found)[0]
    return Source(
        name,
        text="[" + ",\n".join((source.text or "").lstrip("\ufeff") for source in told) + "]",
        path=", ".join(source.path or "" for source in told),
        warnings=tuple(warning for source in told for warning in source.warnings),
    )


def places_of(options: JsonObject) -> tuple[str, ...]:
    """Return the places where the file may be, the first first."""
    return options.one_or_more("file") or ("",)


def not_there(name: str, places: Sequence[str]) -> str:
    """Return why there is no source, as a sentence part."""
    return f"no {name} at " + " or ".join(f"`{place}`" for place in places)


def _read(name: str, path: str, root: str) -> Source:
    looked = Looked(root)
    place = path if root == "." else os.path.join(root, path)
    if os.path.lexists(place) and not looked.inside(path):
        (remark,) = looked.remarks
        return Source(name, path=place, reason=remark, warnings=(remark,))
    source = read_source(name, place, limit=SIZE_LIMIT)
    if source.text is None and not source.absent:
        return Source(name, path=place, reason=source.reason, warnings=(*source.warnings, source.reason))
    return source
