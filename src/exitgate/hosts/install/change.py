"""A change of a settings file as text, and how it is taken back."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.edits import Edit, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Change(Value):
    """
    A text on its way: what it was, what it is now, and the edits that lead back, the last one first.

    `old` is None for a file that does not exist yet.
    """

    __slots__ = ("back", "new", "old")

    def __init__(self, old: str | None, new: str, back: tuple[tuple[Edit, ...], ...] = ()) -> None:
        self.old = old
        self.new = new
        self.back = back

    @property
    def is_none(self) -> bool:
        """Whether nothing changes."""
        return self.old == self.new

    def then(self, edits: Iterable[Edit]) -> Change:
        """Return this change followed by `edits` of its new text."""
        made = tuple(edits)
        return (
            Change(self.old, apply(self.new, made), (inverse(self.new, made), *self.back)) if made else self
        )


def inverse(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that lead from ``apply(text, edits)`` back to `text`."""
    found: list[Edit] = []
    shift = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        start = edit.start + shift
        found.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return tuple(found)
