"""Which files of a folder can be opened: one that cannot is reported, and does not void the others."""

from __future__ import annotations

from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.place import Place


def trouble_with(place: Place) -> Problem | None:
    """Return why a file cannot be opened, None where it can."""
    try:
        place.head(1)
    except OSError as error:
        return Problem(place.path, error.strerror or str(error))
    return None
