"""What iterations cost, where sessions may tell sums so far."""

from __future__ import annotations

from itertools import pairwise

from exitgate.model.type import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.reported import Reported


class SessionCosts:
    """
    USD of the iterations of a run, one after the other.

    Costs that a resumed session reports are what it has cost so far, unless one of them is smaller than one
    before it: then each is taken for itself, also those before. A check sees only what came before.
    """

    __slots__ = ("_shares", "_told")

    def __init__(self) -> None:
        self._shares: list[float | None] = []
        self._told: dict[object, list[tuple[int, float]]] = {}

    def add(self, spent: Reported) -> None:
        """Add the next iteration, as `exitgate.gate.reported.reported` says what it used up."""
        told = None if spent.session is None or spent.cost is None else spent.session.get("cost")
        if spent.session is not None and isinstance(told, int | float):
            self._told.setdefault(spent.session.get("id"), []).append((len(self._shares), float(told)))
        self._shares.append(spent.cost)

    def each(self) -> tuple[float | None, ...]:
        """Return USD of each iteration, None where not reported."""
        costs = list(self._shares)
        for told in self._told.values():
            if any(later < earlier for (_, earlier), (_, later) in pairwise(told)):
                for index, cost in told:
                    costs[index] = cost
        return tuple(costs)


def total(costs: tuple[float | None, ...]) -> float | None:
    """Return the sum of the costs that are reported, None where none is."""
    known = [cost for cost in costs if cost is not None]
    return micro(sum(known)) if known else None
