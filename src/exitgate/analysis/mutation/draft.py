"""A mutant before it has its number."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.mutation.changes import Change
    from exitgate.model.place import Place


class Draft(Value):
    """What a kind says of one mutant: as `Mutant`, without id and kind."""

    __slots__ = ("after", "before", "change", "place", "subject")

    def __init__(
        self, subject: str, before: str, after: str, change: Change, place: Place | None = None
    ) -> None:
        self.subject = subject
        self.before = before
        self.after = after
        self.change = change
        self.place = place
