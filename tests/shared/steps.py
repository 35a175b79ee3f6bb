"""What work costs, counted instead of timed: the same number on every machine, however busy it is."""

from __future__ import annotations

import cProfile
import sys
from collections.abc import Callable
from types import FrameType, TracebackType

#: Calls after which work is given up that may take any number of them.
MOST = 100_000_000


class TooManyStepsError(AssertionError):
    """Work took more steps than it may."""


class Steps:
    """
    Counts the calls that are made in a `with` block in this thread: functions of Python and of C.

    Args:
        most: So many end the block with `TooManyStepsError`: what never ends is ended, too.
    """

    def __init__(self, most: int = MOST) -> None:
        self.count = 0
        self._most = most

    def __enter__(self) -> Steps:
        self._before = sys.getprofile()
        sys.setprofile(self._event)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(self._before)

    def _event(self, frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "c_call"):
            self.count += 1
            if self.count > self._most:
                sys.setprofile(self._before)
                raise TooManyStepsError(f"more than {self._most} steps")


def steps(run: Callable[[], object]) -> int:
    """Return how many calls, of Python and of C functions, `run` makes, counted in C."""
    counted = cProfile.Profile(subcalls=False, builtins=True)
    before = sys.getprofile()
    sys.setprofile(None)
    try:
        counted.runcall(run)
    finally:
        sys.setprofile(before)
    return sum(one.callcount for one in counted.getstats())
