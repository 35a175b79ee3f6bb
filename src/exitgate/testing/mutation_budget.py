"""How long mutants may take."""

from __future__ import annotations

import time

from exitgate.analysis.walk.search import Limits

#: All mutants take at most so many times the time of the policy's own tests.
BUDGET = 50
#: The part of it that may be gone when another question is put to the analysis.
SHARE = 0.8
#: Regions that one question may look at, and seconds; questions about an invariant are smaller.
POINTS, SECONDS = 20_000, 2.0
SMALL_POINTS, SMALL_SECONDS = 2_000, 0.25


class Budget:
    """
    Time for questions about mutants that no case noticed.

    Args:
        begun: When all began, by `time.perf_counter`.
        own: Seconds of the policy's own tests.
        count: How many mutants will be asked about.
    """

    def __init__(self, begun: float, own: float, count: int) -> None:
        self._end = begun + BUDGET * SHARE * own
        self._left = count
        self.why = f"the time is used up: {BUDGET} times that of the tests"

    def next(self) -> Limits | None:
        """Return the limits of a question about the next mutant; None where no time is left for it."""
        seconds = self._end - time.perf_counter()
        share = seconds / max(1, self._left)
        self._left -= 1
        if seconds <= 0:
            return None
        # What easy ones leave is for the hard ones: four times a fair share, if there is as much.
        return Limits(seconds=min(SECONDS, seconds, 4 * share), points=POINTS)

    @property
    def small(self) -> Limits:
        """The limits of a question beside it."""
        seconds = self._end - time.perf_counter()
        return Limits(seconds=max(0.0, min(SMALL_SECONDS, seconds / max(1, self._left))), points=SMALL_POINTS)
