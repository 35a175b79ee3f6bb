"""
One policy walked over one run, iteration by iteration, as `check` would have decided.

Facts that rest on a text are found once (`Extraction`) and can be decided on many times (`Walk`):
parameters of rules change nothing about them. The run begins as `exitgate new-run` begins one, with the
plan as it was before the first iteration where the transcript tells it; then there is one check after
each iteration. Every iteration of a transcript is one that took place: a response that was said twice is
not taken for one that was left behind.
"""

from __future__ import annotations

from itertools import chain

from msgspec import Struct

from exitgate.core.engine.breaker import move, read_state
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import signals_of
from exitgate.core.engine.stages import stages_due
from exitgate.core.facts.extractors.clock import WHEN_ASKED
from exitgate.core.facts.extractors.similarity import KEPT, bounded
from exitgate.core.facts.registry import ASKING, load
from exitgate.core.gate.breaker import stopped_by_hand
from exitgate.core.gate.extract import wanted
from exitgate.core.model.fact import Fact, Iteration
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe import clock as counters
from exitgate.core.observe.local_time import recorded as of_day
from exitgate.core.observe.local_time import zones_of
from exitgate.core.observe.masking import covered, masked, telling
from exitgate.core.state.earlier import comparable, needs
from exitgate.core.state.history import SESSION, reported
from exitgate.recordings import recorded_probes
from exitgate.recordings.recorded_input import Instants, asked_of, sources_of, sources_of_begin, taken
from exitgate.recordings.replay.extraction import COUNTED, IS_ERROR, Extracted, entries_of, failure_key

__all__ = ["Decided", "Extracted", "Extraction", "Replay", "Seen"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.engine.evaluation import Before, Observed
    from exitgate.core.facts.registry import Extractor
    from exitgate.core.model.decision import Decision
    from exitgate.core.model.fact import Source
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.history import Reported
    from exitgate.recordings.model import Begin, RecordedIteration
    from exitgate.recordings.replay.extraction import Entry

    #: Key of an entry -> what it found in the iteration under way: shared by the policies of a dry run.
    Shared = dict[str, tuple[Fact, ...]]


class Decided(Struct, frozen=True):
    """A decision on one iteration, with all facts and the record it was made from."""

    extracted: Extracted
    facts: Mapping[str, Fact]
    record: Mapping[str, object]
    decision: Decision


class Seen(Struct, frozen=True):
    """
    An iteration as the rules find it.

    Args:
        facts: What was extracted and counted, by name.
        observed: What follows from it.
        stages: That are asked, in order.
        now: Time of the check, seconds since the epoch; where it is not known, that of the last one before.
        known: Whether that time is known.
        before: What was there before the iteration.
        elsewhere: Whether something else than the checks of this run left the breaker where it was.
    """

    facts: Mapping[str, Fact]
    observed: Observed
    stages: tuple[str, ...]
    now: float
    known: bool
    before: Before
    elsewhere: bool

    @property
    def moment(self) -> float | None:
        """When it was checked, seconds since the epoch; None where that is not known."""
        return self.now if self.known else None


class Extraction:
    """
    What iterations say, one after the other; only as much of earlier texts is kept as is compared with.

    Args:
        policy: Whose facts are wanted.
        begin: Of the run.
        entries: `entries_of(policy)`, where the caller has them already.
        failure: `failure_key(policy)`, likewise.
    """

    def __init__(
        self,
        policy: CompiledPolicy,
        begin: Begin,
        entries: Sequence[Entry] | None = None,
        failure: str = "",
    ) -> None:
        self.policy = policy
        self.begin = begin
        self._entries = [(e, e.module) for e in (entries_of(policy) if entries is None else entries)]
        self._asked = asked_of(policy)
        self._failure = failure or failure_key(policy)
        self._needed = needs(policy)
        self._texts: dict[str, tuple[str | None, ...]] = dict.fromkeys(self._needed, ())
        self._totals = JsonObject()
        self._begun = False
        self._taken = (*_without_zone(policy), *_of_probes(policy))

    def step(
        self, one: RecordedIteration, shared: Shared | None = None, before: Shared | None = None
    ) -> Extracted:
        """
        Return what the next iteration says.

        Args:
            one: The iteration.
            shared: What other policies' extractions found in this very iteration, added to here.
            before: The same, of how things were before the first iteration.
        """
        baseline = None if self._begun else self._baseline({} if before is None else before)
        self._begun = True
        sources, spent = self._spent(one)
        now = one.ended_at if one.ended_at is not None else one.started_at
        seen = Iteration(one.index, self.begin.id, now or 0.0, sources, dict(self._texts))
        found = {} if shared is None else shared
        if spent.is_error is not None:
            found[self._failure] = (Fact(IS_ERROR, spent.is_error),)
        facts = self._find(self._entries, seen, found, one.facts)
        if one.facts is not None:
            facts |= taken(recorded_probes.told(one.facts), self._taken, self.policy.facts)
        self._keep(sources)
        return Extracted(
            one.index, facts, spent, one.exit_status, one.response is not None, one.started_at,
            one.ended_at, one.provenance.file, one.provenance.first, baseline, one.breaker, one.looked_at,
        )  # fmt: skip

    def spend(self, one: RecordedIteration) -> Extracted:
        """Return what the next iteration used up and nothing else: this run needs no more decisions."""
        self._begun = True
        _, spent = self._spent(one)
        return Extracted(
            one.index, {}, spent, one.exit_status, one.response is not None, one.started_at, one.ended_at,
            one.provenance.file, one.provenance.first, None, one.breaker, one.looked_at,
        )  # fmt: skip

    def _spent(self, one: RecordedIteration) -> tuple[Mapping[str, Source], Reported]:
        sources, spent = reported(sources_of(one, self.policy, self._asked), self._totals, unchanged=False)
        if spent.session is not None:
            self._totals[SESSION] = spent.session
        return sources, spent

    def _find(
        self,
        entries: Sequence[tuple[Entry, Extractor]],
        seen: Iteration,
        shared: Shared,
        recorded: Mapping[str, object] | None = None,
    ) -> dict[str, Fact]:
        """Return the facts of `entries`, secrets hidden; only those not found yet are looked for."""
        fresh: dict[str, tuple[Fact, ...]] = {}
        compared = comparable(seen, self._needed, self.policy) if self._needed else seen
        for entry, module in entries:
            if entry.key not in shared:
                one = entry.extraction
                at = compared if entry.compares else seen
                fresh[entry.key] = wanted(one, module.extract(one.prefix, one.source, one.options, at))
        if recorded is None and not telling(chain.from_iterable(fresh.values())):
            shared.update(fresh)
        elif fresh:
            every = {fact.name: fact for found in fresh.values() for fact in found}
            hidden = masked(every, seen.sources, self.policy)
            if recorded is not None:
                hidden |= taken(recorded, hidden, self.policy.facts)
            for key, found in fresh.items():
                shared[key] = tuple(hidden[fact.name] for fact in found)
        return {fact.name: fact for entry, _ in entries for fact in shared[entry.key]}

    def _keep(self, sources: Mapping[str, Source]) -> None:
        if not self._needed:
            return
        texts = covered({name: sources[name] for name in self._needed if name in sources}, self.policy)
        for name, count in self._needed.items():
            text = texts.get(name)
            kept = None if text is None else bounded(text, KEPT)
            self._texts[name] = (*self._texts[name], kept)[-count:]

    def _baseline(self, before: Shared) -> dict[str, Fact]:
        """Return what the plan, git and other files say before any work."""
        begin = self.begin
        seen = Iteration(0, begin.id, begin.started_at or 0.0, sources_of_begin(begin, self.policy))
        told = "git" if begin.git is not None else None
        early = [(e, m) for e, m in self._entries if e.early or e.extraction.source == told]
        return self._find(early, seen, before)


def _without_zone(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts of the time of day that stay as they were recorded: those in no zone of their own."""
    return tuple(
        f"{entry.prefix}.{name}"
        for entry in policy.extractions
        if entry.extractor == "clock" and not entry.options.get("zone")
        for name in WHEN_ASKED
        if entry.asks(name)
    )


def _of_probes(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the facts of probes."""
    prefixes = {entry.prefix for entry in policy.extractions if entry.extractor in ASKING}
    return tuple(name for name in policy.facts if name.partition(".")[0] in prefixes)


class Replay:
    """
    Decisions on the iterations of a run, one after the other.

    Args:
        policy: Who decides.
        begin: Of the run.
        program: `Program(policy)`, where the caller has it already.
    """

    def __init__(self, policy: CompiledPolicy, begin: Begin, program: Program | None = None) -> None:
        self.policy = policy
        self.begin = begin
        self.program = program or Program(policy)
        self._signals = signals_of(policy)
        self._counted = [(load(e.extractor), e) for e in policy.extractions if e.extractor in COUNTED]
        self._zones = zones_of(policy)
        self._evaluation = Evaluation(self.program)
        self._probes = recorded_probes.Asking(policy) if recorded_probes.asks(policy) else None
        self._totals = JsonObject()
        self._begun = False
        self._instants = Instants(begin.started_at)

    def step(self, one: Extracted) -> Decided:
        """Return the decision on the next iteration; `one` is of this policy or one with the same facts."""
        seen = self.observe(one)
        decision = self._evaluation.decide(seen.stages, moment=seen.moment)
        decision = stopped_by_hand(decision, seen.before.breaker)
        return Decided(one, {**seen.facts, **seen.observed.facts}, seen.observed.record, decision)

    def observe(self, one: Extracted) -> Seen:
        """Return what the next iteration comes to before any rule is asked; nothing is decided on it."""
        if not self._begun:
            self._begin(one)
        at = self._instants.at(one.started_at, one.ended_at)
        facts = {**(self._counts(one, at.now) if self._counted else {}), **one.facts}
        elsewhere = one.breaker is not None or one.looked_at is not None
        if elsewhere:
            self._move_breaker(one)
        stages = stages_due(
            None,
            one.exit_status,
            response=one.responded,
            begun=True,
            is_error=one.reported.is_error is True,
        )
        if self._probes is not None:
            facts = self._probes.asked(facts, self._evaluation, at.now, stages)
        before = self._evaluation.before
        observed = self._evaluation.observe(facts.values(), at.now)
        return Seen(facts, observed, stages, at.now, at.known, before, elsewhere)

    def _move_breaker(self, one: Extracted) -> None:
        """Let the breaker be where something else than the checks of this run left it."""
        before = self._evaluation.before
        state = before.breaker
        if one.breaker is not None:
            found, _ = read_state(one.breaker)
            state = found.but(since=before.mark if found.since else state.since)
        if one.looked_at is not None:
            cooldown = self.policy.breaker.cooldown if self.policy.breaker is not None else None
            state, _ = move(state, None, one.looked_at, before.mark, cooldown)
        self._evaluation.set_breaker(state)

    def _begin(self, one: Extracted) -> None:
        """Remember how the signals of progress was before any work."""
        self._begun = True
        if not self._signals or one.baseline is None:
            return
        at = self._instants.begin(one.started_at, one.ended_at)
        made = {
            "clock": counters.clock(at, None, None if at is None else 0.0, of_day(at, self._zones)),
            "run": counters.run(0, {}, at),
        }
        counted = self._count(Iteration(0, self.begin.id, at or 0.0, made))
        values = {name: fact.value for name, fact in {**one.baseline, **counted}.items()}
        self._evaluation.remember(values)

    def _counts(self, one: Extracted, now: float) -> dict[str, Fact]:
        """Return what is counted of the run, and add this iteration to its totals."""
        sources = self._made(one)
        counted = sources["run"].record or JsonObject()
        self._totals.update({k: v for k, v in counted.items() if v is not None})
        return self._count(Iteration(one.index, self.begin.id, now, sources))

    def _count(self, seen: Iteration) -> dict[str, Fact]:
        return {
            fact.name: fact
            for module, entry in self._counted
            for fact in wanted(entry, module.extract(entry.prefix, entry.source, entry.options, seen))
        }

    def _made(self, one: Extracted) -> dict[str, Source]:
        """Return the sources `clock` and `run`."""
        at, spent = self._instants, one.reported
        run = counters.run(
            one.index, self._totals, at.started_at if at.known else None, one.exit_status, spent.cost,
            spent.tokens, at.elapsed, spent.is_error,
        )  # fmt: skip
        if not at.known:
            return {"clock": counters.clock(None, None, None, of_day(None, self._zones)), "run": run}
        shown = of_day(at.now, self._zones)
        return {"clock": counters.clock(at.started_at, at.last_at, at.elapsed, shown), "run": run}
