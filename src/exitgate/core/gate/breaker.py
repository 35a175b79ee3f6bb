"""The state of the breaker from the ledger: that of its newest line, of any run."""

from __future__ import annotations

import os

from exitgate.core.engine.breaker import LOST, OPEN, read_state
from exitgate.core.ledger.file import RefusingNewer, open_reading, path_in, whole_size
from exitgate.core.ledger.line import BREAKER, DECISION, MOVED
from exitgate.core.ledger.read import backwards
from exitgate.core.model.decision import EXIT
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.engine.breaker import BreakerState, Move
    from exitgate.core.model.decision import Decision


#: Lines without a state that are passed over at most; each check and each move by hand writes one with.
_LOOKED_AT = 64

DAMAGED = "a damaged line of the ledger may have held the state of the breaker: an OPEN state may be lost"


class Stored(Value):
    """
    What the ledger says of the breaker.

    Args:
        plain: The state as it is in the newest line that has one; None for none.
        state: What it reads as; CLOSED when it cannot be read.
        sequence: Number of the ledger's newest line, 0 without one.
        remark: What a user should know about how the state was found, or the empty text.
    """

    __slots__ = ("plain", "remark", "sequence", "state")

    def __init__(self, plain: object, state: BreakerState, sequence: int, remark: str) -> None:
        self.plain = plain
        self.state = state
        self.sequence = sequence
        self.remark = remark

    def kept(self) -> dict[str, object] | None:
        """Return the state for a line in which the breaker does not move; what cannot be read stays."""
        if not isinstance(self.plain, dict):
            return None
        return {name: value for name, value in self.plain.items() if name != MOVED}


def stored(directory: str) -> Stored:
    """
    Return what the ledger in a state directory says of the breaker.

    Raises:
        ExitgateError: 74 when the ledger cannot be read, or has lines of a newer format.
    """
    descriptor = open_reading(directory)
    if descriptor is None:
        return _found(None, 0, damaged=False)
    sequence, damaged = 0, False
    try:
        lines = backwards(descriptor, whole_size(descriptor))
        with RefusingNewer(path_in(directory)):
            for _, (_, _, line) in zip(range(_LOOKED_AT), lines, strict=False):
                if line is None:
                    damaged = True
                    continue
                sequence = sequence or int(str(line["sequence"]))
                if line.get("kind") in (DECISION, BREAKER):
                    return _found(line.get("breaker"), sequence, damaged)
    finally:
        os.close(descriptor)
    return _found(None, sequence, damaged)


def plain_after(state: BreakerState, move: Move | None) -> dict[str, object]:
    """Return the state for the line of a check, with how it moved in it."""
    plain = state.to_plain()
    if move is not None:
        plain[MOVED] = {"from": move.before, "to": move.after, "why": move.reason}
    return plain


def _found(plain: object, sequence: int, damaged: bool) -> Stored:
    state, readable = read_state(plain)
    remark = LOST if not readable else DAMAGED if damaged else ""
    return Stored(plain, state, sequence, remark)


# What a person's hand on the breaker does to a decision, no matter what the policy asks for.

#: Reason code of a run that a person stopped.
OUTCOME = "circuit_open"


def stopped_by_hand(decision: Decision, breaker: BreakerState) -> Decision:
    """
    Return the decision of a loop whose breaker a person opened: it is halted, if it does not end anyway.

    Args:
        decision: What the policy says.
        breaker: The state that the ledger had before the check; one that opened by itself is the
            policy's own matter.
    """
    if not breaker.by_hand or breaker.state != OPEN or decision.verdict == EXIT:
        return decision
    from exitgate.core.model.decision import Decision

    return Decision(
        EXIT, "halted", OUTCOME, None, f"Circuit breaker is OPEN by hand: {breaker.reason}", decision.stage,
        True, decision.blind, (), decision.warnings, decision.shadows, decision.steps, "",
        "The breaker was opened by hand. Once its reason is gone: `exitgate circuit reset`.",
    )  # fmt: skip
