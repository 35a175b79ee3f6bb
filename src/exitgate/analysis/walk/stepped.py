"""One more iteration in all plays of a run, and what may have happened to a breaker before it."""

from __future__ import annotations

from exitgate.analysis.played import STEP
from exitgate.engine.breaker_state import HALF_OPEN, OPEN, BreakerState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.played import Play

    Values = Mapping[str, object]

STATE, REASON = "circuit.state", "circuit.reason"
#: How a breaker is before an iteration: as it was, after its cooldown, opened by another run, and so on.
LEFT, WAITED, OPENED, RESET, WATCHING = "left", "waited", "opened", "reset", "watching"


def stepped(
    plays: tuple[Play, ...],
    values: Values,
    number: int,
    *,
    begins: bool,
    last: bool = False,
    ended: bool = True,
) -> tuple[Play, ...] | None:
    """
    Return the plays after one more iteration, the breaker as `values` say; None where it cannot be.

    Args:
        plays: They stay as they are.
        values: The facts of the iteration.
        number: Its number.
        begins: Whether the run begins with it: the breaker can be in any state before it.
        last: Whether it is the last one: another run may have opened the breaker before it.
        ended: False for a look before the next iteration.
    """
    if not all(play.follows(values) for play in plays):
        return None
    wanted = values.get(STATE)
    keepers = [play for play in plays if play.policy.breaker is not None]
    if not keepers or wanted is None:
        moved = tuple(play.copy() for play in plays)
        for play in moved:
            play.step(values, number, ended)
        return moved
    reason = values.get(REASON)
    why = reason if isinstance(reason, str) else "opened"
    for way in _ways(wanted, begins, last):
        tried = tuple(play.copy() for play in plays)
        if not all(_is_set(play, way, why, number) for play in tried if play.policy.breaker is not None):
            continue
        records = [play.step(values, number, ended) for play in tried]
        if all(r.get(STATE) == wanted for p, r in zip(tried, records, strict=True) if p.policy.breaker):
            return tried
    return None


def _ways(wanted: object, begins: bool, last: bool) -> tuple[str, ...]:
    """Return what may have happened to a breaker before an iteration after which it is `wanted`."""
    if wanted == OPEN:
        return (LEFT, OPENED) if begins or last else (LEFT,)
    if wanted == HALF_OPEN:
        return (LEFT, WAITED, RESET, WATCHING) if begins else (LEFT, WAITED, RESET)
    return (LEFT, RESET, WATCHING) if begins else (LEFT, RESET)


def _is_set(play: Play, way: str, why: str, number: int) -> bool:
    """Set the breaker of a play to what `way` makes of it; return False where it cannot."""
    cooldown = play.policy.breaker.cooldown if play.policy.breaker is not None else None
    now = STEP * number
    if way == OPENED:
        play.breaker = play.breaker.opened(why, now)
    elif way == RESET:
        play.breaker = play.breaker.closed(number)
    elif way == WATCHING:
        play.breaker = BreakerState(HALF_OPEN, why)
    elif way == WAITED:
        is_open = play.breaker.state == OPEN and not play.breaker.by_hand
        if cooldown is None or not (is_open or not play.records):
            return False
        since = now - cooldown
        play.breaker = BreakerState(OPEN, why, since, since)
    return True
