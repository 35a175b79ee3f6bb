"""
Trying again after an outage, for a bounded time: else the last decision of a run would wait for another run.

Between two tries the process holds the right to send, so that one waits for a destination and no more,
and it is a new process each time: what a try loaded, and a thread that still hangs in it, is gone.
"""

from __future__ import annotations

import os
import time

from exitgate import system
from exitgate.children.start import become
from exitgate.surfaces.telemetry import spool
from exitgate.surfaces.telemetry.switches import switches_in

#: Seconds before the first try after one that failed, doubled each time up to the longest.
FIRST, LONGEST = 1.0, 60.0


def pause_before(number: int, limit: float) -> float | None:
    """
    Return the seconds to wait before try `number`, from 1, after the one of the check itself.

    None where all pauses up to it would take longer than `limit`, in seconds.
    """
    spent = 0.0
    for earlier in range(number):
        pause = min(FIRST * 2**earlier, LONGEST)
        spent += pause
        if spent > limit:
            return None
    return pause if number > 0 else 0.0


def rested(number: int) -> bool:
    """
    Wait before try `number`; return whether there is anything left to send and no other process who does.

    A spool that was removed is not made again.
    """
    pause = pause_before(number, switches_in(os.environ).retry)
    if pause is None or not os.path.isdir(spool.place(os.environ)):
        return False
    folder, goal = spool.opened(os.environ), spool.destination(os.environ)
    lock = spool.locked(folder, goal)
    try:
        if lock is None or not spool.waiting(folder, goal):
            return False
        time.sleep(pause)
        return os.path.isdir(spool.place(os.environ))
    finally:
        if lock is not None:
            os.close(lock)
        system.close(folder)


def again(words: list[str], number: int) -> None:
    """
    Begin this process anew for try `number`, with the words of its program.

    Comes back where no try is left, or the environment wants none.
    """
    if pause_before(number, switches_in(os.environ).retry) is not None:
        become([*words, str(number)])
