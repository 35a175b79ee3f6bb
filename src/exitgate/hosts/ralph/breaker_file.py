"""`.circuit_breaker_state` and `.circuit_breaker_history`: the breaker in the loop's own shapes."""

from __future__ import annotations

from exitgate.engine.breaker_state import CLOSED, HALF_OPEN, OPEN, STATES
from exitgate.hosts.ralph.files import count_in, object_in, pretty, value_in, written
from exitgate.model.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.ralph.said import Said

    Plain = dict[str, object]

#: Counters of the file, in its order.
IDLE, ERRORS, DENIALS = "consecutive_no_progress", "consecutive_same_error", "consecutive_permission_denials"

#: Moves that are kept; the loop itself keeps all.
KEPT = 500


def closed(now: float, reason: str = "") -> Plain:
    """Return the state of a breaker that never opened."""
    return {
        "state": CLOSED,
        "last_change": written(now),
        IDLE: 0,
        ERRORS: 0,
        DENIALS: 0,
        "last_progress_loop": 0,
        "total_opens": 0,
        "reason": reason,
        "current_loop": 0,
    }


def read(text: str | None) -> Plain | None:
    """Return the state in a file, None where it is missing, no JSON object, or has no state that is one."""
    found = object_in(text)
    return found if found is not None and found.get("state") in STATES else None


def counted(before: Plain, said: Said, loop: int) -> Plain:
    """
    Return the counters after a loop, the state untouched.

    Questions are neither progress nor stagnation; any error is the same error; denials count loops.
    """
    idle = 0 if said.progress else count_in(before, IDLE) + (0 if said.asking else 1)
    return {
        **before,
        IDLE: idle,
        ERRORS: count_in(before, ERRORS) + 1 if said.error else 0,
        DENIALS: count_in(before, DENIALS) + 1 if said.denied else 0,
        "last_progress_loop": loop if said.progress else count_in(before, "last_progress_loop"),
        "current_loop": loop,
    }


def moved(before: Plain, state: str, reason: str, opened_at: float | None, now: float) -> Plain:
    """Return the state after it became `state`; `opened_at` is kept only while it is OPEN."""
    opens = state == OPEN and before.get("state") != OPEN
    after = {
        **before,
        "state": state,
        "last_change": written(now),
        "total_opens": count_in(before, "total_opens") + opens,
        "reason": reason,
    }
    after.pop("opened_at", None)
    return (
        {**after, "opened_at": written(now if opened_at is None else opened_at)} if state == OPEN else after
    )


def text(state: Plain) -> str:
    """Return the file, its members in the loop's order; what somebody else added stays behind them."""
    order = closed(0.0)
    return pretty({name: state.get(name, order[name]) for name in order} | state)


def history_after(before: str | None, move: Plain | None) -> str:
    """Return the history with a move added; one that is not a list of moves begins anew."""
    found = value_in(before)
    moves = found if isinstance(found, list) else []
    kept = [*moves, move][-KEPT:] if move is not None else moves
    if not kept:
        return "[]\n"
    return "[\n" + ",\n".join(f"    {dumps(one)}" for one in kept) + "\n]\n"


def move_of(before: Plain, after: Plain, loop: int) -> Plain | None:
    """Return the entry of the history for a change of state, None where there was none."""
    if before.get("state") == after.get("state"):
        return None
    return {
        "timestamp": after["last_change"],
        "loop": loop,
        "from_state": before.get("state"),
        "to_state": after["state"],
        "reason": after["reason"],
    }


def opened_at(state: Plain) -> float | None:
    """Return when a breaker opened, seconds since the epoch: `opened_at`, in old files `last_change`."""
    from exitgate.hosts.ralph.instants import instant

    for name in ("opened_at", "last_change"):
        found = instant(state.get(name))
        if found is not None:
            return found
    return None


def is_watching(state: Plain) -> bool:
    """Return whether a file says HALF_OPEN."""
    return state.get("state") == HALF_OPEN
