"""Signals to the loop: counted, and never in the middle of anything."""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from types import FrameType, TracebackType

#: Signals by which somebody ends a loop.
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Signals:
    """
    A context in which signals wake what waits on `descriptor`, and are counted.

    `asked` is how often somebody asked for the end, `name` by which signal last. A signal that was ignored
    when the program began (`nohup`, a job in the background of a script) stays ignored. The end of a child
    wakes too. Only for the main thread.

    Who stops the loop (Ctrl-Z) stops the agent, too, which has a session of its own: `agent` is called with
    SIGSTOP before and SIGCONT after, and `stood` are the seconds between, which count towards no limit.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.name = ""
        self.stood = 0.0
        self.agent: Callable[[int], None] | None = None
        self._starting = self._late = False
        self.descriptor = self._write = -1
        self._before: dict[int, object] = {}
        self._wakeup = -1

    def __enter__(self) -> Signals:
        self.descriptor, self._write = os.pipe()
        os.set_blocking(self.descriptor, False)
        os.set_blocking(self._write, False)
        self._wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for one in ENDING:
            if signal.getsignal(one) != signal.SIG_IGN:
                self._before[one] = signal.signal(one, self._count)
        if signal.getsignal(signal.SIGTSTP) != signal.SIG_IGN:
            self._before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stand)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _wake)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one, before in self._before.items():
            signal.signal(one, signal.SIG_DFL if before is None else before)  # type: ignore[arg-type]
        signal.set_wakeup_fd(self._wakeup)
        os.close(self.descriptor)
        os.close(self._write)

    def drain(self) -> None:
        """Forget what woke; the counts stay."""
        try:
            while os.read(self.descriptor, 4096):
                pass
        except BlockingIOError:
            return

    def starts(self) -> None:
        """Note that an agent is being started: who stops us now is heard once it can be stopped, too."""
        self._starting = True

    def follows(self, agent: Callable[[int], None] | None) -> None:
        """Note how the agent that was started is told to stand still, or that there is none."""
        self.agent = agent
        self._starting = False
        if self._late:
            self._late = False
            signal.raise_signal(signal.SIGTSTP)

    def _count(self, number: int, _: FrameType | None) -> None:
        self.asked += 1
        self.name = signal.Signals(number).name

    def _stand(self, number: int, _: FrameType | None) -> None:
        """Stay stopped until somebody continues us; if the system does not stop us, continue at once."""
        if self._starting:
            self._late = True
            return
        began = time.monotonic()
        if self.agent is not None:
            self.agent(signal.SIGSTOP)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stand)
        if self.agent is not None:
            self.agent(signal.SIGCONT)
        self.stood += time.monotonic() - began


def _wake(_: int, __: FrameType | None) -> None:
    """Do nothing: that there is a handler makes the signal wake."""


# Waiting until a run may go on.

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
