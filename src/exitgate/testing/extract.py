"""From what a case gives to records: the real extractors over its sources, given facts on top."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from exitgate.analysis.space.dependencies import dependent_facts
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.facts import registry
from exitgate.core.model.decision import Decision, Warned
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.observe.envelope import unwrapped
from exitgate.core.observe.sources import wanted
from exitgate.core.policy.compiled import CompiledPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.cases.case import Case


RUN = "test#1"
#: Note of a fact that a case gives by hand.
GIVEN = "given"
#: Seconds since the epoch of the first iteration, and between two: tests have a clock of their own.
FIRST_TIME, STEP = 1_767_225_600.0, 60.0


@dataclass(frozen=True, slots=True)
class Observed:
    """
    One iteration of a case: its facts with evidence, its record, remarks on unreadable facts.

    `moment` is when a recorded one was checked, seconds since the epoch; None where nothing tells it;
    `is_error` whether the result of a recorded one is an error, as a check takes it. `evaluation` is the run
    up to it.
    """

    evaluation: Evaluation
    facts: Mapping[str, Fact]
    record: Record
    notes: tuple[Warned, ...]
    moment: float | None = None
    is_error: bool = False

    def decide(self, stages: Sequence[str], program: Program | None = None) -> Decision:
        """Return the decision on it; `program` is another policy that computes the same from its facts."""
        evaluation = self.evaluation if program is None else self.evaluation.under(program)
        return evaluation.decide(stages, self.notes, self.moment)


@dataclass(frozen=True, slots=True)
class Extracted:
    """
    What one iteration of a case says by itself.

    Args:
        facts: By name.
        own: Those of them that were given by hand, with their values.
        now: When it was checked, seconds since the epoch.
        baseline: Of the first iteration of a recorded run: facts before any work; else None.
        moment: As of `Observed`.
        is_error: As of `Observed`.
    """

    facts: Mapping[str, Fact]
    own: Mapping[str, object]
    now: float
    baseline: Mapping[str, Fact] | None = None
    moment: float | None = None
    is_error: bool = False


def observe(case: Case, program: Program) -> tuple[Observed, ...]:
    """Return every iteration of a case, oldest first, with computed facts; the breaker begins CLOSED."""
    return follow(extract(case, program.policy), program)


def extract(case: Case, policy: CompiledPolicy) -> tuple[Extracted, ...]:
    """Return what every iteration of a case says by itself, oldest first: nothing computed, no breaker."""
    found = []
    for given, seen in zip(case.given, _extracted(case, policy), strict=True):
        own = dependent_facts(given, policy)
        facts = {**seen.facts, **{name: Fact(name, value, note=GIVEN) for name, value in own.items()}}
        found.append(Extracted(facts, own, seen.now, seen.baseline, seen.moment, seen.is_error))
    return tuple(found)


def _extracted(case: Case, policy: CompiledPolicy) -> Iterator[Extracted]:
    """Yield what texts and records of each iteration say, without anything that was given by hand."""
    if case.recording is not None:
        from exitgate.testing.cases.recordings import iterations_of

        for one in iterations_of(case.recording, policy):
            moment = one.now if one.known else None
            yield Extracted(one.facts, {}, one.now, one.baseline, moment, one.is_error)
        return
    wants = wanted(policy)
    earlier: dict[str, tuple[str | None, ...]] = {}
    for index in range(len(case.given)):
        sources = _offered(case, index, wants)
        iteration = _iteration(case, index, sources, earlier)
        facts = {fact.name: fact for fact in _extract(iteration, policy)}
        yield Extracted(facts, {}, FIRST_TIME + STEP * index)
        said = {name: one.text for name, one in sources.items() if one.text is not None}
        # An iteration that says nothing of a source which others before it offered is not known.
        earlier = {n: (*earlier.get(n, ()), said.get(n)) for n in earlier.keys() | said.keys()}


def follow(said: Sequence[Extracted], program: Program) -> tuple[Observed, ...]:
    """Return what follows from it: computed facts and those of the breaker, which begins CLOSED."""
    found: list[Observed] = []
    evaluation = Evaluation(program)
    for one in said:
        if one.baseline is not None:
            evaluation.remember({name: fact.value for name, fact in one.baseline.items()})
        seen = evaluation.observe(one.facts.values(), one.now, given=one.own)
        facts = {**one.facts, **seen.facts}
        found.append(Observed(evaluation.copy(), facts, seen.record, seen.notes, one.moment, one.is_error))
    return tuple(found)


def _extract(iteration: Iteration, policy: CompiledPolicy) -> list[Fact]:
    return [
        fact
        for extraction in policy.extractions
        for fact in registry.load(extraction.extractor).extract(
            extraction.prefix, extraction.source, extraction.options, iteration
        )
    ]


def _iteration(
    case: Case, index: int, offered: Mapping[str, Source], earlier: Mapping[str, tuple[str | None, ...]]
) -> Iteration:
    sources = dict(offered)
    if case.agent_exit is not None and index == len(case.given) - 1:
        sources["run"] = _source("run", {**_record(sources, "run"), "agent_exit": case.agent_exit})
    return Iteration(index + 1, RUN, FIRST_TIME + STEP * index, sources, earlier)


def _offered(case: Case, index: int, wants: frozenset[str]) -> dict[str, Source]:
    """Return the sources of an iteration, the response taken out of its envelope as a check does."""
    # what a case gives was written when its iteration ended
    written = f"0.{int((FIRST_TIME + STEP * index) * 1e9)}"
    given = {name: _source(name, raw).but(written=written) for name, raw in case.sources[index].items()}
    response = given.pop("response", None)
    if response is None:
        return given
    failed = case.agent_exit if index == len(case.given) - 1 else None
    return {**unwrapped(response, "auto", failed, wants), **given}


def _record(sources: Mapping[str, Source], name: str) -> Mapping[str, object]:
    """Return the record of a source that was given one, else an empty one."""
    found = sources.get(name)
    return (found.record or {}) if found is not None else {}


def _source(name: str, raw: object) -> Source:
    """Return a source with text, or with a record and that record as text."""
    if isinstance(raw, dict):
        return Source(name, text=json.dumps(raw), record=raw)
    return Source(name, text=str(raw))
