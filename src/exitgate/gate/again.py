"""A check that was made before, answered from the ledger: nothing is appended."""

from __future__ import annotations

from exitgate.gate.checked import Checked
from exitgate.gate.history import record_of_line
from exitgate.gate.notes import digest_read
from exitgate.gate.stored import decision_of_line, facts_of_line
from exitgate.ledger.again import LOOKED_AT, answers_another, asked_again
from exitgate.ledger.runs import iteration_of
from exitgate.model.decision import Warned
from exitgate.model.iteration import Iteration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.policy.compiled import CompiledPolicy

    Line = Mapping[str, object]
    Tail = Callable[[str, int], tuple[Line, ...]]


def decided_before(
    policy: CompiledPolicy,
    observed: Iteration,
    last: Line | None,
    tail: Tail,
    iteration: int | None,
    turn: str | None,
) -> Checked | None:
    """
    Return the recorded check on the same iteration or turn, or None.

    Args:
        policy: Of the check under way; the decision is the recorded one regardless of the policy it names.
        observed: The iteration as it is now.
        last: Newest line of any run of this name, or None.
        tail: Run id, limit -> the run's newest lines, newest last.
        iteration: Number the caller gave, or None.
        turn: The host's id of the turn, or None.
    """
    if last is None or (iteration is None and turn is None):
        return None
    digest = digest_read(observed.sources.get("response"))
    line = asked_again(tail(str(last["run"]), LOOKED_AT), iteration, turn, digest)
    if line is None:
        return None
    other = answers_another(line, digest)
    notes = (Warned(other),) if other else ()
    now = Iteration(iteration_of(line), str(line["run"]), observed.time, observed.sources)
    record = record_of_line(line, policy)
    return Checked(policy, now, facts_of_line(line), decision_of_line(line), line, notes, (record,))
