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
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.model.evidence import Fact
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
    given: Mapping[str, Fact],
) -> Checked | None:
    """
    Return the recorded check on the same iteration or turn, or None; what is asked otherwise is a warning.

    Args:
        policy: Of the check under way; the decision is the recorded one regardless of the policy it names.
        observed: The iteration as it is now.
        last: Newest line of any run of this name, or None.
        tail: Run id, limit -> the run's newest lines, newest last.
        iteration: Number the caller gave, or None.
        turn: The host's id of the turn, or None.
        given: Facts that the caller gives now, secrets masked; those that differ from what was decided on
            change nothing, and a warning says so.
    """
    if last is None or (iteration is None and turn is None):
        return None
    digest = digest_read(observed.sources.get("response"))
    line = asked_again(tail(str(last["run"]), LOOKED_AT), iteration, turn, digest)
    if line is None:
        return None
    facts = facts_of_line(line)
    remarks = (answers_another(line, digest), _on_other_facts(line, facts, given))
    notes = tuple(Warned(remark) for remark in remarks if remark)
    now = Iteration(iteration_of(line), str(line["run"]), observed.time, observed.sources)
    record = record_of_line(line, policy)
    decision = decision_of_line(line)
    told = decision.but(warnings=(*decision.warnings, *notes)) if notes else decision
    return Checked(policy, now, facts, told, line, notes, (record,))


def _on_other_facts(line: Line, facts: Mapping[str, Fact], given: Mapping[str, Fact]) -> str:
    """Return a remark on facts that are given now and were not so when it was decided; empty for none."""
    other = [name for name, fact in given.items() if name not in facts or not _is_same(facts[name], fact)]
    if not other:
        return ""
    names = ", ".join(f"`{name}`" for name in other)
    what = "another value" if len(other) == 1 else "other values"
    return (
        f"iteration {iteration_of(line)} was decided on {what} of {names}; "
        f"that decision is kept (line {line['sequence']})"
    )


def _is_same(recorded: Fact, given: Fact) -> bool:
    """Return whether a fact has the value that is given, or both are unknown, for any reason."""
    if isinstance(given.value, Unknown) or isinstance(recorded.value, Unknown):
        return isinstance(given.value, Unknown) and isinstance(recorded.value, Unknown)
    return recorded.value == given.value
