"""What the value of a fact can be, as far as its declaration and the rows of points tell."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from exitgate.model.value import Value

if TYPE_CHECKING:
    from exitgate.policy.compiled import CompiledPolicy, Derived

#: Kind -> smallest and largest value of every fact of it.
_KINDS = {"count": (0.0, inf), "percent": (0.0, 100.0), "duration": (0.0, inf), "number": (-inf, inf)}
_MONEY = (-inf, inf)


class Reach(Value):
    """Smallest and largest value, infinite where there is no bound; and the same in words."""

    __slots__ = ("high", "low", "told")

    def __init__(self, low: float, high: float, told: str) -> None:
        self.low = low
        self.high = high
        self.told = told


def reach_of(name: str, policy: CompiledPolicy) -> Reach | None:
    """Return what a fact can be; None where its type has no order."""
    spec = policy.facts[name]
    if spec.type.kind not in (*_KINDS, "money"):
        return None
    low, high = _KINDS.get(spec.type.kind, _MONEY)
    low = max(low, spec.low) if spec.low is not None else low
    high = min(high, spec.high) if spec.high is not None else high
    points = next((fact for fact in policy.derived if fact.name == name and fact.rows), None)
    if points is None:
        return Reach(low, high, _told(low, high))
    least, most = _sums(points)
    low, high = min(max(least, low), high), max(min(most, high), low)
    return Reach(low, high, f"{_told(low, high)}, the sum of its points")


def _sums(points: Derived) -> tuple[float, float]:
    """Return the least and the most that the rows can add up to."""
    return sum(min(row.add, 0) for row in points.rows), sum(max(row.add, 0) for row in points.rows)


def _told(low: float, high: float) -> str:
    if high == inf:
        return f"at least {low:g}" if low != -inf else "any number"
    return f"at most {high:g}" if low == -inf else f"from {low:g} to {high:g}"
