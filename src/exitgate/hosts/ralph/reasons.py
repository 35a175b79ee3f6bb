"""A decision in the words of the loop: the reason it ends with, or what halts it."""

from __future__ import annotations

from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision

#: Reasons that the loop knows. The first makes it say that a tool was refused, all others that the project is
#: completed.
REASONS = (
    "permission_denied", "test_saturation", "completion_signals", "safety_circuit_breaker",
    "project_complete", "plan_complete",
)  # fmt: skip

#: Class of exit -> the reason for an outcome that the loop does not know.
CALLED = {"complete": "project_complete"}


def reason_of(decision: Decision) -> tuple[str, str]:
    """
    Return the reason to end with, and what halts the loop; both are empty where it goes on.

    An EXIT that is no success and that the loop has no word for must not be told as a completed
    project, nor an agent that asks or is blocked as one that was refused a tool: it halts, as an open
    breaker does, and the second text says why.
    """
    if decision.verdict == CONTINUE:
        return "", ""
    if decision.outcome in REASONS:
        return decision.outcome, ""
    reason = CALLED.get(str(decision.exit_class), "")
    return (reason, "") if reason else ("", f"{decision.outcome}: {decision.message}")
