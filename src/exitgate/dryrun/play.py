"""
One policy walked over one run, iteration by iteration, as `check` would have decided.

Facts that rest on a text are found once (`Extraction`) and can be decided on many times (`Walk`):
parameters of rules change nothing about them.
"""

from __future__ import annotations

from exitgate.dryrun.observe import sources_of
from exitgate.engine.breaker_state import BreakerState, facts_of
from exitgate.engine.program import Program
from exitgate.engine.record import record_of
from exitgate.engine.settle import Before, settle
from exitgate.facts.registry import load
from exitgate.facts.signals import Remembered
from exitgate.facts.similarity_bounds import KEPT, bounded
from exitgate.gate.earlier import needs
from exitgate.gate.observe import clock as counters
from exitgate.gate.reported import SESSION, Reported, reported
from exitgate.gate.sources import keeps
from exitgate.gate.stages import decide_stages, stages_due
from exitgate.gate.totals import signals_of
from exitgate.model.iteration import Iteration, Source
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Begin

#: Extractors that look at the totals of the run, which are cheap and depend on no text.
_COUNTED = ("clock", "run")


class Extracted(Value):
    """
    What is known of an iteration before anything is decided.

    Args:
        index: Its number within the run.
        facts: Those that rest on what was recorded, by name.
        reported: What the iteration used up, a resumed session's cost as this iteration's share.
        exit_status: Of the agent.
        responded: Whether there is a response.
        started_at: Seconds since the epoch, or None.
        ended_at: Seconds since the epoch, or None.
    """

    __slots__ = ("ended_at", "exit_status", "facts", "index", "reported", "responded", "started_at")

    def __init__(
        self,
        index: int,
        facts: Mapping[str, Fact],
        reported: Reported,
        exit_status: int | None = None,
        responded: bool = True,
        started_at: float | None = None,
        ended_at: float | None = None,
    ) -> None:
        self.index = index
        self.facts = facts
        self.reported = reported
        self.exit_status = exit_status
        self.responded = responded
        self.started_at = started_at
        self.ended_at = ended_at


class Decided(Value):
    """A decision on one iteration, with all facts and the record it was made from."""

    __slots__ = ("decision", "extracted", "facts", "record")

    def __init__(
        self,
        extracted: Extracted,
        facts: Mapping[str, Fact],
        record: Mapping[str, object],
        decision: Decision,
    ) -> None:
        self.extracted = extracted
        self.facts = facts
        self.record = record
        self.decision = decision


class Extraction:
    """
    What iterations say, one after the other; only as much of earlier texts is kept as is compared with.

    Args:
        policy: Whose facts are wanted.
        begin: Of the run.
    """

    def __init__(self, policy: CompiledPolicy, begin: Begin) -> None:
        self.policy = policy
        self.begin = begin
        self._entries = [
            (load(entry.extractor), entry)
            for entry in policy.extractions
            if entry.extractor not in _COUNTED and not keeps(policy, entry)
        ]
        self._needed = needs(policy)
        self._texts: dict[str, tuple[str | None, ...]] = dict.fromkeys(self._needed, ())
        self._totals: dict[str, object] = {}

    def step(self, one: RecordedIteration) -> Extracted:
        """Return what the next iteration says."""
        sources: Mapping[str, Source] = sources_of(one, self.policy)
        sources, spent = reported(sources, self._totals, unchanged=False)
        if spent.session is not None:
            self._totals[SESSION] = spent.session
        seen = Iteration(one.index, self.begin.id, one.ended_at or 0.0, sources, dict(self._texts))
        facts: dict[str, Fact] = {}
        for module, entry in self._entries:
            facts.update((f.name, f) for f in module.extract(entry.prefix, entry.source, entry.options, seen))
        for name, count in self._needed.items():
            text = sources[name].text if name in sources else None
            kept = None if text is None else bounded(text, KEPT)
            self._texts[name] = (*self._texts[name], kept)[-count:]
        responded = one.response is not None
        return Extracted(one.index, facts, spent, one.exit_status, responded, one.started_at, one.ended_at)


class Walk:
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
        self._counted = [(load(e.extractor), e) for e in policy.extractions if e.extractor in _COUNTED]
        self._need = max(policy.lookback, policy.exit_after_blind or 0) + 1
        self._breaker = BreakerState()
        self._remembered = Remembered() if self._signals else None
        self._totals: dict[str, object] = {}
        self._records: tuple[Mapping[str, object], ...] = ()
        self._started_at = begin.started_at
        self._last_at: float | None = None

    def step(self, one: Extracted) -> Decided:
        """Return the decision on the next iteration; `one` is of this policy or one with the same facts."""
        policy = self.policy
        if self._started_at is None:
            self._started_at = one.started_at
        now = one.ended_at if one.ended_at is not None else one.started_at
        facts = dict(one.facts)
        made = _made(one, self._totals, self._started_at, self._last_at)
        seen = Iteration(one.index, self.begin.id, now or 0.0, made)
        for module, entry in self._counted:
            facts.update((f.name, f) for f in module.extract(entry.prefix, entry.source, entry.options, seen))
        if policy.breaker is not None:
            facts |= {fact.name: fact for fact in facts_of(self._breaker, now or 0.0)}
        record, notes = record_of(facts.values(), policy)
        before = Before(self._records, self._remembered, self._breaker, 0, one.index)
        settled = settle(self.program, record, before, now or 0.0)
        records = (*self._records, settled.record)
        stages = stages_due(
            None,
            one.exit_status,
            response=one.responded,
            begun=True,
            is_error=one.reported.is_error is True,
        )
        decision = decide_stages(self.program, records, stages, notes, moment=now)
        self._records = records[-self._need :]
        self._breaker = settled.breaker
        counted = made["run"].record or {}
        self._totals = {**self._totals, **{k: v for k, v in counted.items() if v is not None}}
        if self._remembered is not None:
            self._remembered = self._remembered.after(self._signals, settled.record)
        self._last_at = now
        return Decided(one, {**facts, **settled.facts}, settled.record, decision)


def _made(
    one: Extracted, totals: Mapping[str, object], started_at: float | None, last_at: float | None
) -> dict[str, Source]:
    """Return the sources `clock` and `run`."""
    spent = one.reported
    known = started_at is not None and one.ended_at is not None
    return {
        "clock": counters.clock(started_at if known else None, last_at if known else None),
        "run": counters.run(
            one.index,
            totals,
            started_at if known else None,
            one.exit_status,
            spent.cost,
            spent.tokens,
            one.ended_at - started_at
            if known and one.ended_at is not None and started_at is not None
            else None,
            spent.is_error,
        ),
    }
