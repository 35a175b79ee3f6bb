"""What there is to say beside a decision: what would change it, how far thresholds are, what is next."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.distances import distances
from exitgate.analysis.counterfactuals.forecast import FAILURES, forecast
from exitgate.analysis.counterfactuals.last_iteration import LastIteration, breaker_in
from exitgate.analysis.counterfactuals.parameters import parameter_changes
from exitgate.analysis.counterfactuals.search import LIMITS, smallest_changes
from exitgate.analysis.counterfactuals.search_space import SearchSpace, result_of
from exitgate.analysis.results.counterfactual import Outlook
from exitgate.core.engine.breaker import BreakerState
from exitgate.core.engine.record import Record
from exitgate.core.model.decision import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.analysis.counterfactuals.search import Limits
    from exitgate.analysis.results.counterfactual import Ahead, Change
    from exitgate.core.engine.program import Program
    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]


BEFORE, AFTER, FAILURE = "before_iteration", "after_iteration", "after_failure"
INTERRUPTED = "interrupted"
#: Classes after which the same run can go on.
SUSPENDED = ("wait", INTERRUPTED)
_STATE = "circuit.state"


def outlook(
    program: Program,
    records: Records,
    decision: Decision,
    alone: bool = False,
    limits: Limits = LIMITS,
    enough: int | None = None,
) -> Outlook:
    """
    Return the outlook of a decision.

    Args:
        program: The policy that decided.
        records: As it saw them, oldest first, the last one with its derived facts.
        decision: With its steps.
        alone: Only the stage of the decision must be asked.
        limits: Of each of the two searches, for what would have changed it and for what is next.
        enough: So many results that the next iteration can have are wanted at least; None for all.

    Where the records alone give another decision than the one there is, nothing is reported about what would
    have changed it.
    """
    stages = stages_of(decision, program.policy, alone)
    last = records[-1]
    base = last if isinstance(last, Record) else Record(last)
    space = SearchSpace(played(program, records[:-1], base, stages), base)
    fits = space.result == result_of(decision)
    goes_on = decision.verdict == CONTINUE or decision.exit_class in SUSPENDED
    next_one = _ahead(program, records[:-1], base, stages, decision, limits, enough) if goes_on else None
    return Outlook(
        smallest_changes(space, limits) if fits else (),
        _smallest(parameter_changes(space)) if fits else (),
        distances(program.policy, records, stages),
        next_one,
    )


def _ahead(
    program: Program,
    earlier: Records,
    base: Record,
    stages: Sequence[str],
    decision: Decision,
    limits: Limits,
    enough: int | None,
) -> Ahead | None:
    """
    Return what the next iteration can bring, or None where none was asked about.

    An interruption says nothing about the work, so the answer is for the run after its next start.
    That a run ends in any case is only said where it does, whether the agent's program fails or not.
    """
    if stages[0] == BEFORE:
        return None
    after = breaker_in(base) if program.policy.breaker is not None else None
    resumed = decision.exit_class == INTERRUPTED
    if resumed:
        stages, base = (AFTER, *stages[1:]), _ended(base, failed=False)
    seen = forecast(LastIteration(program, earlier, stages, after), base, limits, enough)
    if seen.bound:
        fails = stages[0] != FAILURE
        others = (FAILURE if fails else AFTER, *(stages[1:] or (BEFORE,)))
        other = forecast(LastIteration(program, earlier, others, after), _ended(base, failed=fails), limits)
        seen = seen.but(bound=other.bound)
    return seen.but(resumed=resumed)


def _ended(base: Record, *, failed: bool) -> Record:
    """Return the record of an iteration whose agent ended with a failure or without, never interrupted."""
    before = base.get(FAILURES)
    row = (before if isinstance(before, int) else 0) if failed else 0
    values: dict[str, object] = {
        "run.failed": failed,
        "run.interrupted": False,
        "run.agent_exit": int(failed),
        FAILURES: row,
    }
    return base.with_values({name: value for name, value in values.items() if name in base})


def stages_of(decision: Decision, policy: CompiledPolicy, alone: bool = False) -> tuple[str, ...]:
    """Return the stages that were asked for a decision, and the one that would have been had it gone on."""
    stage_of = {rule.id: rule.stage for rule in policy.rules}
    asked = tuple(dict.fromkeys(stage_of[step.rule] for step in decision.steps if step.rule in stage_of))
    asked = asked or (decision.stage,)
    ended = decision.verdict != CONTINUE and len(asked) == 1 and asked[0] != BEFORE
    if ended and not alone and BEFORE in stage_of.values():
        return (*asked, BEFORE)
    return asked


def played(program: Program, earlier: Records, base: Record, stages: Sequence[str]) -> LastIteration:
    """Return what decided; the breaker follows from the facts where that gives the state on record."""
    if program.policy.breaker is not None:
        before = breaker_in(earlier[-1]) if earlier else BreakerState()
        found = LastIteration(program, earlier, stages, before)
        if before is not None and found.whole(base).get(_STATE) == base.get(_STATE):
            return found
    return LastIteration(program, earlier, stages)


def _smallest(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return for each result the smallest change, in order of effort."""
    found: dict[object, Change] = {}
    for change in sorted(changes, key=lambda one: one.effort):
        found.setdefault(change.result, change)
    return tuple(found.values())
