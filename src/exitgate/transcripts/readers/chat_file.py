"""A file that is one JSON value, as far as it goes."""

from __future__ import annotations

from exitgate.transcripts.documents import documents
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import writable_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.transcripts.place import Place


def read_json(place: Place) -> tuple[object, tuple[Problem, ...]]:
    """
    Return the first value of the file and what is wrong with it; None where it is not JSON.

    Of a value whose end is missing, what is there counts. Raises OSError.
    """
    problems: list[Problem] = []
    for found in documents(place):
        if not isinstance(found, Problem):
            return found[0], tuple(problems)
        problems.append(found)
    return None, tuple(problems) or (Problem(place.path, "it is empty"),)


def id_of(said: str | None, place: Place) -> str:
    """Return the id that a file says its session has, else the name of the file."""
    return writable_text(said) if said else name_of(place)


class Ids:
    """The ids of the runs of one transcript: one that comes again is numbered, `s`, `s#2`, `s#3`."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}

    def next(self, id: str) -> tuple[str, bool]:
        """Return an id that no run had yet, and whether the session had a run before."""
        times = self._times[id] = self._times.get(id, 0) + 1
        return (id, False) if times == 1 else (f"{id}#{times}", True)


def name_of(place: Place) -> str:
    """Return the name of a file without its ending."""
    return place.name.partition(".")[0] or place.name
