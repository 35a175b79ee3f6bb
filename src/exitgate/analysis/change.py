"""A change of one value, and of two, that gives another decision."""

from __future__ import annotations

from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision


class Edit(Value):
    """
    One value put in the place of another.

    Args:
        name: A fact, or a parameter with its ``$``.
        before: The value it has, `Unknown` included.
        after: The value tried.
    """

    __slots__ = ("after", "before", "name")

    def __init__(self, name: str, before: object, after: object) -> None:
        self.name = name
        self.before = before
        self.after = after

    @property
    def effort(self) -> tuple[int, float]:
        """
        Return how small the edit is, smaller first.

        Facts come before parameters, known values before unknown ones; among numbers the distance
        counts, relative to the value.
        """
        kind = 2 if self.name.startswith("$") else 1 if isinstance(self.before, Unknown) else 0
        if _is_number(self.before) and _is_number(self.after):
            assert isinstance(self.before, int | float)
            assert isinstance(self.after, int | float)
            return kind, abs(self.after - self.before) / max(1.0, abs(self.before))
        return kind, 1.0


class Change(Value):
    """
    What would have given another decision.

    Args:
        name, before, after: The first edit; see `Edit`.
        decision: The decision it leads to; its verdict or class differs from the one explained.
        also: Further edits it takes; empty for a single change.
    """

    __slots__ = ("after", "also", "before", "decision", "name")

    def __init__(
        self, name: str, before: object, after: object, decision: Decision, also: tuple[Edit, ...] = ()
    ) -> None:
        self.name = name
        self.before = before
        self.after = after
        self.decision = decision
        self.also = also

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All edits, the first included."""
        return (Edit(self.name, self.before, self.after), *self.also)

    @property
    def result(self) -> tuple[str, str | None]:
        """Verdict and class it leads to."""
        return self.decision.verdict, self.decision.exit_class


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
