"""Waiting between two looks: for a time, a key, a window of another size, a reader that went away."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


#: What a wait ends with: nothing happened, the window changed, the user or the reader left.
NOTHING, RESIZED, LEFT = "nothing", "resized", "left"
_LEAVING = b"qQ\x03\x04"


class EndedBySignalError(BaseException):
    """SIGTERM or SIGHUP came; `number` says which. Not an `Exception`: nothing on the way may keep it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Waiting:
    """Waits on descriptors, -1 for none: `keys` of a terminal, `out` that is read, `wake` of signals."""

    def __init__(
        self, keys: int = -1, out: int = -1, wake: int = -1, stop: Callable[[], None] | None = None
    ) -> None:
        self._keys = keys
        self._out = out
        self._wake = wake
        self._stop = stop

    def wait(self, seconds: float) -> str:
        """Return what ended the wait, at the latest after `seconds`."""
        poll = select.poll()
        for descriptor, events in ((self._keys, select.POLLIN), (self._wake, select.POLLIN), (self._out, 0)):
            if descriptor >= 0:
                poll.register(descriptor, events)
        found = dict(poll.poll(max(0.0, seconds) * 1000))
        if self._out in found:
            return LEFT  # the reader is gone
        if self._wake in found:
            came = os.read(self._wake, 4096)  # the numbers of the signals
            if signal.SIGTSTP in came and self._stop is not None:
                self._stop()
            return RESIZED
        if self._keys in found:
            typed = os.read(self._keys, 64) if found[self._keys] & select.POLLIN else b""
            if not typed:
                self._keys = -1  # the terminal's input has ended: wait on without it
            return LEFT if set(typed) & set(_LEAVING) else NOTHING
        return NOTHING


@contextmanager
def of_lines(out: int) -> Iterator[Waiting]:
    """Wait where lines are written to descriptor `out`."""
    with _ending():
        yield Waiting(out=out)


@contextmanager
def of_terminal(hide: Callable[[], None], show: Callable[[], None]) -> Iterator[Waiting]:
    """
    Wait at a terminal: keys come without a line end and are not shown; a resized window wakes the wait.

    Where Ctrl-Z stops the process, `hide` is called before and `show` when it continues.

    Behind another program, as `timeout` starts one, the terminal's keys are not ours: the system would stop
    this process for taking them, and once more for giving them back.
    """
    keys = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else -1
    keys = keys if _in_front(keys) else -1
    before = termios.tcgetattr(keys) if keys >= 0 else None

    def stop() -> None:
        hide()
        if before is not None and _in_front(keys):
            termios.tcsetattr(keys, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # it comes back from here when somebody lets it go on
        signal.signal(signal.SIGTSTP, _note)
        _take_keys(keys)
        show()

    with _woken() as wake, _ending():
        try:
            _take_keys(keys)
            yield Waiting(keys=keys, wake=wake, stop=stop)
        finally:
            if before is not None and _in_front(keys):
                termios.tcsetattr(keys, termios.TCSADRAIN, before)


def _in_front(keys: int) -> bool:
    """Return whether there is a terminal, and it listens to this process."""
    try:
        return keys >= 0 and os.tcgetpgrp(keys) == os.getpgrp()
    except OSError:
        return True  # it is not the terminal of this session, and stops none of its processes


def _take_keys(keys: int) -> None:
    if keys >= 0:
        tty.setcbreak(keys, termios.TCSANOW)


@contextmanager
def _woken() -> Iterator[int]:
    """Give a descriptor from which the numbers of signals are read: of a resized window, and of Ctrl-Z."""
    ours, theirs = os.pipe()
    for descriptor in (ours, theirs):
        os.set_blocking(descriptor, False)
    old_wake = signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    numbers = (signal.SIGWINCH, signal.SIGTSTP)
    before = {number: signal.signal(number, _note) for number in numbers}
    try:
        yield ours
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(old_wake)
        os.close(ours)
        os.close(theirs)


@contextmanager
def _ending() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the watcher in order, so that the terminal is as it was."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        if before[number] is not signal.SIG_IGN:  # `nohup` keeps it ignored
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _note(_: int, __: FrameType | None) -> None:
    """Do nothing: that the signal came is read from the pipe."""


def _end(number: int, _: FrameType | None) -> None:
    raise EndedBySignalError(number)
