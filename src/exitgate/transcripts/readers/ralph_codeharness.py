"""
codeharness's loop, a fork of ralph-claude-code: folder, log, histories of its state, timeout reports.

Each launch in the log is a run. The plan is what the loop itself counts (`Progress: 3/28 done`), its items
named by their numbers. Times are local and taken as UTC.
"""

from __future__ import annotations

from exitgate.transcripts.readers import ralph_reading as reading
from exitgate.transcripts.readers.ralph_codeharness_files import is_report, read_report, state_of
from exitgate.transcripts.readers.ralph_codeharness_marks import MARKS, REASONS
from exitgate.transcripts.run import PROCESS, Begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "ralph-codeharness"
TITLE = "codeharness: a loop's folder, its log, histories of its state, timeout reports"
GIVES = reading.GIVES
FOLDER = True


def fits(look: Look) -> bool:
    """Return whether a folder is that of such a loop, or a file its log, a report or its state."""
    if look.place.is_folder:
        return reading.fits_folder(look, MARKS)
    return is_report(look.text) or reading.fits_log(look, MARKS) or state_of(look) is not None


def claims(look: Look) -> frozenset[str]:
    """Return the names below a folder that belong to the loop."""
    return reading.claims(look)


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:
    """Yield the runs. Raises OSError when it cannot be opened."""
    if place.is_folder:
        yield from reading.read_folder(place, wants, MARKS, REASONS)
        return
    from exitgate.transcripts.look import look_at

    look = look_at(place)
    if is_report(look.text):
        yield from read_report(place, wants)
        return
    state = state_of(look)
    if state is None:
        yield from reading.read_folder(place, wants, MARKS, REASONS)
        return
    yield Begin(place.name, PROCESS, place.path)
    yield state
