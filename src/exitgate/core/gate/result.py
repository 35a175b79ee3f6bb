"""What one check found and decided."""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.decision import Decision, Warned
    from exitgate.core.model.fact import Fact, Iteration
    from exitgate.core.policy.compiled import CompiledPolicy


class CheckResult(Value):
    """
    One check from start to end.

    Args:
        policy: That decided.
        iteration: As it was observed.
        facts: By name, derived ones included.
        decision: The answer.
        line: The ledger's line, sequence and hash included; None where nothing was recorded.
        notes: Remarks on sources, facts and the run, also among the decision's warnings.
        records: What conditions read, oldest first, this iteration last.
        changed: Path of the file that changed last in the run, as far as is known, or the empty text.
    """

    __slots__ = ("changed", "decision", "facts", "iteration", "line", "notes", "policy", "records")

    def __init__(
        self,
        policy: CompiledPolicy,
        iteration: Iteration,
        facts: Mapping[str, Fact],
        decision: Decision,
        line: Mapping[str, object] | None,
        notes: tuple[Warned, ...],
        records: tuple[Mapping[str, object], ...],
        changed: str = "",
    ) -> None:
        self.policy = policy
        self.iteration = iteration
        self.facts = facts
        self.decision = decision
        self.line = line
        self.notes = notes
        self.records = records
        self.changed = changed
