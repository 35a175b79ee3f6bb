"""
The rules of a chain that must not be true, as parts: asked only where a change can matter to them.

A policy of a thousand rules has a thousand goals, and each holds all rules above one. They share one chain:
what its rules are at the start is found once, and at another point only those are asked that rest on a
changed slot. So a goal costs what is changed, not how many rules there are.
"""

from __future__ import annotations

from exitgate.analysis.nearest.parts import FALSE, TRUE, Joined, Part, best

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.nearest.parts import Cut
    from exitgate.analysis.nearest.scene import Point


class Chain:
    """
    Parts that are true or false, never unknown.

    Args:
        parts: In order.
        start: The point at which nothing is changed.
    """

    def __init__(self, parts: Sequence[Part], start: Point) -> None:
        self.parts = tuple(parts)
        self._resting: dict[int, list[int]] = {}
        for place, part in enumerate(self.parts):
            for slot in part.slots:
                self._resting.setdefault(slot, []).append(place)
        self._start = start
        self._false_at_start: tuple[int, ...] | None = None
        self._false: dict[Point, tuple[int, ...]] = {}

    def first(self, count: int | None = None) -> First:
        """Return that the first `count` parts are true, all of them for None."""
        return First(self, len(self.parts) if count is None else count)

    def false_at(self, point: Point) -> tuple[int, ...]:
        """Return the places of the parts that are not true at a point, in order."""
        if self._false_at_start is None:
            places = range(len(self.parts))
            self._false_at_start = tuple(n for n in places if self.parts[n].truth(self._start) != TRUE)
        if point not in self._false:
            changed = [slot for slot, choice in enumerate(point) if choice]
            asked = {place for slot in changed for place in self._resting.get(slot, ())}
            found = {place for place in asked if self.parts[place].truth(point) != TRUE}
            found.update(place for place in self._false_at_start if place not in asked)
            self._false[point] = tuple(sorted(found))
        return self._false[point]


class First(Part):
    """That the first parts of a chain are true."""

    def __init__(self, chain: Chain, count: int) -> None:
        super().__init__(())
        self._chain = chain
        self._count = count

    def truth(self, point: Point) -> int:
        """Return whether it is so at a point, as a bit."""
        false = self._chain.false_at(point)
        return FALSE if false and false[0] < self._count else TRUE

    def cut(self, point: Point, wanted: int, left: int) -> Cut:
        """Return the best of the cuts of the parts that are not true; `wanted` is TRUE."""
        false = [self._chain.parts[n] for n in self._chain.false_at(point) if n < self._count]
        return best(part.cut(point, wanted, left) for part in false)


class Passed(Joined):
    """All of its parts, which are chains among others: what they are is not kept point by point again."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__(())
        self.parts = tuple(parts)

    def truth(self, point: Point) -> int:
        """Return whether all are true at a point, as a bit."""
        return TRUE if all(part.truth(point) == TRUE for part in self.parts) else FALSE

    def cut(self, point: Point, wanted: int, left: int) -> Cut:
        """Return the best of the cuts of the parts that are not true; `wanted` is TRUE."""
        return self._each(point, wanted, left)
