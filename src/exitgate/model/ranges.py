"""The range of a fact or a parameter: which types have one, what it is by itself, and what one cannot be."""

from __future__ import annotations

#: Kinds of types whose values are smaller and larger.
ORDERED = frozenset(("count", "number", "percent", "duration", "money"))
_FROM_ZERO = frozenset(("count", "duration", "money"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    Ends = tuple[float | None, float | None]


def usual_range(kind: str) -> Ends:
    """Return the smallest and the largest value of a kind of type; None sets no bound."""
    if kind == "percent":
        return 0, 100
    return (0, None) if kind in _FROM_ZERO else (None, None)


def range_fault(
    kind: str, low: float | None, high: float | None, named: str = "`range`"
) -> tuple[str, str] | None:
    """
    Return what is wrong with a range that somebody declared, and help; None for a good one.

    Args:
        kind: Of the type.
        low, high: The ends as declared, None where one is left out.
        named: What they are called where they are written.
    """
    if kind not in ORDERED:
        return f"type `{kind}` has no {named}", "remove it"
    if low is not None and high is not None and low > high:
        return "the range ends before it begins", "write `[smallest, largest]`"
    least, most = usual_range(kind)
    if outside(low, least, most) or outside(high, least, most):
        if kind == "percent":
            return "a percent is from 0 to 100", "write `range: [0, 100]`"
        return f"a {kind} is 0 or more", "write 0, or a larger number"
    return None


def outside(value: object, low: float | None, high: float | None) -> bool:
    """Return whether a value is a number that is not within the bounds; None sets no bound."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return (low is not None and value < low) or (high is not None and value > high)
