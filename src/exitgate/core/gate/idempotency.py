"""A check that was made before, answered from the ledger: nothing is appended."""

from __future__ import annotations

from exitgate.core.gate.decision import CheckResult
from exitgate.core.gate.notes import digest_read
from exitgate.core.ledger.decisions import decision_of_line, facts_of_line
from exitgate.core.ledger.line import EXPIRED, RESET
from exitgate.core.ledger.runs import decisions_of, has_ended, iteration_of
from exitgate.core.model.decision import Warned
from exitgate.core.model.fact import Iteration
from exitgate.core.model.value import Unknown
from exitgate.core.state.history import record_of_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from exitgate.core.model.fact import Fact
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy

    Tail = Callable[[str, int], tuple[JsonObject, ...]]
    from collections.abc import Sequence


def decided_before(
    policy: CompiledPolicy,
    observed: Iteration,
    last: JsonObject | None,
    tail: Tail,
    iteration: int | None,
    turn: str | None,
    given: Mapping[str, Fact],
) -> CheckResult | None:
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
    line = repeated_decision(tail(str(last["run"]), LOOKED_AT), iteration, turn, digest)
    if line is None:
        return None
    facts = facts_of_line(line)
    remarks = (answers_another(line, digest), _on_other_facts(line, facts, given))
    notes = tuple(Warned(remark) for remark in remarks if remark)
    now = Iteration(iteration_of(line), str(line["run"]), observed.time, observed.sources)
    record = record_of_line(line, policy)
    decision = decision_of_line(line)
    told = decision.but(warnings=(*decision.warnings, *notes)) if notes else decision
    return CheckResult(policy, now, facts, told, line, notes, (record,))


def _on_other_facts(line: JsonObject, facts: Mapping[str, Fact], given: Mapping[str, Fact]) -> str:
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


# Whether a check was made before. Pure: the run's lines and what is asked go in.

#: JsonObjects of a run among which an earlier check is looked for.
LOOKED_AT = 64


def repeated_decision(
    lines: Sequence[JsonObject], iteration: int | None, turn: str | None, response: str | None
) -> JsonObject | None:
    """
    Return the line of the decision that was already made on this iteration, or None.

    Args:
        lines: The newest lines of the run that the last line of the name belongs to, newest last,
            even when that run has ended: a check repeated after its EXIT gets the same EXIT.
        iteration: Number the caller gave, or None.
        turn: The host's id of the turn, or None. It alone decides where it is given.
        response: Digest of the response as it is now, or None without one.

    A number with the response of then is the same check. With another response it still is when the
    run continues and has nothing later (`answers_another` tells it). Else the caller counts from the
    start again: that is another run, whose iterations the old decisions know nothing of.
    """
    if not lines or lines[-1].get("kind") in (RESET, EXPIRED):
        return None
    decisions = decisions_of(lines)
    if turn is not None:
        return next((line for line in reversed(decisions) if line.get("turn") == turn), None)
    if iteration is None:
        return None
    found = next((line for line in decisions if iteration_of(line) == iteration), None)
    if found is None or response_of(found) == response:
        return found
    newest = iteration == iteration_of(lines[-1]) and not has_ended(lines[-1])
    return found if newest else None


def answers_another(line: JsonObject, response: str | None) -> str:
    """Return a remark when the decision in `line` was made on another response, else the empty text."""
    if response_of(line) == response:
        return ""
    number = iteration_of(line)
    return (
        f"iteration {number} was decided on another response; that decision is kept (line {line['sequence']})"
    )


def response_of(line: JsonObject) -> str | None:
    """Return the digest of the response a line was made from, None without one."""
    sources = line.get("sources")
    response = sources.get("response") if isinstance(sources, dict) else None
    digest = response.get("digest") if isinstance(response, dict) else None
    return digest if isinstance(digest, str) else None
