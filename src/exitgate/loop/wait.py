"""Waiting until a run may go on."""

from __future__ import annotations

import selectors
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.loop.signals import Signals

#: The shortest wait in seconds, and the shortest one behind another with no iteration that went on between
#: them: a reset time that has passed already must not make the loop spin. That one doubles each time.
SHORTEST, AGAIN, LONGEST = 1.0, 60.0, 3600.0


class Clock:
    """The time, and how it is let pass; tests have one of their own."""

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def pause(self, seconds: float, signals: Signals) -> None:
        """Let time pass, until somebody asks for the end of the loop at the latest."""
        until = time.monotonic() + seconds
        with selectors.PollSelector() as waiting:
            waiting.register(signals.descriptor, selectors.EVENT_READ)
            while not signals.asked and (left := until - time.monotonic()) > 0:
                if waiting.select(left):
                    signals.drain()


def shortest(row: int) -> float:
    """Return the shortest wait in seconds where it is the `row`-th in a row, from 1: 1, 60, 120, ... 3600."""
    return SHORTEST if row <= 1 else min(AGAIN * 2.0 ** min(row - 2, 10), LONGEST)


def wait_until(
    instant: float, clock: Clock, signals: Signals, show: Callable[[float], None] | None = None
) -> bool:
    """
    Return once it is `instant`; False where somebody asked for the end of the loop meanwhile.

    Args:
        instant: Seconds since the epoch. The clock counts, not the time that was slept: a machine that slept
            itself waits no longer than it must.
        clock: The time.
        signals: That end the wait.
        show: Is told the seconds that are left, once a second; None to sleep through.
    """
    until = max(instant, clock.now() + SHORTEST)
    while not signals.asked and (left := until - clock.now()) > 0:
        if show is not None:
            show(left)
        clock.pause(min(left, 1.0 if show is not None else 30.0), signals)
    return not signals.asked
