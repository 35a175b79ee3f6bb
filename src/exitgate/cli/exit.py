"""From a decision to the exit code of the process."""

from __future__ import annotations

from exitgate.model.verdict import CLASS_CODES, CONTINUE, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision

SIMPLE_EXIT = 1


def exit_code(decision: Decision, codes: str = "full") -> int:
    """
    Return 0 for CONTINUE and the code of the class for EXIT.

    With `codes` ``simple`` every EXIT is 1. Trouble is not a decision and keeps its codes from 64 on either
    way.
    """
    if decision.verdict == CONTINUE:
        return OK
    if codes == "simple":
        return SIMPLE_EXIT
    assert decision.exit_class is not None
    return CLASS_CODES[decision.exit_class]
