"""One check at a time asks the world: the lock on it, and what it says of the check that holds it."""

from __future__ import annotations

import os
import signal
import time

from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.model.value import Value
from exitgate.core.system import portable, process_group, safe_files
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "probes.lock"
#: Seconds between two looks at a lock that another check holds, and beyond the limit of its probe.
_PAUSE, _GRACE = 0.2, 15.0
_LARGEST = 4096
#: Seconds that a check can have been verifying for.
_LONGEST = 10_000_000
#: No system has a process of this number.
_PROCESSES = 1 << 31


class UnderWay(Value):
    """
    What a check asks at the moment.

    Args:
        run: Id of its run; empty where an earlier version asks.
        probe: Its name.
        since: When it was asked, seconds since the epoch.
        until: When its time is up.
    """

    __slots__ = ("probe", "run", "since", "until")

    def __init__(self, run: str, probe: str, since: float, until: float) -> None:
        self.run = run
        self.probe = probe
        self.since = since
        self.until = until


def under_way(directory: str) -> UnderWay | None:
    """
    Return what a check asks at the moment in a state directory, None where no command of a probe runs there.

    Takes no lock and changes nothing: a note that a killed check left behind names a process that is gone.
    """
    try:
        said = _parsed(safe_files.content(os.path.join(directory, NAME), _LARGEST))
    except OSError:
        return None
    child, probe = said.whole("child", 0), said.text("probe", "")
    since, until = said.number("since"), said.number("until")
    if not probe or since is None or until is None or not 1 < child < _PROCESSES:
        return None
    began = said.text("began", "")
    if not began or process_group.identity(child) != began:
        return None
    return UnderWay(said.text("run", ""), probe, since, until)


class HeldError(Exception):
    """Another check asks for longer than this one may wait; the text says for how long it has been asking."""


class Turn:
    """
    The turn to ask in a state directory, until it is let go; the system lets it go where the process ends.

    Args:
        directory: The state directory, which exists.
        wait: Seconds that another check is waited for at most.
        watch: Called while it is, with the seconds so far and what is known of the other check.

    Raises:
        HeldError: Another check asks for longer than that.
        OSError: The lock cannot be made.
    """

    def __init__(
        self, directory: str, wait: float, watch: Callable[[float, str], None] | None = None
    ) -> None:
        self._descriptor = safe_files.writing(os.path.join(directory, NAME), read=True)
        self.waited = False
        try:
            self._take(wait, watch)
        except BaseException:
            os.close(self._descriptor)
            raise
        _end_left_over(self._said())
        self.note("", 0.0)

    def _take(self, wait: float, watch: Callable[[float, str], None] | None) -> None:
        began = time.monotonic()
        while True:
            try:
                portable.lock_until(self._descriptor, time.monotonic() + (_PAUSE if self.waited else 0.0))
            except BlockingIOError:
                self.waited = True
            else:
                return
            said = self._said()
            spent = time.monotonic() - began
            until = said.number("until")
            if spent > wait or (until is not None and time.time() > until + _GRACE):
                raise HeldError(_shown(said))
            if watch is not None:
                watch(spent, _shown(said))

    def note(self, probe: str, limit: float, child: int = 0, run: str = "") -> None:
        """Say what is asked now: the probe, the seconds it may take, the number of its process, the run."""
        now = time.time()
        plain: dict[str, object] = {"pid": os.getpid(), "probe": probe, "since": now, "until": now + limit}
        plain |= {"child": child, "run": run}
        if child:
            plain["began"] = process_group.identity(child)
        raw = dumps(plain).encode()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        safe_files.write_all(self._descriptor, raw)
        os.ftruncate(self._descriptor, len(raw))

    def close(self) -> None:
        """Let the next check ask."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1

    def _said(self) -> JsonObject:
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        try:
            return _parsed(os.read(self._descriptor, _LARGEST))
        except OSError:
            return JsonObject()  # Windows has it locked


def _parsed(raw: bytes) -> JsonObject:
    if not raw:
        return JsonObject()
    try:
        return object_of(loads(raw.decode()))
    except (ValueError, RecursionError):
        return JsonObject()  # it is just being written


def _shown(said: JsonObject) -> str:
    name, since = said.text("probe", ""), said.number("since", 0.0)
    spent = time.time() - since
    # others can write the file: it may have any number
    for_long = f", for {spent:.0f} s so far" if since and 0 <= spent <= _LONGEST else ""
    return "verifying" + (f" `{name}`" if name else "") + for_long


def _end_left_over(said: JsonObject) -> None:
    """End what a check that was killed left running: it would be there beside this one's."""
    child, began = said.whole("child", 0), said.text("began", "")
    if portable.WINDOWS or child <= 1 or not began or not process_group.is_left(child, began):
        return
    process_group.send(child, signal.SIGKILL)
