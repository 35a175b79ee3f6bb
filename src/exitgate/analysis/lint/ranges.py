"""What the value of a fact can be, as far as its declaration and the rows of points tell."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from exitgate.language.functions import HISTORY_OPS, PERIODS
from exitgate.language.measure import is_timed, reach
from exitgate.model.value import Value

if TYPE_CHECKING:
    from exitgate.language.tree import Node
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


def reach_of_count(node: Node, policy: CompiledPolicy) -> Reach | None:
    """Return what a function or form that counts can give; None for anything else."""
    spec = HISTORY_OPS.get(node.op)
    if spec is None or spec.result != "count" or is_timed(node.args[-1]):
        return None
    most = reach(node, policy.values()) + 1
    told = f"at most {most}"
    if node.args[-1] is None:
        told += f": `{spec.name}` looks at {most} iterations without `last N`"
    else:
        told += ", the iterations that it looks at"
    if node.op == "cycles":
        most = max(1, most // PERIODS[0])
        told = f"at most {most}: a sequence has {PERIODS[0]} values or more"
    return Reach(0, most, told)


def _sums(points: Derived) -> tuple[float, float]:
    """Return the least and the most that the rows can add up to."""
    return sum(min(row.add, 0) for row in points.rows), sum(max(row.add, 0) for row in points.rows)


def _told(low: float, high: float) -> str:
    if high == inf:
        return f"at least {low:g}" if low != -inf else "any number"
    return f"at most {high:g}" if low == -inf else f"from {low:g} to {high:g}"
