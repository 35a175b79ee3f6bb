"""Time within a recorded run, counted as a ledger's lines would have counted it."""

from __future__ import annotations

from exitgate.ledger.clock import elapsed_at


class Instants:
    """
    When the iterations of a run were checked.

    A check comes right after its iteration: at its end, or at its start where only that is reported. Of an
    iteration without either, the time is not known, and the clock is where it was. A run whose start
    nothing tells began no later than its first known instant.
    """

    __slots__ = ("_before", "_elapsed", "_line_at", "elapsed", "known", "last_at", "now", "started_at")

    def __init__(self, started_at: float | None) -> None:
        self.started_at = started_at
        #: Time of the check before, None for the first.
        self.last_at: float | None = None
        #: Time of this check; where it is not known, that of the last one, of the start, or 0.
        self.now = started_at or 0.0
        self.known = False
        #: Seconds of the run so far, None where they are not known.
        self.elapsed: float | None = None
        self._line_at: float | None = None
        self._elapsed = 0.0
        self._before: float | None = None

    def begin(self, started_at: float | None, ended_at: float | None) -> float | None:
        """Return when the run began, by what its first iteration says."""
        if self.started_at is None:
            self.started_at = started_at if started_at is not None else ended_at
        return self.started_at

    def at(self, started_at: float | None, ended_at: float | None) -> Instants:
        """Go on to the check of the next iteration, and return this."""
        self.begin(started_at, ended_at)
        own = ended_at if ended_at is not None else started_at
        self.last_at = self._before
        self.known, self.elapsed = own is not None, None
        if own is None:
            return self
        line_at = self.started_at if self._line_at is None else self._line_at
        self._elapsed = elapsed_at({"time": line_at, "totals": {"elapsed": self._elapsed}}, own)
        self.elapsed = self._elapsed
        self.now = self._line_at = self._before = own
        return self
