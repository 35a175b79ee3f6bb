"""A check that measures itself: by stage, extractor and rule. It decides and records as any other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from exitgate.core.engine.chain import RuleChain
from exitgate.core.engine.program import Program
from exitgate.core.gate.check import Steps, check
from exitgate.core.gate.decision import CheckResult, decide
from exitgate.core.gate.extract import facts_of
from exitgate.core.gate.observation import observe, read
from exitgate.core.gate.settings import policy_of
from exitgate.core.model.decision import STAGES
from exitgate.core.model.fact import Fact, Iteration
from exitgate.core.observe.sources import keeps
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.request import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    Records = Sequence[Mapping[str, object]]
    P = ParamSpec("P")
    T = TypeVar("T")


#: Stages of a check: settings and policy, sources, facts, rules, the ledger with its lock.
LOAD, OBSERVE, EXTRACT, DECIDE, RECORD = "load", "observe", "extract", "decide", "record"


def timed_check(request: Request, timings: Timings) -> CheckResult:
    """
    Return what `check` returns, and count in `timings` what each part took; raises as `check` does.

    What is neither loading, observing, extracting nor deciding is `record`: reading and writing the ledger.
    """
    begun = perf_counter()
    policy = policy_of(request)
    timings.add(STAGE, LOAD, perf_counter() - begun)

    begun = perf_counter()
    checked = check(request.but(program=TimedProgram(policy, timings)), TimedSteps(timings))
    whole = perf_counter() - begun
    inner = sum(timings.seconds(STAGE, stage) for stage in (OBSERVE, EXTRACT, DECIDE))
    timings.add(STAGE, RECORD, max(0.0, whole - inner))
    return checked


class TimedSteps(Steps):
    """
    The steps of a check, measured; where all is looked at again, they count again.

    Args:
        timings: Where the seconds are added up.
    """

    def __init__(self, timings: Timings) -> None:
        self.read = self._measured(OBSERVE, read)
        self.observe = self._measured(OBSERVE, observe)
        self.decide = self._measured(DECIDE, decide)
        self.extract = self._extract
        self._timings = timings

    def _measured(self, stage: str, step: Callable[P, T]) -> Callable[P, T]:
        def measured(*args: P.args, **options: P.kwargs) -> T:
            begun = perf_counter()
            try:
                return step(*args, **options)
            finally:
                self._timings.add(STAGE, stage, perf_counter() - begun)

        return measured

    def _extract(
        self,
        policy: CompiledPolicy,
        iteration: Iteration,
        compared: Iteration | None = None,
        faults: list[str] | None = None,
    ) -> dict[str, Fact]:
        found: dict[str, Fact] = {}
        begun = perf_counter()
        for entry in policy.extractions:
            if keeps(policy, entry):
                continue
            one = perf_counter()
            facts = facts_of(entry, iteration, compared, faults)
            self._timings.add(EXTRACTOR, name_of(entry.prefix, entry.extractor), perf_counter() - one)
            found.update((fact.name, fact) for fact in facts)
        self._timings.add(STAGE, EXTRACT, perf_counter() - begun)
        return found


def name_of(prefix: str, extractor: str) -> str:
    """Return what an extraction is called: its name in the policy, with its extractor where that differs."""
    return prefix if prefix == extractor else f"{prefix} ({extractor})"


# Where the time goes: a policy's program that measures itself.
#
# Nothing here is loaded unless it is asked for. A rule is measured each time it is asked, by the closure
# that a single check runs, also where many decisions would be made by one generated function.

STAGE, EXTRACTOR, RULE = "stage", "extractor", "rule"
#: In the order in which they are shown.
KINDS = (STAGE, EXTRACTOR, RULE)


class Timings:
    """Seconds that were spent, by kind and name, and how often."""

    def __init__(self) -> None:
        self._spent: dict[tuple[str, str], tuple[int, float]] = {}

    def add(self, kind: str, name: str, seconds: float) -> None:
        """Count `seconds`, at least 0, spent once more on a stage, an extractor or a rule."""
        count, before = self._spent.get((kind, name), (0, 0.0))
        self._spent[kind, name] = count + 1, before + seconds

    def seconds(self, kind: str, name: str = "") -> float:
        """Return what was spent on one name, or on all of a kind."""
        return sum(
            spent for key, (_, spent) in self._spent.items() if key[0] == kind and name in ("", key[1])
        )

    def rows(self, kind: str) -> list[tuple[str, int, float]]:
        """Return name, times and seconds: stages as they came, others the costliest first."""
        found = [(name, *spent) for (of, name), spent in self._spent.items() if of == kind]
        return found if kind == STAGE else sorted(found, key=lambda row: (-row[2], row[0]))


class TimedRuleChain(RuleChain):
    """Rules of one stage, each measured."""

    def __init__(self, policy: CompiledPolicy, stage: str, timings: Timings) -> None:
        super().__init__(policy, stage)
        self._measured = tuple(
            _measured(test, clause.rule.id, timings)
            for test, clause in zip(self._tests, self.clauses, strict=True)
        )

    def truths(self, records: Records) -> tuple[object, ...]:
        """Return the truth of every rule, each asked by itself."""
        return tuple(test(records) for test in self._measured)

    def _until_true(self, records: Records) -> tuple[object, ...]:
        found: list[object] = []
        for test in self._measured:
            found.append(test(records))
            if found[-1] is True:
                break
        return tuple(found)


def _measured(test: Callable[[Records], object], rule: str, timings: Timings) -> Callable[[Records], object]:
    def measured(records: Records) -> object:
        begun = perf_counter()
        truth = test(records)
        timings.add(RULE, rule, perf_counter() - begun)
        return truth

    return measured


class TimedProgram(Program):
    """A program whose rules are measured; it decides as `Program` does."""

    def __init__(self, policy: CompiledPolicy, timings: Timings) -> None:
        super().__init__(policy)
        self.timings = timings

    def _ladder(self, stage: str) -> RuleChain:
        if stage not in self._ladders and stage in STAGES:
            self._ladders[stage] = TimedRuleChain(self.policy, stage, self.timings)
        return super()._ladder(stage)
