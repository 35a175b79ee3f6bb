"""A dry run that measures itself: extractors and rules of every policy, over all iterations."""

from __future__ import annotations

from time import perf_counter

from exitgate.dryrun.entries import Entry
from exitgate.dryrun.players import Player
from exitgate.engine.stages import AFTER
from exitgate.engine.timed import EXTRACTOR, STAGE, TimedProgram, Timings
from exitgate.gate.timed import DECIDE, EXTRACT, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.engine.live import LiveDecision
    from exitgate.facts.registry import Extractor
    from exitgate.facts.signals import Remembered
    from exitgate.model.decision import Warned
    from exitgate.model.evidence import Fact
    from exitgate.model.fact_spec import FactSpec
    from exitgate.model.iteration import Iteration
    from exitgate.policy.compiled import CompiledPolicy

    Records = Sequence[Mapping[str, object]]


#: What is neither extracting nor deciding: transcripts are read, secrets hidden, results gathered.
READ = "read"


def add_rest(timings: Timings, whole: float) -> None:
    """Complete the stages of a dry run that took `whole` seconds."""
    timings.add(STAGE, EXTRACT, timings.seconds(EXTRACTOR))
    timings.add(STAGE, READ, max(0.0, whole - timings.seconds(STAGE)))


class TimedPlayer(Player):
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
    ) -> dict[str, Fact]:
        begun = perf_counter()
        found = super().derive(records, before, ended, given, whole)
        self.timings.add(STAGE, DECIDE, perf_counter() - begun)
        return found

    def decide(
        self,
        records: Records,
        stage: str = AFTER,
        notes: Sequence[Warned] = (),
        silent: int = 0,
        moment: float | None = None,
    ) -> LiveDecision:
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

    def specs(self, options: Mapping[str, object]) -> tuple[FactSpec, ...]:
        return self._module.specs(options)

    def extract(
        self, prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
    ) -> tuple[Fact, ...]:
        begun = perf_counter()
        facts = self._module.extract(prefix, source, options, iteration)
        self._timings.add(EXTRACTOR, name_of(prefix, self._id), perf_counter() - begun)
        return facts
