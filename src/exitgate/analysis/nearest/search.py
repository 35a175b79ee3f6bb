"""The search for the changes of fewest facts that bring about a result."""

from __future__ import annotations

from time import process_time

from exitgate.analysis.nearest.parts import TRUE, moved
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.analysis.nearest.parts import Part
    from exitgate.analysis.nearest.scene import Point, Scene

#: So many changes that bring about one result are looked at; more are as good as these.
KEPT = 48


class Limits(Value):
    """
    How long a search may take.

    Args:
        changes: Facts changed at most.
        tests: Tests of conditions asked of the engine: the same on every machine.
        seconds: Time of the processor, for where tests are slow beyond measure.
    """

    __slots__ = ("changes", "seconds", "tests")

    def __init__(self, changes: int = 3, tests: int = 2000, seconds: float = 5.0) -> None:
        self.changes = changes
        self.tests = tests
        self.seconds = seconds


class Spent:
    """What is left of the limits."""

    def __init__(self, limits: Limits, scene: Scene) -> None:
        self._until = process_time() + limits.seconds
        self._limits = limits
        self._scene = scene

    def over(self) -> bool:
        """Return whether a limit was reached."""
        return self._scene.asked > self._limits.tests or process_time() >= self._until

    def why(self) -> str:
        """Return which limit was reached."""
        if self._scene.asked > self._limits.tests:
            return f"not decided within {self._limits.tests} tests"
        return f"not decided within {self._limits.seconds:g} s"


class Search:
    """
    One search for points at which one of `goals` is true.

    After `go`, `found` holds points of as few changes as it takes; `beyond` says that there may be some
    with more changes than were allowed, `exact` that what was ruled out is ruled out for every value.
    """

    def __init__(self, scene: Scene, goals: Sequence[Part], spent: Spent) -> None:
        self._scene = scene
        self._goals = goals
        self._spent = spent
        self.found: list[Point] = []
        self.beyond = False
        self.exact = True

    def go(self, changes: int) -> bool:
        """Look at all points of up to so many changes; return False when a limit was reached."""
        self.found, self.beyond = [], False
        for goal in self._goals:
            for point in self._points(goal, changes):
                if point not in self.found:
                    self.found.append(point)
                if len(self.found) >= KEPT:
                    return True
            if self._spent.over():
                return False
        return True

    def _points(self, goal: Part, changes: int) -> Iterator[Point]:
        stack, seen = [self._scene.start], {self._scene.start}
        while stack:
            if self._spent.over():
                return
            point = stack.pop()
            if goal.truth(point) == TRUE:
                yield point
                continue
            left = changes - self._scene.cost(point)
            if left <= 0:
                self.beyond = True
                continue
            cut = goal.cut(point, TRUE, left)
            self.beyond |= not cut.whole
            self.exact &= cut.exact
            for move in cut.moves:
                next_point = moved(point, move)
                if next_point in seen:
                    continue
                seen.add(next_point)
                if self._scene.cost(next_point) <= changes:
                    stack.append(next_point)
                else:
                    self.beyond = True
