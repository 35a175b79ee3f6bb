"""A check that measures itself: by stage, extractor and rule. It decides and records as any other."""

from __future__ import annotations

from time import perf_counter

from exitgate.engine.timed import EXTRACTOR, STAGE, TimedProgram, Timings
from exitgate.gate.check import OneCheck, check
from exitgate.gate.extract import facts_of
from exitgate.gate.settings import policy_of
from exitgate.gate.sources import keeps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.gate.breaker import Stored
    from exitgate.gate.checked import Checked
    from exitgate.gate.history import History
    from exitgate.gate.request import Request
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Iteration, Source
    from exitgate.policy.compiled import CompiledPolicy

#: Stages of a check: settings and policy, sources, facts, rules, the ledger with its lock.
LOAD, OBSERVE, EXTRACT, DECIDE, RECORD = "load", "observe", "extract", "decide", "record"


def timed_check(request: Request, timings: Timings) -> Checked:
    """
    Return what `check` returns, and count in `timings` what each part took; raises as `check` does.

    What is neither loading, observing, extracting nor deciding is `record`: reading and writing the ledger.
    """
    begun = perf_counter()
    policy = policy_of(request)
    timings.add(STAGE, LOAD, perf_counter() - begun)

    class Timed(_TimedCheck):
        own = timings

    begun = perf_counter()
    checked = check(request.but(program=TimedProgram(policy, timings)), Timed)
    whole = perf_counter() - begun
    inner = sum(timings.seconds(STAGE, stage) for stage in (OBSERVE, EXTRACT, DECIDE))
    timings.add(STAGE, RECORD, max(0.0, whole - inner))
    return checked


class _TimedCheck(OneCheck):
    """One check under way, its stages measured; where all is looked at again, they count again."""

    own: Timings

    def __init__(
        self,
        request: Request,
        policy: CompiledPolicy,
        given: Mapping[str, Fact],
        history: History,
        now: float,
        breaker: Stored,
        heard: dict[str, Source] | None = None,
        tracked: bool = False,
    ) -> None:
        begun = perf_counter()
        super().__init__(request, policy, given, history, now, breaker, heard, tracked)
        self._read = perf_counter() - begun
        self._apart = 0.0

    def checked(self, ledger_notes: Sequence[str]) -> Checked:
        begun = perf_counter()
        checked = super().checked(ledger_notes)
        self.own.add(STAGE, DECIDE, max(0.0, perf_counter() - begun - self._apart))
        return checked

    def _observe(self) -> tuple[Iteration, tuple[str, ...]]:
        begun = perf_counter()
        seen = super()._observe()
        took = perf_counter() - begun
        self.own.add(STAGE, OBSERVE, self._read + took)
        self._apart += took
        return seen

    def _extract(
        self, iteration: Iteration, compared: Iteration | None, failed: list[str]
    ) -> dict[str, Fact]:
        found: dict[str, Fact] = {}
        begun = perf_counter()
        for entry in self.policy.extractions:
            if keeps(self.policy, entry):
                continue
            one = perf_counter()
            facts = facts_of(entry, iteration, compared, failed)
            self.own.add(EXTRACTOR, name_of(entry.prefix, entry.extractor), perf_counter() - one)
            found.update((fact.name, fact) for fact in facts)
        took = perf_counter() - begun
        self.own.add(STAGE, EXTRACT, took)
        self._apart += took
        return found


def name_of(prefix: str, extractor: str) -> str:
    """Return what an extraction is called: its name in the policy, with its extractor where that differs."""
    return prefix if prefix == extractor else f"{prefix} ({extractor})"
