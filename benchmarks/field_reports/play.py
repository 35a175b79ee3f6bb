"""A policy over the iterations of a report, through the program's own stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exitgate.core.engine.breaker import BreakerState
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.engine.stages import BEFORE, stages_due
from exitgate.core.facts.registry import BUILT_IN, load
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.value import Unknown
from exitgate.core.observe import clock
from exitgate.core.observe.sources import keeps, with_failure
from exitgate.core.policy.compiled import Extraction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.field_reports.timeline import Moment, Timeline

    from exitgate.core.model.decision import Decision
    from exitgate.core.policy.compiled import CompiledPolicy

RUN = "report#1"
#: Seconds since the epoch of the first iteration, and between two.
FIRST_TIME, STEP = 1_767_225_600.0, 60.0


@dataclass(frozen=True)
class Played:
    """The last iteration of a timeline as a policy sees it."""

    program: Program
    records: tuple[Mapping[str, object], ...]
    facts: Mapping[str, Fact]
    decision: Decision


def play(timeline: Timeline, policy: CompiledPolicy) -> Played:
    """Return what the policy decides on the last iteration; those before only give history."""
    program = Program(policy)
    records: list[Record] = []
    failures = 0
    now = FIRST_TIME
    breaker = _breaker(timeline, now + STEP * (len(timeline.moments) - 1))
    evaluation = Evaluation(program)
    evaluation.set_breaker(breaker)
    facts: dict[str, Fact] = {}
    for index, moment in enumerate(timeline.moments):
        now = FIRST_TIME + STEP * index
        facts, failed = _observed(timeline, index, policy, now, failures)
        failures = failures + 1 if failed else 0
        given = set(_known(moment, policy))
        observed = evaluation.observe(facts.values(), now, given=given)
        records.append(observed.record)
        facts |= observed.facts
    stages = _stages(timeline.moments[-1], facts)
    return Played(program, tuple(records), facts, evaluation.decide(stages, ()))


def _observed(
    timeline: Timeline, index: int, policy: CompiledPolicy, now: float, failures: int
) -> tuple[dict[str, Fact], bool]:
    """Return the facts of one iteration, and whether the agent failed."""
    moment = timeline.moments[index]
    last = index == len(timeline.moments) - 1
    number = timeline.number if last and timeline.number is not None else index + 1
    sources = with_failure(_sources(moment), policy)
    is_error = _is_error(sources)
    totals = {"failures_in_row": failures}
    elapsed = now - FIRST_TIME
    sources["run"] = clock.run(
        number, totals, FIRST_TIME, moment.agent_exit, elapsed=elapsed, is_error=is_error
    )
    sources["clock"] = clock.clock(FIRST_TIME, now - STEP)
    iteration = Iteration(number, RUN, now, sources, _earlier(timeline, index))
    found = {
        fact.name: fact
        for entry in _entries(policy)
        for fact in load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
    }
    if timeline.breaker is not None and policy.breaker is None and last:
        state, reason, _ = timeline.breaker
        found |= {
            "circuit.state": Fact("circuit.state", state),
            "circuit.reason": Fact("circuit.reason", reason),
        }
    found |= _known(moment, policy)
    return found, bool(moment.agent_exit) or is_error is True


def _is_error(sources: Mapping[str, Source]) -> bool | None:
    """Return whether the agent's result is an error, None where it does not say."""
    result = sources.get("result")
    said = (result.record or {}).get("is_error") if result is not None else None
    return said if isinstance(said, bool) else None


def _entries(policy: CompiledPolicy) -> tuple[Extraction, ...]:
    """Return what is read: all that the policy reads, and every built-in fact, used by a rule or not."""
    own = {entry.prefix for entry in policy.extractions}
    built_in = (
        Extraction(prefix, id, load(id).SOURCE, {})
        for prefix, id in BUILT_IN.items()
        if prefix not in own and id not in ("circuit", "git")
    )
    return (*(entry for entry in policy.extractions if not keeps(policy, entry)), *built_in)


def _sources(moment: Moment) -> dict[str, Source]:
    """Return the texts as sources, the response taken out of its envelope as a check takes it."""
    from exitgate.core.observe.envelope import TAKEN_OUT, unwrapped

    sources = {name: Source(name, text=text) for name, text in moment.texts.items()}
    response = sources.get("response", Source("response", reason="no response was given"))
    return {**sources, **unwrapped(response, "auto", moment.agent_exit, TAKEN_OUT)}


def _earlier(timeline: Timeline, index: int) -> dict[str, tuple[str, ...]]:
    earlier: dict[str, tuple[str, ...]] = {}
    for before in timeline.moments[:index]:
        for name, source in _sources(before).items():
            if source.text is not None:
                earlier[name] = (*earlier.get(name, ()), source.text)
    return earlier


def _known(moment: Moment, policy: CompiledPolicy) -> dict[str, Fact]:
    """Return the given facts that the policy knows; None gives unknown."""
    values: dict[str, Any] = dict(moment.facts)
    return {
        name: Fact(name, Unknown("given as unknown", name) if value is None else value, note="given")
        for name, value in values.items()
        if name in policy.facts
    }


def _breaker(timeline: Timeline, now: float) -> BreakerState:
    if timeline.breaker is None:
        return BreakerState()
    state, reason, minutes = timeline.breaker
    if state == "OPEN":
        opened = now - 60 * minutes
        return BreakerState(state, reason, opened, opened)
    return BreakerState(state, reason if state == "HALF_OPEN" else "")


def _stages(moment: Moment, facts: Mapping[str, Fact]) -> tuple[str, ...]:
    failed = facts.get("run.failed")
    failed_known = failed is not None and failed.value is True
    if not moment.texts and not moment.facts and not moment.agent_exit and not failed_known:
        return (BEFORE,)
    response = "response" in moment.texts
    return stages_due(None, moment.agent_exit, response=response, begun=True, is_error=failed_known)
