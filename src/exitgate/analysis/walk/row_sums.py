"""What the rows of points can come to: sums, and bounds where rows are unknown."""

from __future__ import annotations

from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.model.exact import calculate, recorded
from exitgate.policy.points import ADD_NOTHING, between

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.compiled import Derived

    #: Exact sums of points: the least and the most.
    Ends = tuple[object, object]

#: Sums of a points fact that are told apart.
SUMS = 64
#: The same for one whose unknown rows leave it between bounds: its sums and pairs of bounds.
BOUNDS = 512
#: Pairs of bounds while they are added up.
ENDS = 4096


def sums_of(fact: Derived, truths: Sequence[int]) -> tuple[object, ...] | None:
    """
    Return every value that points can have, numbers first; None where there are too many.

    Args:
        fact: The points.
        truths: For each row, the truths it can have (`exitgate.analysis.walk.gates`).
    """
    found: set[Ends] = {(0, 0)}
    for truth, row in zip(truths, fact.rows, strict=True):
        ways = _ways(truth, row.add, fact.unknown_rows == ADD_NOTHING)
        found = {(_plus(least, a), _plus(most, b)) for least, most in found for a, b in ways}
        if len(found) > ENDS:
            return None
    values = {between(fact, recorded(least), recorded(most)) for least, most in found}
    limit = SUMS if fact.unknown_rows == ADD_NOTHING else BOUNDS
    return tuple(sorted(values, key=str)) if len(values) <= limit else None


def _ways(truth: int, add: float, sure: bool) -> set[tuple[float, float]]:
    """Return what a row can add, at least and at most; nothing where it is unknown and that is `sure`."""
    ways: set[tuple[float, float]] = {(add, add)} if truth & TRUE else set()
    if truth & FALSE or (truth & UNKNOWN and sure):
        ways.add((0, 0))
    if truth & UNKNOWN and not sure:
        ways.add((min(add, 0), max(add, 0)))
    return ways


def _plus(one: object, other: object) -> object:
    return calculate("add", one, other)
