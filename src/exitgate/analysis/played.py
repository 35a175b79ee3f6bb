"""A series of inputs played on the engine as a loop would: every stage, the breaker, the counters."""

from __future__ import annotations

from copy import copy

from exitgate.analysis.space.stand_ins import stood_in
from exitgate.analysis.walk.bench import program_of
from exitgate.analysis.walk.first import (
    AFTER,
    BEFORE,
    FAILURE,
    FAILURES,
    INTERRUPTED,
    ITERATIONS,
    SUSPENDING,
    has_failed,
)
from exitgate.analysis.walk.read_by import reads
from exitgate.engine.breaker_state import BreakerState
from exitgate.engine.record import FAILED, Record
from exitgate.engine.settle import Before, settle
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.signals import Remembered
    from exitgate.model.decision import Decision
    from exitgate.policy.compiled import CompiledPolicy

#: What is asked after an iteration, in order.
STAGES = AFTER, BEFORE
#: Facts of the run.
RUN = FAILED.partition(".")[0]
#: Seconds between two iterations.
STEP = 60.0


class Play:
    """
    A run of a policy as the engine sees it, iteration after iteration.

    Args:
        policy: The policy.
        counted: Whether the count of iterations is known where the policy reads it.

    The policy's own breaker begins CLOSED; `STEP` seconds pass from one iteration to the next.
    """

    def __init__(self, policy: CompiledPolicy, counted: bool = True) -> None:
        self.policy = policy
        self.breaker = BreakerState()
        self.records: tuple[Record, ...] = ()
        self._program = program_of(policy)
        self._counted = counted and ITERATIONS in policy.facts
        self._reach = max(policy.lookback, policy.exit_after_blind or 0) + 1
        self._remembered: Remembered | None = None
        self._begins: bool = any(rule.stage == BEFORE for rule in policy.rules)
        #: Whether a record says that the agent failed: an iteration of which it does is not blind.
        self._tells = any(extraction.prefix == RUN for extraction in policy.extractions)
        self._counts_failures = counted and reads(policy, FAILURES)
        #: For each of `records`, whether the agent failed in it.
        self.failed: tuple[bool, ...] = ()
        self._row: int | None = None

    def copy(self) -> Play:
        """Return the same run, to go on with apart from this one."""
        return copy(self)  # what it holds is replaced, never changed

    def step(self, given: Mapping[str, object], number: int, ended: bool = True) -> Record:
        """
        Add an iteration, and return its record with what follows from its facts.

        Args:
            given: Its facts; those that are not known are left out or unknown.
            number: Its number.
            ended: False for a look before the next iteration: progress is unknown, and only time moves
                the breaker.
        """
        failed = has_failed(given)
        said = {n: v for n, v in given.items() if n != FAILED or self._tells}
        if failed and self._tells:
            said[FAILED] = True
        self._row = self._row_after(given)
        if self._counts_failures and self._row is not None:
            said[FAILURES] = self._row
        [standing] = stood_in(self.policy, [said])
        values = dict(standing)
        if self._counted:
            values[ITERATIONS] = number
        record = Record(values, getattr(standing, "stand_ins", frozenset()))
        whole = self._remembered is not None
        latest = self._latest()
        apart = max(0, min(len(latest), self.breaker.since - (number - len(latest))))
        before = Before(latest, self._remembered, self.breaker, apart, mark=number, whole=whole)
        settled = settle(self._program, record, before, STEP * number, ended=ended)
        self.breaker = settled.breaker
        self.records = (*self.records, settled.record)
        self.failed = (*self.failed, failed)
        self._remembered = _seen(self.policy, self._remembered, settled.record)
        return settled.record

    def _row_after(self, given: Mapping[str, object]) -> int | None:
        """Return the failures in a row as a check counts them; None where none ever said."""
        if given.get(INTERRUPTED) is True:
            return self._row or 0
        if has_failed(given):
            return (self._row or 0) + 1
        return 0 if given.get(FAILED) is False else self._row

    def follows(self, given: Mapping[str, object]) -> bool:
        """Return whether failures in a row that `given` names are as many as there are then."""
        row = given.get(FAILURES)
        return not isinstance(row, int) or row == self._row_after(given)

    def unseen(self) -> Play:
        """Return the run without the record of its last iteration: a look takes its place."""
        found = self.copy()
        found.records, found.failed = self.records[:-1], self.failed[:-1]
        return found

    def forget(self) -> None:
        """Drop the records of iterations that no condition reads any more."""
        self.records = self._latest()
        self.failed = self.failed[-len(self.records) :]

    def goes_on(self, stage: str) -> bool:
        """Return whether `stage` decides CONTINUE on the iteration added last."""
        return self._program.decide(self._latest(), stage).verdict == CONTINUE

    def end(self) -> Decision | None:
        """
        Return the decision by which the stages after its last iteration end the run, or None.

        An exit that suspends the run is the last one asked for.
        """
        for stage in (self.stage_after(), BEFORE) if self._begins else (self.stage_after(),):
            decision = self._program.decide(self._latest(), stage)
            if decision.verdict != CONTINUE:
                return None if decision.exit_class in SUSPENDING else decision
        return None

    def stage_after(self) -> str:
        """Return the stage that is asked at the end of the last iteration."""
        return FAILURE if self.failed[-1] else AFTER

    def _latest(self) -> tuple[Record, ...]:
        return self.records[-self._reach :]


def iterations_played(policy: CompiledPolicy, run: Iterable[Mapping[str, object]], after: str = AFTER) -> int:
    """
    Return how many iterations of `run` are decided CONTINUE before the first EXIT; all of them if none is.

    The count of iterations is the real one, and the policy's own breaker begins CLOSED and moves. With
    `after_failure` as the stage `after` each iteration, the agent fails in all of them.
    """
    play = Play(policy)
    asked = [
        stage for stage in (after, BEFORE) if stage == after or any(r.stage == stage for r in policy.rules)
    ]
    for number, given in enumerate(run, 1):
        failing = {FAILED: True, FAILURES: number} if after == FAILURE else {}
        play.step({**given, **{name: v for name, v in failing.items() if name in policy.facts}}, number)
        if not all(play.goes_on(stage) for stage in asked):
            return number - 1
    return len(play.records)


def _seen(policy: CompiledPolicy, before: Remembered | None, record: Record) -> Remembered | None:
    """Return what the run has seen of the signals of progress once `record` was seen, too."""
    from exitgate.facts.signals import Remembered, Signal

    signals = [
        Signal(name, moves)
        for fact in policy.derived
        for name, moves in zip(fact.signals, fact.moves, strict=True)
    ]
    if not signals:
        return None
    return (before or Remembered()).after(signals, record)
