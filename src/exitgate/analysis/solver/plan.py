"""What a checklist says in one iteration: its counts, its share, and whether anything keeps it open."""

from __future__ import annotations

import z3

from exitgate.analysis.solver.terms import Amount, Share, Truth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.terms import Number
    from exitgate.analysis.solver.world import World

#: Facts that are counts.
COUNTED = ("total", "done", "open", "blocking_open")


class Plan:
    """
    All of it, that there is no plan, or nothing.

    `free` names the facts that do not follow from the others under the options of the checklist, as
    `analysis.space.plans.free_parts` says.
    """

    def __init__(self, world: World, prefix: str, at: int, free: frozenset[str]) -> None:
        self.read = z3.Bool(f"{prefix}@{at} read")
        self.absent = z3.Bool(f"{prefix}@{at} absent")
        self.total = z3.Int(f"{prefix}.total@{at}")
        self.done = z3.Int(f"{prefix}.done@{at}")
        self.open = z3.Int(f"{prefix}.open@{at}") if "open" in free else self.total - self.done
        self.blocking = z3.Int(f"{prefix}.blocking_open@{at}") if "complete" in free else self.open
        world.add(z3.Not(z3.And(self.read, self.absent)))
        world.add(z3.And(self.done >= 0, self.total >= 0, self.open >= 0))
        world.add(z3.And(self.blocking >= 0, self.blocking <= self.open))
        self._apart = "percent" in free
        if not self._apart:
            world.add(self.done + self.open <= self.total)

    def term(self, part: str) -> Truth | Number:
        """Return one of the facts."""
        items = z3.And(self.read, self.total > 0)
        if part == "present":
            return Truth(self.read, self.absent)
        if part == "percent":
            done = z3.If(self.done > self.total, self.total, self.done) if self._apart else self.done
            return Share(items, 100 * done, self.total, tied=True)
        if part == "complete":
            ready = self.blocking == 0
            if self._apart:
                # lines that count for the total need not be items; of no item at all nothing is complete
                ready = z3.And(ready, self.done + self.open > 0)
            return Truth(z3.And(items, ready), z3.And(items, z3.Not(ready)))
        found = {"total": self.total, "done": self.done, "open": self.open, "blocking_open": self.blocking}
        return Amount(self.read, found[part], True)
