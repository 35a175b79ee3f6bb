"""A change of one value, and of several, that gives another decision."""

from __future__ import annotations

from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision

    Effort = tuple[int, float]


class Edit(Value):
    """
    A value in place of another.

    Args:
        name: A fact, or a parameter with its ``$``.
        before: The value it has, `Unknown` included.
        after: The value tried.
        new: `after` only stands for any value that was missing before.
    """

    __slots__ = ("after", "before", "name", "new")

    def __init__(self, name: str, before: object, after: object, new: bool = False) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.new = new

    @property
    def effort(self) -> Effort:
        """
        Return how small the edit is, smaller first.

        Facts come before parameters, what is known before what is not, and known values before
        losing one. Of numbers the distance counts, as a share of the larger of the two; of percents,
        as a share of the whole.
        """
        kind = 3 if self.name.startswith("$") else 1 if isinstance(self.before, Unknown) else 0
        if isinstance(self.after, Unknown):
            return 2, 1.0
        return kind, distance(self.before, self.after)


class Change(Value):
    """
    What would have given another decision.

    Args:
        name, before, after: The first edit; see `Edit`.
        decision: The decision it leads to; its verdict or class differs from the one explained.
        also: Further edits it takes; empty for a single change.
        new: Of the first edit.
    """

    __slots__ = ("after", "also", "before", "decision", "name", "new")

    def __init__(
        self,
        name: str,
        before: object,
        after: object,
        decision: Decision,
        also: tuple[Edit, ...] = (),
        new: bool = False,
    ) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.decision = decision
        self.also = also
        self.new = new

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, the first included."""
        return (Edit(self.name, self.before, self.after, self.new), *self.also)

    @property
    def effort(self) -> tuple[int, Effort]:
        """How many edits it takes, then the hardest kind among them and how far they go together."""
        efforts = [edit.effort for edit in self.edits]
        return len(efforts), (max(kind for kind, _ in efforts), round(sum(far for _, far in efforts), 9))

    @property
    def result(self) -> tuple[str, str | None]:
        """Verdict and class it leads to."""
        return self.decision.verdict, self.decision.exit_class


def change_of(edits: tuple[Edit, ...], decision: Decision) -> Change:
    """Return the change of these edits, at least one, the easiest first."""
    first, *others = sorted(edits, key=lambda edit: (edit.effort, edit.name))
    return Change(first.name, first.before, first.after, decision, tuple(others), first.new)


def distance(before: object, after: object) -> float:
    """Return how far two values lie apart: 1 for what are not numbers, else a share of the larger one."""
    if not (_is_number(before) and _is_number(after)):
        return 1.0
    assert isinstance(before, int | float)
    assert isinstance(after, int | float)
    try:
        return float(abs(after - before) / max(1.0, abs(before), abs(after)))
    except OverflowError:
        return 1.0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
