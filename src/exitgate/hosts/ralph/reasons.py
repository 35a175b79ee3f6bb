"""A decision in the words of the loop: the reason it ends with, or what halts it."""

from __future__ import annotations

from exitgate.engine.breaker import WATCH
from exitgate.engine.breaker_state import CLOSED, HALF_OPEN
from exitgate.hosts.ralph.breaker_file import DENIALS, ERRORS, IDLE
from exitgate.hosts.ralph.files import count_in
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision
    from exitgate.policy.compiled import Breaker

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
    Return the reason to end with, and what halts the loop; both are empty its destination on.

    An EXIT that is not a success and that the loop has no word for must not be reported as a completed
    project, nor an agent that asks or is blocked as one that was refused a tool: it halts, as an open
    breaker does, and the second text says why.
    """
    if decision.verdict == CONTINUE:
        return "", ""
    if decision.outcome in REASONS:
        return decision.outcome, ""
    reason = CALLED.get(str(decision.exit_class), "")
    return (reason, "") if reason else ("", f"{decision.outcome}: {decision.message}")


#: Why a breaker moved -> the counter of its file that says how often, and what people read.
TOLD = {
    WATCH: (IDLE, "no progress"),
    "no_progress": (IDLE, "no progress"),
    "same_error": (ERRORS, "the same error"),
    "permission_denials": (DENIALS, "permission denied"),
}


def breaker_told(why: str, state: str, counters: dict[str, object], breaker: Breaker) -> str:
    """
    Return why a breaker came to its state, for a reader of the loop's file.

    Args:
        why: Ids of the openings that were true, `watch`, or any other text, which stays as it is.
        state: The one that it came to.
        counters: The breaker's file, with this iteration counted.
        breaker: Of the policy, for openings that the loop has no counter for.
    """
    if state == CLOSED:
        return "progress was made; the breaker is closed" if why == "progress" else why
    ids = why.split(", ")
    if not all(one in TOLD or any(opening.id == one for opening in breaker.openings) for one in ids):
        return why
    return "; ".join(_sentence(one, state, counters, breaker) for one in ids)


def _sentence(one: str, state: str, counters: dict[str, object], breaker: Breaker) -> str:
    counter, told = TOLD.get(one, ("", ""))
    loops = count_in(counters, counter) if counter else 0
    if loops:
        rest = ", the breaker watches" if state == HALF_OPEN else ""
        return f"{told} in {loops} loop{'s' * (loops != 1)} running{rest}"
    condition = next((opening.text for opening in breaker.openings if opening.id == one), "")
    return f"{told or one.replace('_', ' ')}: {condition}" if condition else told or one
