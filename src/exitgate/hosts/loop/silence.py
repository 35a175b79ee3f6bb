"""An agent that prints nothing: silent for too long, or one that has said that it ended and does not exit."""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.facts.turn.background import left_running
from exitgate.core.facts.turn.calls import line_of
from exitgate.core.model.display import duration
from exitgate.core.model.json_object import JsonObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.loop.tee import BoundedOutput


class Hung(Struct, frozen=True):
    """
    Why an agent is ended.

    Args:
        why: What it did not do, for people: ``it printed nothing for 10m``.
        concluded: Whether it had said that its turn was over, so that its answer counts.
    """

    why: str
    concluded: bool


class Silence:
    """
    How long an agent has printed nothing.

    Args:
        idle: Seconds for which it may print nothing at all; None for any.
        linger: Seconds for which it may print nothing on standard output behind its own final event.
        now: When it was started, in seconds on any clock.
    """

    def __init__(self, idle: float | None, linger: float, now: float) -> None:
        self._idle = idle
        self._linger = linger
        self._since = now
        #: When to ask whether it has said that it ended; None until it prints something more.
        self._ask_at: float | None = None
        self._held = 0

    def heard(self, now: float, *, out: bool) -> None:
        """Note that it printed something; `out` says whether on standard output."""
        self._since = now
        if out:
            self._ask_at = now + self._linger

    def hold(self) -> None:
        """Note that a stream is not read for now: what it prints meanwhile is not heard."""
        self._held += 1

    def release(self, now: float) -> None:
        """Note that the stream is read again; the time between does not count."""
        self._held -= 1
        self.heard(now, out=self._ask_at is not None)

    def instants(self) -> list[float]:
        """Return when `hung` may have something to say next, if nothing is printed until then."""
        if self._held:
            return []
        idle = [] if self._idle is None else [self._since + self._idle]
        return idle if self._ask_at is None else [*idle, self._ask_at]

    def hung(self, now: float, out: BoundedOutput) -> Hung | None:
        """Return why the agent has to be ended, None where it has not; `out` is its standard output."""
        if self._held:
            return None
        asked = self._ask_at is not None and now >= self._ask_at
        silent = self._idle is not None and now >= self._since + self._idle
        if not (asked or silent):
            return None
        self._ask_at = None
        if has_concluded(out.text()[0]):
            return Hung("it had ended its turn and did not exit", concluded=True)
        if silent and self._idle is not None:
            return Hung(f"it printed nothing for {duration(self._idle)}", concluded=False)
        return None


def has_concluded(text: str) -> bool:
    """
    Return whether a program's output ends with its own report that the turn is over.

    It is not over while agents that it began in the background are not known to have ended: programs wait
    for those, but not for commands. A text that only shows such a report does not count.
    """
    found = unwrap(text)
    if not found.ended:
        return False
    agents = [call for one in found.calls or () if not line_of((call := JsonObject(one)).get("input"))]
    return left_running(agents, JsonObject())[0] == 0
