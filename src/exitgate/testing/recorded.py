"""A recorded run as what is given to a case: each iteration read as a dry run, and so a check, reads it."""

from __future__ import annotations

from exitgate.engine.stages import stages_due
from exitgate.gate.begin import OF_AN_ITERATION
from exitgate.gate.extract import facts_of
from exitgate.gate.mask import masked
from exitgate.gate.observe import clock as counters
from exitgate.gate.observe.local import recorded as of_day
from exitgate.gate.observe.local import zones_of
from exitgate.gate.recorded_facts import taken
from exitgate.gate.recorded_instants import Instants
from exitgate.gate.recorded_sources import sources_of, sources_of_begin
from exitgate.gate.reported import SESSION, reported
from exitgate.gate.sources import keeps
from exitgate.model.iteration import Iteration
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.gate.reported import Reported
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy, Extraction
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Begin


class Recording(Value):
    """
    A recorded run, or the first of its iterations.

    Args:
        path: Of the transcript, as it is reported.
        begin: How it began.
        iterations: Oldest first; at least one.
    """

    __slots__ = ("begin", "iterations", "path")

    def __init__(self, path: str, begin: Begin, iterations: tuple[RecordedIteration, ...]) -> None:
        self.path = path
        self.begin = begin
        self.iterations = iterations

    def stages(self, number: int, *, is_error: bool) -> tuple[str, ...]:
        """
        Return the stages that a check after iteration `number`, from 1, would ask.

        `is_error` is what `see` found of it: a check looks for it in the answer, too.
        """
        one = self.iterations[number - 1]
        return stages_due(
            None,
            one.exit_status,
            response=one.response is not None,
            begun=True,
            is_error=is_error,
        )


class Seen(Value):
    """
    What one iteration of a recording says.

    Args:
        facts: By name, secrets hidden.
        now: When it was checked, seconds since the epoch.
        known: Whether the transcript tells that.
        baseline: Of the first iteration: facts before any work; else None.
        is_error: Whether its result says so, or the answer is nothing but its program's own error.
    """

    __slots__ = ("baseline", "facts", "is_error", "known", "now")

    def __init__(
        self,
        facts: Mapping[str, Fact],
        now: float,
        known: bool,
        baseline: Mapping[str, Fact] | None = None,
        is_error: bool = False,
    ) -> None:
        self.facts = facts
        self.now = now
        self.known = known
        self.baseline = baseline
        self.is_error = is_error


def see(recording: Recording, policy: CompiledPolicy) -> Iterator[Seen]:
    """Yield what each iteration says to the policy's extractors, oldest first."""
    at = Instants(recording.begin.started_at)
    totals: dict[str, object] = {}
    zones = zones_of(policy)
    earlier: dict[str, tuple[str | None, ...]] = {}
    for one in recording.iterations:
        baseline = None if one is not recording.iterations[0] else _baseline(recording, at, policy)
        at.at(one.started_at, one.ended_at)
        sources, spent = reported(sources_of(one, policy), totals, unchanged=False)
        made = _made(one, at, totals, spent, zones)
        totals.update(
            {name: value for name, value in (made["run"].record or {}).items() if value is not None}
        )
        if spent.session is not None:
            totals[SESSION] = spent.session
        seen = Iteration(one.index, recording.begin.id, at.now, {**sources, **made}, dict(earlier))
        facts = _facts(seen, policy)
        if one.facts is not None:
            facts |= taken(one.facts, facts, policy.facts)
        yield Seen(facts, at.now, at.known, baseline, spent.is_error is True)
        for name in earlier.keys() | sources.keys():
            text = sources[name].text if name in sources else None
            earlier[name] = (*earlier.get(name, (None,) * (one.index - 1)), text)


def _facts(seen: Iteration, policy: CompiledPolicy, early: bool = False) -> dict[str, Fact]:
    found = {
        fact.name: fact
        for entry in policy.extractions
        if not keeps(policy, entry) and not (early and _is_of_work(entry))
        for fact in facts_of(entry, seen)
    }
    return masked(found, seen.sources, policy)


def _is_of_work(entry: Extraction) -> bool:
    return entry.source in OF_AN_ITERATION or entry.extractor == "git"


def _made(
    one: RecordedIteration,
    at: Instants,
    totals: Mapping[str, object],
    spent: Reported,
    zones: tuple[str, ...],
) -> dict[str, Source]:
    """Return the sources `clock` and `run`."""
    run = counters.run(
        one.index, totals, at.started_at if at.known else None, one.exit_status, spent.cost, spent.tokens,
        at.elapsed, spent.is_error,
    )  # fmt: skip
    if not at.known:
        return {"clock": counters.clock(None, None, None, of_day(None, zones)), "run": run}
    shown = of_day(at.now, zones)
    return {"clock": counters.clock(at.started_at, at.last_at, at.elapsed, shown), "run": run}


def _baseline(recording: Recording, at: Instants, policy: CompiledPolicy) -> dict[str, Fact]:
    """Return what the plan, other files, clock and counters say before any work."""
    first = recording.iterations[0]
    began = at.begin(first.started_at, first.ended_at)
    made = {
        "clock": counters.clock(began, None, None if began is None else 0.0, of_day(began, zones_of(policy))),
        "run": counters.run(0, {}, began),
    }
    sources = {**sources_of_begin(recording.begin, policy), **made}
    return _facts(Iteration(0, recording.begin.id, began or 0.0, sources), policy, early=True)
