"""Which stages a check asks, and one decision out of two."""

from __future__ import annotations

from exitgate.engine.live import JoinedDecision, LiveDecision
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.engine.program import Program
    from exitgate.model.decision import Decision, Warned

    Records = Sequence[Mapping[str, object]]

BEFORE, AFTER, FAILURE = "before_iteration", "after_iteration", "after_failure"


def stages_due(
    forced: str | None = None,
    agent_exit: int | None = None,
    *,
    response: bool,
    begun: bool,
    is_error: bool = False,
) -> tuple[str, ...]:
    """
    Return the stages to ask, in order; each is asked only when those before it say CONTINUE.

    Args:
        forced: The one stage the caller wants, or None.
        agent_exit: The agent's exit status, or None when it is not known.
        response: Whether there is a response.
        begun: Whether the run has had an iteration.
        is_error: Whether the agent's result is an error, no matter what its exit status.
    """
    if forced is not None:
        return (forced,)
    if not response and not begun and agent_exit is None:
        return (BEFORE,)
    return (FAILURE if agent_exit or is_error else AFTER, BEFORE)


def decide_stages(
    program: Program,
    records: Records,
    stages: Sequence[str],
    notes: Sequence[Warned] = (),
    silent: int = 0,
    moment: float | None = None,
) -> Decision:
    """
    Return the decision of the first of `stages` that says EXIT, else of the first.

    Where that could have been CONTINUE, the stage behind it says what else it could be.
    A stage after the first is asked only when the policy has rules for it. Warnings, shadows,
    alternatives and steps of all stages asked are in the decision, in the order of asking.
    `notes`, `silent` and `moment` are as for `Program.decide`.
    """
    decision = program.decide(records, stages[0], notes, silent, moment)
    with_rules = {rule.stage for rule in program.policy.rules}
    for stage in stages[1:]:
        if stage not in with_rules:
            continue
        if decision.verdict == EXIT:
            _follow(decision, program, records, stage, moment)
            break
        decision = _joined(decision, program.decide(records, stage, moment=moment))
    return decision


def _follow(
    decision: LiveDecision, program: Program, records: Records, stage: str, moment: float | None
) -> None:
    decision.followed_by(lambda: program.decide(records, stage, moment=moment))


def _joined(first: LiveDecision, second: LiveDecision) -> LiveDecision:
    leading = second if second.verdict == EXIT else first
    return JoinedDecision(first, second, leading)
