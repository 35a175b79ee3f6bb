"""
The folder of a ralph loop with all its launches as one run, named like the folder.

Its iterations are those whose outputs are kept, in the order in which they began; if none is kept they
are those of the log. It is never recognised by the content: `--reader ralph-folder` asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.recordings.formats.ralph import folder as reading
from exitgate.recordings.formats.ralph.dialects import (
    CODEHARNESS,
    CODEHARNESS_REASONS,
    FRANKBRIA,
    FRANKBRIA_REASONS,
)
from exitgate.recordings.location import Location
from exitgate.recordings.model import Part, Problem
from exitgate.recordings.probe import Probe
from exitgate.recordings.readers import ralph_codeharness, ralph_frankbria

ID = "ralph-folder"
TITLE = "the folder of a ralph loop, all launches as one run"
GIVES = reading.GIVES
FOLDER = True


def fits(look: Probe) -> bool:
    """Return whether a folder or log is that of a loop; the readers of the loops are asked before."""
    if look.place.is_folder:
        return ralph_frankbria.fits(look) or ralph_codeharness.fits(look)
    return reading.fits_log(look, FRANKBRIA) or reading.fits_log(look, CODEHARNESS)


def claims(look: Probe) -> frozenset[str]:
    """Return the names below a folder that belong to the loop."""
    return reading.claims(look)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the one run. Raises OSError when it cannot be opened."""
    from exitgate.recordings.probe import probe_of

    look = probe_of(place)
    if not fits(look):
        yield Problem(place.path, "it is neither a folder nor a log of a loop")
        return
    fork = reading.fits_folder if place.is_folder else reading.fits_log
    if fork(look, CODEHARNESS):
        yield from reading.read_folder(place, wants, CODEHARNESS, CODEHARNESS_REASONS, one=True)
    else:
        yield from reading.read_folder(place, wants, FRANKBRIA, FRANKBRIA_REASONS, one=True)
