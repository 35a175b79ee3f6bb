"""A series of inputs played on the engine as a loop would: every stage, the breaker, the counters."""

from __future__ import annotations

from exitgate.analysis.prove.budgets import AFTER, BEFORE, FAILURE, ITERATIONS
from exitgate.analysis.space.stand_ins import stood_in
from exitgate.engine.breaker_state import BreakerState
from exitgate.engine.program import Program
from exitgate.engine.record import FAILED, Record
from exitgate.engine.settle import Before, settle
from exitgate.model.verdict import CONTINUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.signals import Remembered
    from exitgate.policy.compiled import CompiledPolicy

#: What is asked after an iteration, in order.
STAGES = AFTER, BEFORE
#: How many iterations in a row have failed.
FAILURES = "run.failures_in_row"
#: Seconds between two iterations.
STEP = 60.0


def iterations_played(policy: CompiledPolicy, run: Iterable[Mapping[str, object]], after: str = AFTER) -> int:
    """
    Return how many iterations of `run` are decided CONTINUE before the first EXIT; all of them if none is.

    The count of iterations is the real one, and the policy's own breaker begins CLOSED and moves. With
    `after_failure` as the stage `after` each iteration, the agent fails in all of them.
    """
    program = Program(policy)
    with_rules = {rule.stage for rule in policy.rules}
    breaker = BreakerState()
    records: list[Record] = []
    reach = max(policy.lookback, policy.exit_after_blind or 0) + 1
    remembered: Remembered | None = None
    for number, given in enumerate(run, 1):
        [standing] = stood_in(policy, [given])
        values = dict(standing)
        if ITERATIONS in policy.facts:
            values[ITERATIONS] = number
        if after == FAILURE:
            failing = {FAILED: True, FAILURES: number}
            values |= {name: value for name, value in failing.items() if name in policy.facts}
        before = Before(
            tuple(records[-reach:]), remembered, breaker, mark=number, whole=remembered is not None
        )
        record = Record(values, getattr(standing, "stand_ins", frozenset()))
        settled = settle(program, record, before, STEP * number)
        breaker = settled.breaker
        records.append(settled.record)
        remembered = _seen(policy, remembered, settled.record)
        for stage in (after, BEFORE):
            if stage == after or stage in with_rules:
                decision = program.decide(tuple(records[-reach:]), stage)
                if decision.verdict != CONTINUE:
                    return number - 1
    return len(records)


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
