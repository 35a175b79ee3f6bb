"""The decision of a check: the policy's, on the facts that were found and given."""

from __future__ import annotations

from exitgate.core.engine.evaluation import Before, Evaluation
from exitgate.core.engine.program import program_of
from exitgate.core.engine.record import is_blind, signals_of
from exitgate.core.gate.breaker import plain_after, stopped_by_hand
from exitgate.core.gate.notes import is_unchanged, note_on_blindness, notes_on
from exitgate.core.gate.overrides import questions
from exitgate.core.gate.settings import remarks_on
from exitgate.core.ledger.runs import set_back
from exitgate.core.model.value import Value
from exitgate.core.observe.masking import masked
from exitgate.core.observe.sources import CHANGED_AT, PLAN, TAMPERING, changed_at, plan_location
from exitgate.core.state.history import CONTENT, last_changed, totals_after
from exitgate.core.state.tracked import REMARK, for_review

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.evaluation import Observed
    from exitgate.core.engine.record import Record
    from exitgate.core.facts.extractors.progress import Remembered
    from exitgate.core.gate.observation import Observation
    from exitgate.core.gate.prior import Prior
    from exitgate.core.model.decision import Decision, Warned
    from exitgate.core.model.fact import Fact, Iteration
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


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
        probes: What each probe that the decision hung on said, as the ledger keeps it.
    """

    __slots__ = ("changed", "decision", "facts", "iteration", "line", "notes", "policy", "probes", "records")

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
        probes: Mapping[str, JsonObject] | None = None,
    ) -> None:
        self.probes = probes or {}
        self.policy = policy
        self.iteration = iteration
        self.facts = facts
        self.decision = decision
        self.line = line
        self.notes = notes
        self.records = records
        self.changed = changed


class Decided(Value):
    """
    A check with its decision, and what its line in the ledger needs besides.

    Args:
        result: The check, not yet recorded.
        totals: Of the run after the iteration.
        breaker: State of the breaker after it, as the line keeps it; None where there is none.
        carried: What all runs used up today, if the policy asks for it.
        numbered: Whether the breaker keeps the number of the check's line.
        rule: The rule that has to be settled first; empty where the decision is settled.
        needs: Facts of which the world has to be asked for one to settle it.
    """

    __slots__ = ("breaker", "carried", "needs", "numbered", "result", "rule", "totals")

    def __init__(
        self,
        result: CheckResult,
        totals: JsonObject,
        breaker: dict[str, object] | None,
        carried: Sequence[JsonObject],
        numbered: bool,
        rule: str = "",
        needs: frozenset[str] = frozenset(),
    ) -> None:
        self.result = result
        self.totals = totals
        self.breaker = breaker
        self.carried = carried
        self.numbered = numbered
        self.rule = rule
        self.needs = needs


def decide(
    request: Request,
    policy: CompiledPolicy,
    prior: Prior,
    seen: Observation,
    found: Mapping[str, Fact],
    given: Mapping[str, Fact],
    remarks: Sequence[str],
) -> Decided:
    """
    Return the check with its decision.

    Args:
        request: What was asked.
        policy: That decides.
        prior: What was there before.
        seen: What was observed.
        found: Facts that were extracted, by name.
        given: Facts given by hand, which count in place of those.
        remarks: On extractors that failed and on the ledger.
    """
    iteration = seen.iteration
    facts = masked({**found, **given}, iteration.sources, policy)
    before = _before(policy, prior, iteration.number)
    evaluation = Evaluation(request.program or program_of(policy), before)
    observed = evaluation.observe(facts.values(), prior.now, given=given, ended=_has_ended(prior, seen))
    notes = (*notes_on(iteration.sources, prior.history, _remarks(request, policy, prior, seen, remarks)),)
    notes += (*observed.notes, *_on_blindness(evaluation, seen, observed))
    decision = evaluation.decide(seen.stages, notes, prior.now)
    decision = for_review(stopped_by_hand(decision, prior.breaker.state), prior.tracked)
    content = facts.get(CONTENT)
    changed = content.evidence[0].excerpt if content is not None and content.evidence else ""
    result = CheckResult(
        policy,
        iteration,
        {**facts, **observed.facts},
        decision,
        None,
        notes,
        evaluation.records,
        changed or last_changed(prior.history.lines),
    )
    totals = _totals(request, policy, seen, given, observed.record, before.remembered, facts)
    return Decided(
        result,
        totals,
        plain_after(observed.breaker, observed.move) if policy.breaker else prior.breaker.kept(),
        [] if seen.days is None else seen.days.carried(seen.texts.begun.totals, totals),
        observed.breaker.since != prior.breaker.state.since,
        *evaluation.unasked(seen.stages),
    )


def _before(policy: CompiledPolicy, prior: Prior, number: int) -> Before:
    """Return what was there before iteration `number`, as the engine reads it."""
    signals, state = signals_of(policy), prior.breaker.state
    return Before(
        prior.history.records(policy, number),
        prior.history.remembered(signals) if signals else None,
        state,
        prior.history.apart(number, state.since) if state.since else 0,
        prior.breaker.sequence + 1,
        silent=prior.history.silent(),
    )


def _has_ended(prior: Prior, seen: Observation) -> bool:
    """
    Return whether an iteration ended since the last decision.

    None did when only the stage before an iteration is asked, nor when a run begins with the response
    that an earlier run was decided on.
    """
    history = prior.history
    return seen.ended and not (history.standing.new and is_unchanged(seen.iteration.sources, history))


def _remarks(
    request: Request, policy: CompiledPolicy, prior: Prior, seen: Observation, remarks: Sequence[str]
) -> tuple[str, ...]:
    """Return what the user should know of agent, settings, given facts and ledger, in the order shown."""
    behind = set_back(prior.history.last, prior.now)
    own = policy.breaker is not None and prior.breaker.remark
    return (
        *request.remarks,
        *remarks_on(policy, prior.now),
        *questions(request.facts, policy),
        *([behind] if behind else []),
        *([REMARK] if prior.tracked else []),
        *prior.history.damages(),
        *seen.lost,
        *remarks,
        *([own] if own else []),
    )


def _on_blindness(evaluation: Evaluation, seen: Observation, observed: Observed) -> tuple[Warned, ...]:
    if not seen.ended or not is_blind(observed.record, evaluation.program.read):
        return ()
    return (note_on_blindness(seen.iteration.sources, evaluation.program.policy.exit_after_blind),)


def _totals(
    request: Request,
    policy: CompiledPolicy,
    seen: Observation,
    given: Mapping[str, Fact],
    record: Record,
    remembered: Remembered | None,
    facts: Mapping[str, Fact],
) -> JsonObject:
    """Return the totals of the run after the iteration."""
    begun, sources, number = seen.texts.begun, seen.iteration.sources, seen.iteration.number
    totals = totals_after(
        request, begun, number, given, record, remembered, signals_of(policy), seen.texts.reported
    )
    totals.pop(CHANGED_AT, None)
    totals |= changed_at(sources.get("git"), begun)
    plan = plan_location(request, policy, begun, sources.get("plan"))
    if plan:
        totals[PLAN] = plan
    signs = [entry for entry in policy.extractions if entry.extractor == TAMPERING]
    if signs:
        from exitgate.core.facts.extractors.tampering import kept

        totals[TAMPERING] = {
            one.prefix: kept(one.prefix, one.source, one.options, facts, seen.iteration) for one in signs
        }
    session = policy.views.get("session")
    if isinstance(session, dict):
        from exitgate.core.views.session import sums_after

        totals["sums"] = sums_after(begun.totals, session, record)
    return totals
