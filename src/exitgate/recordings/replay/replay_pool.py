"""Policies on a run under way: extraction and decisions together, and the result at the end."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

from exitgate.core.engine.program import Program
from exitgate.core.engine.stages import AFTER
from exitgate.core.gate.timed import DECIDE, EXTRACT, EXTRACTOR, STAGE, TimedProgram, Timings, name_of
from exitgate.core.model.decision import EXIT
from exitgate.core.model.value import Value, micro
from exitgate.recordings.incremental.records import Gathering
from exitgate.recordings.replay.extraction import COUNTED, Entry, entries_of, failure_key, joined
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.recordings.replay.result import IterationRow, RecordedRun, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.core.engine.stages import LazyDecision
    from exitgate.core.facts.extractors.progress import Remembered
    from exitgate.core.facts.registry import Extractor
    from exitgate.core.model.decision import Warned
    from exitgate.core.model.fact import Fact, FactSpec, Iteration
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.history import Reported
    from exitgate.recordings.model import Begin, End, RecordedIteration
    from exitgate.recordings.replay.extraction import Extracted
    from exitgate.recordings.replay.replay import Decided, Shared

    Records = Sequence[Mapping[str, object]]


class PolicyReplay(Value):
    """A policy under the name it goes by in a dry run, with what is made of it once."""

    __slots__ = ("digest", "entries", "failure", "forgetful", "name", "policy", "program")

    def __init__(self, name: str, policy: CompiledPolicy) -> None:
        self.name = name
        self.policy = policy
        self.program = Program(policy)
        self.entries = entries_of(policy)
        self.failure = failure_key(policy)
        self.digest = joined(self.entries)
        #: Whether every decision rests on the facts of its iteration alone.
        self.forgetful = _forgets(policy)

    def with_policy(self, policy: CompiledPolicy) -> PolicyReplay:
        """Return the same for another policy; one that extracts as this one does shares how."""
        own = self.policy
        shares = policy.extractions is own.extractions and policy.mask is own.mask
        if not shares or policy.layers != own.layers:
            return PolicyReplay(self.name, policy)
        found = PolicyReplay.__new__(PolicyReplay)
        found.name, found.policy, found.program = self.name, policy, Program(policy)
        found.entries, found.failure, found.digest = self.entries, self.failure, self.digest
        found.forgetful = _forgets(policy)
        return found

    def found_keys(self) -> tuple[str, ...]:
        """Return the keys of all that it finds in an iteration."""
        return (*(entry.key for entry in self.entries), self.failure)


def _forgets(policy: CompiledPolicy) -> bool:
    return not (
        policy.lookback
        or policy.derived
        or policy.breaker is not None
        or policy.exit_after_blind is not None
        or any(entry.extractor in COUNTED for entry in policy.extractions)
    )


class Spent:
    """What the iterations of a run used up, and when the last one was."""

    __slots__ = ("_costs", "last_at", "tokens")

    def __init__(self) -> None:
        self._costs = SessionCosts()
        self.tokens: list[int | None] = []
        self.last_at: float | None = None

    @property
    def costs(self) -> tuple[float | None, ...]:
        """USD of each iteration, None where not reported."""
        return self._costs.each()

    def add(self, one: Extracted) -> None:
        """Count an iteration."""
        self._costs.add(one.reported)
        self.tokens.append(one.reported.tokens)
        at = one.ended_at if one.ended_at is not None else one.started_at
        self.last_at = at if at is not None else self.last_at

    def run(self, begin: Begin, end: End, reader: str) -> RecordedRun:
        """Return the run as a whole."""
        costs = self.costs
        cost = total_cost(costs)
        tokens = [count for count in self.tokens if count is not None]
        return RecordedRun(
            begin.id,
            begin.file,
            reader,
            begin.granularity,
            len(costs),
            end.cost if cost is None else cost,
            sum(tokens) if tokens else end.tokens,
            begin.started_at,
            end.ended_at if end.ended_at is not None else self.last_at,
            end.how,
            end.why,
            begin.title,
            begin.parent,
        )


class Decisions:
    """
    The decisions of one policy on one run: up to its first EXIT, or on all iterations.

    Args:
        player: The policy.
        begin: Of the run.
        to_the_end: Go on after an EXIT.
        keep: Keep facts and steps, not only rows.
        detail: Keep a row for each iteration, not only that of the stop.
        gather: Decide nothing, and gather what rules find, to the end of the run.
        facts: Keep the values of the facts of each iteration.
    """

    def __init__(
        self,
        player: PolicyReplay,
        begin: Begin,
        to_the_end: bool,
        keep: bool = False,
        detail: bool = True,
        gather: bool = False,
        facts: bool = False,
    ) -> None:
        self.facts: list[tuple[int, tuple[tuple[str, object], ...]]] | None = [] if facts else None
        self.player = player
        self.begin = begin
        self.to_the_end = to_the_end
        self.keep = keep
        self.detail = detail
        self.stop: IterationRow | None = None
        self.rows: list[IterationRow] = []
        self.decided: list[Decided] = []
        self._walk = Replay(player.policy, begin, player.program)
        self._gathering = Gathering(player.policy) if gather else None

    @property
    def over(self) -> bool:
        """Whether nothing more is decided."""
        return self.stop is not None and not (self.to_the_end and (self.detail or self.keep))

    def take(self, extracted: Extracted) -> None:
        """Decide on the next iteration, unless the policy has said EXIT before."""
        if self._gathering is not None:
            self._gathering.add(self._walk.observe(extracted))
            return
        if self.over:
            return
        decided = self._walk.step(extracted)
        if self.keep:
            self.decided.append(decided)
        if self.facts is not None:
            values = tuple((name, fact.value) for name, fact in decided.facts.items())
            self.facts.append((extracted.index, values))
        stops = decided.decision.verdict == EXIT and self.stop is None
        if not stops and not self.detail:
            return
        row = row_of(self.begin.id, self.player.name, decided)
        self.rows.append(row)
        if stops:
            self.stop = row

    def result(
        self, run: RecordedRun, costs: Sequence[float | None], recorded: Sequence[RecordedIteration] = ()
    ) -> RunResult:
        """Return the result once the run is over."""
        policy = self.player.policy
        return RunResult(
            run, self.player.name, policy.version, tuple(self.rows), self.stop, tuple(costs),
            tuple(self.decided), tuple(recorded), self._gathering.done() if self._gathering else None,
            tuple(self.facts or ()),
        )  # fmt: skip


class Table:
    """
    All policies on one run: each iteration is looked at once for all of them.

    Args:
        players: The policies.
        begin: Of the run.
        to_the_end, keep, detail: As for `Decisions`.
        thorough: Find facts to the end of the run, even if no policy decides on them any more.
        gather, facts: As for `Decisions`.
    """

    def __init__(
        self,
        players: Sequence[PolicyReplay],
        begin: Begin,
        to_the_end: bool,
        keep: bool = False,
        detail: bool = True,
        thorough: bool = False,
        gather: bool = False,
        facts: bool = False,
    ) -> None:
        self.begin = begin
        self.players = players
        self.keep = keep
        self.thorough = thorough
        #: What was found of how things were before the first iteration.
        self.before: Shared = {}
        self._spent = Spent()
        self._recorded: list[RecordedIteration] = []
        self._seats = [
            (
                Extraction(p.policy, begin, p.entries, p.failure),
                Decisions(p, begin, to_the_end, keep, detail, gather, facts),
            )
            for p in players
        ]

    def take(self, one: RecordedIteration) -> tuple[Extracted, Shared]:
        """Extract and decide on the next iteration; return what it used up, and what each entry found."""
        if self.keep:
            self._recorded.append(one)
        shared: Shared = {}
        first: Extracted | None = None
        for extraction, decisions in self._seats:
            wanted = self.thorough or not decisions.over
            extracted = extraction.step(one, shared, self.before) if wanted else extraction.spend(one)
            first = extracted if first is None else first
            decisions.take(extracted)
        assert first is not None, "a table without a policy"
        self._spent.add(first)
        return first, shared

    def results(self, end: End, reader: str) -> tuple[RunResult, ...]:
        """Return a result for each policy once the run is over."""
        run = self._spent.run(self.begin, end, reader)
        return tuple(d.result(run, self._spent.costs, self._recorded) for _, d in self._seats)


def row_of(run: str, policy: str, decided: Decided) -> IterationRow:
    """Return a decision as a row."""
    decision, one = decided.decision, decided.extracted
    return IterationRow(
        run,
        policy,
        one.index,
        decision.verdict,
        decision.exit_class,
        decision.outcome,
        decision.rule,
        decision.stage,
        decision.message,
        decision.firm,
        tuple(f"{a.rule}: {a.verdict} {a.exit_class or ''}".rstrip() for a in decision.alternatives),
        tuple(warned.message for warned in decision.warnings),
        one.reported.cost,
        one.reported.tokens,
        one.started_at,
        one.ended_at,
        one.file,
        one.line,
    )


# What iterations cost, where sessions may tell sums so far.


class SessionCosts:
    """
    USD of the iterations of a run, one after the other.

    Costs that a resumed session reports are what it has cost so far, unless one of them is smaller than one
    before it: then each is taken for itself, also those before. A check sees only what came before.
    """

    __slots__ = ("_shares", "_told")

    def __init__(self) -> None:
        self._shares: list[float | None] = []
        self._told: dict[object, list[tuple[int, float]]] = {}

    def add(self, spent: Reported) -> None:
        """Add the next iteration, as `exitgate.core.state.history.reported` says what it used up."""
        told = None if spent.session is None or spent.cost is None else spent.session.get("cost")
        if spent.session is not None and isinstance(told, int | float):
            self._told.setdefault(spent.session.get("id"), []).append((len(self._shares), float(told)))
        self._shares.append(spent.cost)

    def each(self) -> tuple[float | None, ...]:
        """Return USD of each iteration, None where not reported."""
        costs = list(self._shares)
        for told in self._told.values():
            if any(later < earlier for (_, earlier), (_, later) in pairwise(told)):
                for index, cost in told:
                    costs[index] = cost
        return tuple(costs)


def total_cost(costs: tuple[float | None, ...]) -> float | None:
    """Return the sum of the costs that are reported, None where none is."""
    known = [cost for cost in costs if cost is not None]
    return micro(sum(known)) if known else None


# A dry run that measures itself: extractors and rules of every policy, over all iterations.

#: What is neither extracting nor deciding: transcripts are read, secrets hidden, results gathered.
READ = "read"


def add_rest(timings: Timings, whole: float) -> None:
    """Complete the stages of a dry run that took `whole` seconds."""
    timings.add(STAGE, EXTRACT, timings.seconds(EXTRACTOR))
    timings.add(STAGE, READ, max(0.0, whole - timings.seconds(STAGE)))


class TimedReplay(PolicyReplay):
    """A policy whose extractors and rules are measured; what several policies share is found once."""

    def __init__(self, name: str, policy: CompiledPolicy, timings: Timings) -> None:
        super().__init__(name, policy)
        self.program = _WalkedProgram(policy, timings)
        self.entries = tuple(TimedEntry(entry, timings) for entry in self.entries)


class _WalkedProgram(TimedProgram):
    """Computed facts and decisions are one stage."""

    def derive(
        self,
        records: Records,
        before: Remembered | None = None,
        ended: bool = True,
        given: Collection[str] = (),
        whole: bool = False,
        only: Collection[str] | None = None,
    ) -> dict[str, Fact]:
        begun = perf_counter()
        found = super().derive(records, before, ended, given, whole, only)
        self.timings.add(STAGE, DECIDE, perf_counter() - begun)
        return found

    def decide(
        self,
        records: Records,
        stage: str = AFTER,
        notes: Sequence[Warned] = (),
        silent: int = 0,
        moment: float | None = None,
    ) -> LazyDecision:
        begun = perf_counter()
        decision = super().decide(records, stage, notes, silent, moment)
        self.timings.add(STAGE, DECIDE, perf_counter() - begun)
        return decision


class TimedEntry(Entry):
    """An entry whose extractor is measured."""

    __slots__ = ("timings",)

    def __init__(self, entry: Entry, timings: Timings) -> None:
        super().__init__(entry.key, entry.extraction, entry.compares, entry.early)
        self.timings = timings

    @property
    def module(self) -> Extractor:
        """Its extractor, measured."""
        return _TimedExtractor(super().module, self.timings, self.extraction.extractor)


class _TimedExtractor:
    def __init__(self, module: Extractor, timings: Timings, id: str) -> None:
        self.NAME, self.SOURCE, self.OPTIONS = module.NAME, module.SOURCE, module.OPTIONS
        self._module = module
        self._timings = timings
        self._id = id

    def specs(self, options: JsonObject) -> tuple[FactSpec, ...]:
        return self._module.specs(options)

    def extract(
        self, prefix: str, source: str, options: JsonObject, iteration: Iteration
    ) -> tuple[Fact, ...]:
        begun = perf_counter()
        facts = self._module.extract(prefix, source, options, iteration)
        self._timings.add(EXTRACTOR, name_of(prefix, self._id), perf_counter() - begun)
        return facts
