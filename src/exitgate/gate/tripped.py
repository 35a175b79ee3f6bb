"""What a person's hand on the breaker does to a decision, no matter what the policy asks for."""

from __future__ import annotations

from exitgate.engine.breaker_state import OPEN
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.engine.breaker_state import BreakerState
    from exitgate.model.decision import Decision

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
    from exitgate.model.decision import Decision

    return Decision(
        EXIT, "halted", OUTCOME, None, f"Circuit breaker is OPEN by hand: {breaker.reason}", decision.stage,
        True, decision.blind, (), decision.warnings, decision.shadows, decision.steps, "",
        "The breaker was opened by hand. Once its reason is gone: `exitgate circuit reset`.",
    )  # fmt: skip
