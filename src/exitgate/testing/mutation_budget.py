"""How long mutants may take."""

from __future__ import annotations

import time

from exitgate.analysis.walk.search import Limits

#: All mutants take at most so many times the time of the policy's own tests.
BUDGET = 50
#: The part of it that may be gone when another question is put to the analysis.
SHARE = 0.8
#: Seconds that there are at least: a process that runs a single case takes a tenth of a second, too.
LEAST = 5.0
#: Regions that one question may look at: what ends a question, the same on every machine. Each mutant is
#: asked about quickly first, then those that are still open thoroughly. Questions about invariants are small.
QUICK, THOROUGH, SMALL = 1_000, 15_000, 300
#: Seconds on the clock after which a question ends all the same.
SECONDS = 30.0


class Budget:
    """
    Time for questions about mutants that no case noticed, in seconds of the processor.

    Args:
        begun: When all began, by `time.process_time`.
        own: Seconds of the policy's own tests.
    """

    def __init__(self, begun: float, own: float) -> None:
        self._end = begun + max(LEAST, BUDGET * SHARE * own)
        self.why = f"the time limit is reached: {BUDGET} times that of the tests"
        self.quick = Limits(seconds=SECONDS, points=QUICK)
        self.thorough = Limits(seconds=SECONDS, points=THOROUGH)
        self.small = Limits(seconds=SECONDS, points=SMALL)

    @property
    def is_used_up(self) -> bool:
        """Whether no more must be asked."""
        return time.process_time() >= self._end
