"""
The circuit breaker: a state, what an iteration showed, and the time go in; the next state comes out.

    CLOSED --watch--> HALF_OPEN --close--> CLOSED         any opening: --> OPEN
    OPEN --cooldown--> HALF_OPEN for one iteration        close: --> CLOSED, otherwise --> OPEN

No iteration moves an OPEN breaker, no matter what it shows: only time does, or a person who resets it, and
only a person where one tripped it or the policy names no cooldown. A state belongs to the state directory,
not to a run. Pure: the time is an argument.
"""

from __future__ import annotations

from exitgate.engine.breaker_state import CLOSED, HALF_OPEN, OPEN
from exitgate.engine.record import unread_facts
from exitgate.language.closures import compile_node
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.breaker_state import BreakerState
    from exitgate.policy.compiled import Breaker, CompiledPolicy

    Records = Sequence[Mapping[str, object]]

#: Reason of a breaker that is HALF_OPEN because its `watch` condition was true.
WATCH = "watch"


class Shown(Value):
    """What an iteration showed: the openings, `watch` and `close`, each if it is definitely true."""

    __slots__ = ("close", "open", "watch")

    def __init__(self, open: tuple[str, ...] = (), watch: bool = False, close: bool = False) -> None:
        self.open = open
        self.watch = watch
        self.close = close


class Move(Value):
    """One change of state, with the reason for people."""

    __slots__ = ("after", "before", "reason")

    def __init__(self, before: str, after: str, reason: str) -> None:
        self.before = before
        self.after = after
        self.reason = reason


class BreakerConditions:
    """The conditions of a breaker, compiled once."""

    def __init__(self, breaker: Breaker, policy: CompiledPolicy) -> None:
        values, unread = policy.values(), unread_facts(policy)
        self.cooldown = breaker.cooldown
        self._openings = tuple(
            (opening.id, compile_node(opening.when, values, policy.conditions, unread))
            for opening in breaker.openings
        )
        self._watch, self._close = (
            compile_node(node, values, policy.conditions, unread) if node is not None else None
            for node in (breaker.watch, breaker.close)
        )

    def shown(self, records: Records) -> Shown:
        """Return what the last of `records` shows; what is unknown moves nothing."""
        return Shown(
            tuple(id for id, test in self._openings if test(records) is True),
            self._watch is not None and self._watch(records) is True,
            self._close is not None and self._close(records) is True,
        )


def move(
    state: BreakerState, shown: Shown | None, now: float, mark: int, cooldown: float | None
) -> tuple[BreakerState, Move | None]:
    """
    Return the state after a check, and how it moved, if it did.

    Args:
        state: Before the check.
        shown: What the iteration showed that ended since the last check; None where none did: then
            only time moves the breaker.
        now: Seconds since the epoch.
        mark: Number from which on lines of the ledger count as history when this check closes a
            breaker that was open.
        cooldown: Seconds that it stays OPEN, or None.
    """
    state = state.at(now)
    if state.state == OPEN:
        return _from_open(state, now, cooldown)
    if shown is None:
        return state, None
    if state.probe:
        if shown.close:
            return _closed(state, mark, "the iteration after the cooldown made progress")
        reason = "no progress in the iteration after the cooldown"
        return state.opened(state.reason, now), Move(HALF_OPEN, OPEN, reason)
    if shown.open:
        reason = ", ".join(shown.open)
        return state.opened(reason, now), Move(state.state, OPEN, reason)
    if state.state == CLOSED and shown.watch:
        return state.watched(WATCH), Move(CLOSED, HALF_OPEN, WATCH)
    if state.state == HALF_OPEN and shown.close:
        # What led here still counts: an error that comes back each time is not undone by progress.
        return state.closed(state.since), Move(HALF_OPEN, CLOSED, "progress")
    return state, None


def _from_open(state: BreakerState, now: float, cooldown: float | None) -> tuple[BreakerState, Move | None]:
    """Return the state of an open breaker: what an iteration shows is not an argument."""
    if not state.by_hand and cooldown is not None and state.waited(now) >= cooldown:
        return state.probed(), Move(OPEN, HALF_OPEN, "the cooldown is over; one iteration is allowed")
    return state, None


def _closed(state: BreakerState, mark: int, reason: str) -> tuple[BreakerState, Move]:
    return state.closed(mark), Move(state.state, CLOSED, reason)
