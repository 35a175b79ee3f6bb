"""A decision whose steps are written out when somebody reads them."""

from __future__ import annotations

from exitgate.model.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.ladder import Ladder

    Records = Sequence[Mapping[str, object]]


class LiveDecision(Decision):
    """
    A `Decision` that keeps the truths it was made from and writes its `steps` at the first reading.

    The truths are found while deciding; the reasons of unknowns and the counts of history forms are
    a second walk over conditions that most callers never look at. To everyone else this is a
    `Decision`: equal to one, shown as one, and pickled as one. The records it was made from must
    not be changed afterwards.
    """

    __slots__ = ("_ladder", "_records", "_truths", "_winner")

    def recall(self, ladder: Ladder, records: Records, truths: Sequence[object], winner: int) -> LiveDecision:
        """Leave `steps` open, to be written from these when read; return self."""
        self._ladder = ladder
        self._records = records
        self._truths = truths
        self._winner = winner
        del self.steps  # an empty slot: the first reading comes to __getattr__
        return self

    def __getattr__(self, name: str) -> object:
        if name != "steps":
            raise AttributeError(name)
        self.steps = self._ladder.steps(self._records, self._truths, self._winner)
        return self.steps

    def plain(self) -> Decision:
        """Return the same decision with its steps written out."""
        return Decision(*(getattr(self, name) for name in _PARTS))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decision):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _PARTS)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __repr__(self) -> str:
        return repr(self.plain())

    def __reduce__(self) -> tuple[object, ...]:
        return (Decision, tuple(getattr(self, name) for name in _PARTS))


_PARTS = (
    "verdict", "exit_class", "outcome", "rule", "message", "stage", "firm", "blind", "alternatives",
    "warnings", "shadows", "steps", "advice", "escalation",
)  # fmt: skip
