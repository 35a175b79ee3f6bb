"""The breaker looked at and moved by hand: status, reset, trip, history."""

from __future__ import annotations

import time
from itertools import islice

from exitgate.core.engine.breaker import CLOSED, OPEN, BreakerState, facts_of, written
from exitgate.core.gate.breaker import Stored, stored
from exitgate.core.ledger.line import MOVED, breaker_for
from exitgate.core.ledger.past import Past
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.discover import BREAKER_RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    Plain = dict[str, object]


#: Code -> what it means.
CODES = {"EP816": "the breaker is moved by hand without a reason"}

POLICY, FILE, NOTHING = "policy", "file", "nothing"

#: Characters of a reason that are kept.
REASON_LIMIT = 500


def status(directory: str, policy: CompiledPolicy | None, now: float | None = None) -> Plain:
    """
    Return how the breaker of a state directory is; nothing is changed.

    Args:
        directory: The state directory.
        policy: What decides there, or None; says who keeps the breaker, and its cooldown.
        now: Seconds since the epoch, or None for the clock's.

    Returns:
        `state`, `reason` (text), `opened_at` (ISO 8601, or None), `opened_for` and `cooldown_left`
        (seconds, or None), `by_hand`, `probe` (bool), `warning` (text), and `kept_by`: ``policy`` for
        a breaker of its own, ``file`` for one that the policy reads from elsewhere: then what is said
        here decides nothing; ``nothing`` without one; None when no policy is given.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """
    now = _now() if now is None else now
    found = stored(directory)
    state = found.state.at(now)
    facts = {fact.name: fact.value for fact in facts_of(state, now)}
    opened_for = facts["circuit.opened_for"]
    cooldown = policy.breaker.cooldown if policy is not None and policy.breaker is not None else None
    counts = cooldown is not None and state.state == OPEN and not state.by_hand
    return {
        "state": state.state,
        "reason": state.reason,
        "opened_at": None if state.opened_at is None else written(state.opened_at),
        "opened_for": None if isinstance(opened_for, Unknown) else opened_for,
        "cooldown_left": max(0.0, (cooldown or 0.0) - state.waited(now)) if counts else None,
        "by_hand": state.by_hand,
        "probe": state.probe,
        "kept_by": _owner_of(policy),
        "warning": found.remark,
    }


def reset(directory: str, reason: str = "reset by hand", now: float | None = None) -> Plain:
    """
    Close the breaker and return the line that was appended.

    What the run did before it no longer counts as history of the breaker's conditions; everything
    else of the run stays.

    Raises:
        ExitgateError: 64 for an empty reason, 73, 74 and 75 as for a check.
    """
    return _append(directory, CLOSED, _usable(reason), now)


def trip(directory: str, reason: str, now: float | None = None) -> Plain:
    """
    Open the breaker by hand and return the line that was appended.

    It stays OPEN until it is reset: neither time nor progress closes what a person opened.

    Raises:
        ExitgateError: 64 for an empty reason, 73, 74 and 75 as for a check.
    """
    return _append(directory, OPEN, _usable(reason), now)


def history(directory: str, count: int) -> tuple[Plain, ...]:
    """
    Return the newest `count` moves of the breaker, newest last.

    Each has `sequence`, `at` (ISO 8601), `from`, `to`, `why`, `by_hand`, and the `run` and
    `iteration` of the check in which it moved, None for one by hand.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """
    with Past(directory) as ledger:
        moves = (move for _, line in ledger.newest_first() if (move := _move_in(line)) is not None)
        return tuple(islice(moves, max(count, 0)))[::-1]


def _move_in(line: Plain) -> Plain | None:
    breaker = line.get("breaker")
    moved = breaker.get(MOVED) if isinstance(breaker, dict) else None
    if not isinstance(moved, dict):
        return None
    by_hand = line["run"] == BREAKER_RUN
    return {
        "sequence": line["sequence"],
        "at": line.get("at"),
        "from": moved.get("from"),
        "to": moved.get("to"),
        "why": moved.get("why"),
        "by_hand": by_hand,
        "run": None if by_hand else line["run"],
        "iteration": None if by_hand else line.get("iteration"),
    }


def _append(directory: str, to: str, reason: str, now: float | None) -> Plain:
    from exitgate.core.ledger.append import Ledger

    with Ledger(directory) as ledger:
        now = _now() if now is None else now
        before = stored(directory)
        after = _moved(before, to, reason, now)
        plain = after.to_plain() | {MOVED: {"from": before.state.state, "to": to, "why": reason}}
        return ledger.append(breaker_for(BREAKER_RUN, 0, now, plain, reason))


def _moved(before: Stored, to: str, reason: str, now: float) -> BreakerState:
    if to == CLOSED:
        return BreakerState(since=before.sequence + 1)
    return before.state.opened(reason, now, by_hand=True)


def _usable(reason: str) -> str:
    told = " ".join(reason.split())[:REASON_LIMIT]
    if told:
        return told
    help = "say why, for the person who finds the loop stopped or going on"
    raise ExitgateError([Diagnostic("EP816", "the reason is empty", help=help)], USAGE)


def _owner_of(policy: CompiledPolicy | None) -> str | None:
    if policy is None:
        return None
    if policy.breaker is not None:
        return POLICY
    named = any(entry.prefix == "circuit" and "path" in entry.options for entry in policy.extractions)
    return FILE if named else NOTHING


def _now() -> float:
    return time.time()
