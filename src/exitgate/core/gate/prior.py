"""What was there before a check: the run so far and the breaker, as the ledger has them."""

from __future__ import annotations

from exitgate.core.gate.breaker import stored
from exitgate.core.model.value import Value
from exitgate.core.state.history import look_back
from exitgate.core.state.tracked import tracked_during

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from exitgate.core.gate.breaker import Stored
    from exitgate.core.ledger.append import Ledger
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.observe.sources import Begun
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.history import History
    from exitgate.core.state.request import Request

    Lines = tuple[JsonObject, ...]

    class ReadLedger(Protocol):
        """What a check reads of a ledger, whether it will write to it or not."""

        @property
        def directory(self) -> str:
            """The state directory."""

        @property
        def notes(self) -> tuple[str, ...]:
            """Remarks on damage that was met so far."""

        @property
        def is_own(self) -> bool:
            """Whether this user's exitgate wrote the ledger."""

        def last(self, name: str) -> JsonObject | None:
            """Return the newest line of any run called `name`, or None."""

        def tail(self, run: str, limit: int) -> Lines:
            """Return the newest `limit` lines of run id `run`, newest last."""

        def back(self, run: str, limit: int) -> Lines:
            """Return what `tail` does; evidence and trace may be left out."""

        def release(self) -> None:
            """Let others have the ledger for work that takes long."""


class Prior(Value):
    """
    What was there before a check.

    Args:
        history: The run so far.
        breaker: What the ledger says of the breaker.
        tracked: Whether git tracks the state directory since the run began.
        now: Time of the check, seconds since the epoch.
    """

    __slots__ = ("breaker", "history", "now", "tracked")

    def __init__(self, history: History, breaker: Stored, tracked: bool, now: float) -> None:
        self.history = history
        self.breaker = breaker
        self.tracked = tracked
        self.now = now

    def begun(self) -> Begun:
        """Return instants, totals and the state of git when the iteration began."""
        return self.history.begin(self.now)

    def holds(self, ledger: Ledger, name: str, day: int | None, numbered: bool) -> bool:
        """
        Return whether the ledger, looked at now, says the same.

        Lines of other names alone change nothing, unless the policy asks for what all runs of the day used
        up, or the breaker keeps the number of this check's line.

        Args:
            ledger: As it is now.
            name: Of the run.
            day: Number of the ledger's newest line when the day was added up, or None.
            numbered: Whether the breaker keeps the number of the check's line.
        """
        if day is not None and day != ledger.newest():
            return False
        breaker = stored(ledger.directory)
        same = ledger.last(name) == self.history.last and breaker.plain == self.breaker.plain
        return same and (not numbered or breaker.sequence == self.breaker.sequence)


class Unlocked:
    """
    A ledger that is only read, by a check that records nothing.

    Args:
        directory: The state directory.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.notes: tuple[str, ...] = ()

    def __enter__(self) -> Unlocked:
        return self

    def __exit__(self, *_: object) -> None:
        """Hold nothing."""

    @property
    def is_own(self) -> bool:
        """Whether this user's exitgate wrote the ledger."""
        from exitgate.core.ledger.head import look

        return look(self.directory).known

    def last(self, name: str) -> JsonObject | None:
        """Return the newest line of any run called `name`, or None."""
        from exitgate.core.ledger.read import last

        return last(self.directory, name)

    def tail(self, run: str, limit: int) -> Lines:
        """Return the newest `limit` lines of run id `run`, newest last."""
        from exitgate.core.ledger.read import tail

        return tail(self.directory, run, limit)

    back = tail

    def release(self) -> None:
        """Do nothing: it is not locked."""


def look(request: Request, policy: CompiledPolicy, ledger: ReadLedger, name: str) -> Prior:
    """
    Return what was there before a check, and let others have the ledger.

    Raises:
        ExitgateError: 73 where git tracks the state directory and a run is to begin, 74 when the ledger
            cannot be read.
    """
    now = time_of(request)
    history = look_back(policy, ledger.last(name), name, now, ledger.back, request.iteration)
    breaker = stored(ledger.directory)
    ledger.release()
    tracked = tracked_during(ledger.directory, history.standing.new, lambda: ledger.is_own)
    return Prior(history, breaker, tracked, now)


def time_of(request: Request) -> float:
    """Return the time of a check, seconds since the epoch."""
    if request.time is not None:
        return request.time
    import time

    return time.time()
