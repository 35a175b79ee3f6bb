"""Points that no other beats on one count without losing on the other."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def front(costs: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """
    Return the numbers of the points on the Pareto front, in the order of the first cost.

    Args:
        costs: Of each point, two amounts of which less is better.

    Of points that cost the same the first one stands for all.
    """
    order = sorted(range(len(costs)), key=lambda at: (costs[at], at))
    found: list[int] = []
    for at in order:
        if not found or costs[at][1] < costs[found[-1]][1]:
            found.append(at)
    return tuple(found)
