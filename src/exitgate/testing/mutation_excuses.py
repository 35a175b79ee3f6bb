"""What a file of tests says of mutants that may survive."""

from __future__ import annotations

from exitgate.model.diagnostic import Diagnostic
from exitgate.model.value import Value
from exitgate.report.mutants_found import OPEN, SURVIVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.place import Place
    from exitgate.report.mutants_found import FoundMutant
    from exitgate.testing.suite import Suite


class Excuse(Value):
    """Why a mutant may survive, and where that is written: its place and the line of the file."""

    __slots__ = ("id", "line", "place", "why")

    def __init__(self, id: str, why: str, place: Place, line: str) -> None:
        self.id = id
        self.why = why
        self.place = place
        self.line = line


def excuses_of(suite: Suite) -> dict[str, Excuse]:
    """Return the excuses of a suite's file by the id of the mutant."""
    document = suite.document
    section = document.root.get("mutants")
    excused = section.get("excused") if section is not None else None
    found = {}
    for part in excused.items if excused is not None else ():
        id, place = part.fields["id"].text, part.place
        found[id] = Excuse(id, part.fields["why"].text, place, document.lines.line(place.line))
    return found


def stale(
    excuses: Mapping[str, Excuse], found: Iterable[FoundMutant], made_all: bool
) -> tuple[Diagnostic, ...]:
    """
    Return a diagnostic on each excuse that excuses nothing.

    Args:
        excuses: By id.
        found: The mutants that were made.
        made_all: Whether these are all there are and were compared with every case: only then an id
            that is not among them is not a mutant's, and only then it says something that one was noticed.
    """
    if not made_all:
        return ()
    status = {one.id: one for one in found}
    told = []
    for id, excuse in excuses.items():
        one = status.get(id)
        if one is not None and one.status in (SURVIVED, OPEN):
            continue
        message = f"there is no mutant `{id}`"
        if one is not None:
            message = f"the mutant `{id}` is {one.status}" + (f" by `{one.by}`" if one.by else "")
        help = "remove the excuse; `exitgate mutate` prints the ids of survivors"
        told.append(Diagnostic("EP516", message, excuse.place, help, source=excuse.line))
    return tuple(told)
