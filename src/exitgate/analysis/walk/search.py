"""Splits regions until a question is settled in each: yes, no, or the limits are reached."""

from __future__ import annotations

from time import process_time

from msgspec import Struct

from exitgate.analysis.walk.gates import FALSE, TRUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.variables import Region, Variables

    Judge = Callable[[Region], Judged]
    from collections.abc import Iterable

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.variables import Region


#: Most regions after which the clock is looked at again, as a look takes as long as a region that is easy to
#: settle; and the share of the limit that they may take for that.
SELDOM, SHORT = 16, 0.005


class Limits(Struct, frozen=True):
    """
    How long a question may take.

    Args:
        seconds: Time of the processor for one question.
        points: Regions looked at for one question.
        small: Whether an example is made as small as possible: that takes longer than finding it.
        samples: Whether runs are drawn at random where the walk comes to no end; no proof comes of them.
    """

    seconds: float = 5.0
    points: int = 200_000
    small: bool = True
    samples: bool = True


class UnsettledError(Exception):
    """A region that cannot be split further is not settled: only where tests are free to be anything."""


class Spent:
    """What is left of the limits; one for all parts of a question."""

    def __init__(self, limits: Limits) -> None:
        self._looked = process_time()
        self._until = self._looked + limits.seconds
        self._limits = limits
        self._is_late = False
        self._every = self._left = 1
        self.regions = 0
        self.points = 0

    def step(self) -> bool:
        """Count a region; return False when no more may be looked at."""
        self.regions += 1
        self._left -= 1
        if self._left > 0:
            return not self._is_late and self.regions <= self._limits.points
        before = self._looked
        is_over = self.over()
        short = self._looked - before < SHORT * self._limits.seconds
        self._left = self._every = min(2 * self._every, SELDOM) if short else 1
        return not is_over

    def over(self) -> bool:
        """Return whether a limit was reached."""
        if self.regions > self._limits.points:
            return True
        if not self._is_late:
            self._looked = process_time()
            self._is_late = self._looked >= self._until
        return self._is_late

    def why(self) -> str:
        """Return which limit was reached, in words."""
        if self.regions > self._limits.points:
            return f"not decided within {self._limits.points} regions"
        return f"not decided within {self._limits.seconds:g} s"


def regions(
    variables: Variables, judge: Judge, spent: Spent, start: Region | None = None
) -> Iterator[Region]:
    """
    Yield every region in which the answer is yes, of those within `start`; by default of all.

    When the limits are reached it stops early: ask `spent.over()`. `spent.points` counts the points of
    all regions settled.
    """
    stack = [variables.full if start is None else start]
    while stack:
        if not spent.step():
            return
        region = stack.pop()
        judged = judge(region)
        if judged is True or judged is False:
            spent.points += variables.points(region)
            if judged:
                yield region
            continue
        if judged is None:
            raise UnsettledError
        variable, sets = judged
        if len(sets) == 1 and not region[variable] & ~sets[0]:
            raise AssertionError("a split must make each part smaller")
        narrowed = (variables.narrowed(region, variable, choices) for choices in sets)
        stack += [one for one in narrowed if one is not None]


# Sums of points as a region says they are, compared with their rows.


def with_sums(judge: Judge, abstract_policies: Iterable[AbstractPolicy], backs: range) -> Judge:
    """
    Return a judge that says yes only where the rows of points give the sums of the region.

    Rows are looked at last: most questions are settled by what the sum is, no matter what it comes from.
    """
    sums = [
        one for abstract_policy in abstract_policies for back in backs for one in abstract_policy.sums(back)
    ]
    if not sums:
        return judge

    def judged(region: Region) -> Judged:
        found = judge(region)
        if found is False:
            return False
        for one in sums:
            if one.is_free(region):
                continue
            truths = one.truths(region)
            if truths == FALSE:
                return False
            if found is True and truths != TRUE:
                return one.split(region)
        return found

    return judged
