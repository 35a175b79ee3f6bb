"""A series of inputs played on the engine as a loop would: every stage, the breaker, the counters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from exitgate.analysis.space.counters import (
    AFTER,
    BEFORE,
    FAILURE,
    ITERATIONS,
    SUSPENDING,
    has_failed,
    is_interrupted,
)
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.endings import FAILURES
from exitgate.analysis.space.reads import reads
from exitgate.analysis.walk.chain import certainly_goes_on
from exitgate.analysis.walk.query_cache import program_of
from exitgate.core.engine.breaker import HALF_OPEN, OPEN, BreakerState
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.record import FAILED, Record
from exitgate.core.model.decision import CONTINUE, Decision
from exitgate.core.policy.compiled import CompiledPolicy

Values = Mapping[str, object]


#: What is asked after an iteration, in order.
STAGES = AFTER, BEFORE
#: Facts of the run.
RUN = FAILED.partition(".")[0]
#: Seconds between two iterations.
STEP = 60.0


class Simulation:
    """
    A run of a policy as the engine sees it, iteration after iteration.

    Args:
        policy: The policy.
        counted: Whether the count of iterations is known where the policy reads it.

    The policy's own breaker begins CLOSED; `STEP` seconds pass from one iteration to the next.
    """

    def __init__(self, policy: CompiledPolicy, counted: bool = True) -> None:
        self.policy = policy
        self.records: tuple[Record, ...] = ()
        self._evaluation = Evaluation(program_of(policy))
        self._counted = counted and ITERATIONS in policy.facts
        self._begins = _asks_before(IdentityKey(policy))
        #: Whether a record says that the agent failed: an iteration of which it does is not blind.
        self._tells = any(extraction.prefix == RUN for extraction in policy.extractions)
        self._counts_failures = counted and reads(policy, FAILURES)
        #: For each of `records`, whether the agent failed in it.
        self.failed: tuple[bool, ...] = ()
        self._row: int | None = None

    def copy(self) -> Simulation:
        """Return the same run, to go on with apart from this one."""
        other = Simulation.__new__(Simulation)
        other.__dict__.update(self.__dict__)  # all else that it holds is replaced, never changed
        other._evaluation = self._evaluation.copy()
        return other

    @property
    def breaker(self) -> BreakerState:
        """State of the policy's own breaker before the next iteration."""
        return self._evaluation.before.breaker

    @breaker.setter
    def breaker(self, state: BreakerState) -> None:
        self._evaluation.set_breaker(state)

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
        [standing] = with_stand_ins(self.policy, [said])
        values = dict(standing)
        if self._counted:
            values[ITERATIONS] = number
        record = Record(values, getattr(standing, "stand_ins", frozenset()))
        observed = self._evaluation.observe(record, STEP * number, ended=ended)
        self.records = (*self.records, observed.record)
        self.failed = (*self.failed, failed)
        return observed.record

    def _row_after(self, given: Mapping[str, object]) -> int | None:
        """Return the failures in a row as a check counts them; None where none ever said."""
        if is_interrupted(given):
            return self._row or 0
        if has_failed(given):
            return (self._row or 0) + 1
        return 0 if given.get(FAILED) is False else self._row

    def follows(self, given: Mapping[str, object]) -> bool:
        """Return whether failures in a row that `given` names are as many as there are then."""
        row = given.get(FAILURES)
        return not isinstance(row, int) or row == self._row_after(given)

    def unseen(self) -> Simulation:
        """Return the run without the record of its last iteration: a look takes its place."""
        found = self.copy()
        found.records, found.failed = self.records[:-1], self.failed[:-1]
        found._evaluation = self._evaluation.looking()
        return found

    def forget(self) -> None:
        """Drop the records of iterations that no condition reads any more."""
        self.records = self.records[-len(self._evaluation.records) :]
        self.failed = self.failed[-len(self.records) :]

    def goes_on(self, stage: str) -> bool:
        """Return whether `stage` decides CONTINUE on the iteration added last."""
        program, records = self._evaluation.program, self._evaluation.records
        goes_on = certainly_goes_on(program, records, stage)
        return goes_on or self._evaluation.decide((stage,)).verdict == CONTINUE

    def end(self) -> Decision | None:
        """
        Return the decision by which the stages after its last iteration end the run, or None.

        An exit that suspends the run is the last one asked for.
        """
        program, records = self._evaluation.program, self._evaluation.records
        for stage in (self.stage_after(), BEFORE):
            if (stage == BEFORE and not self._begins) or certainly_goes_on(program, records, stage):
                continue
            decision = self._evaluation.decide((stage,))
            if decision.verdict != CONTINUE:
                return None if decision.exit_class in SUSPENDING else decision
        return None

    def stage_after(self) -> str:
        """Return the stage that is asked at the end of the last iteration."""
        return FAILURE if self.failed[-1] else AFTER


@lru_cache(maxsize=8)
def _asks_before(policy: IdentityKey) -> bool:
    return any(rule.stage == BEFORE for rule in policy.held[0].rules)  # type: ignore[attr-defined]


def iterations_simulated(
    policy: CompiledPolicy, run: Iterable[Mapping[str, object]], after: str = AFTER
) -> int:
    """
    Return how many iterations of `run` are decided CONTINUE before the first EXIT; all of them if none is.

    The count of iterations is the real one, and the policy's own breaker begins CLOSED and moves. With
    `after_failure` as the stage `after` each iteration, the agent fails in all of them.
    """
    play = Simulation(policy)
    asked = [
        stage for stage in (after, BEFORE) if stage == after or any(r.stage == stage for r in policy.rules)
    ]
    for number, given in enumerate(run, 1):
        failing = {FAILED: True, FAILURES: number} if after == FAILURE else {}
        play.step({**given, **{name: v for name, v in failing.items() if name in policy.facts}}, number)
        if not all(play.goes_on(stage) for stage in asked):
            return number - 1
    return len(play.records)


# Runs of facts with the values that a policy puts instead of unknown ones.


def with_stand_ins(
    policy: CompiledPolicy, run: Sequence[Mapping[str, object]]
) -> Sequence[Mapping[str, object]]:
    """Return the run with `unreadable:` values for facts it lacks: they are known, but were not read."""
    if not policy.unreadable:
        return run
    return [
        Record({**policy.unreadable, **values}, frozenset(policy.unreadable.keys() - values.keys()))
        for values in run
    ]


# One more iteration in all plays of a run, and what may have happened to a breaker before it.

STATE, REASON = "circuit.state", "circuit.reason"
#: How a breaker is before an iteration: as it was, after its cooldown, opened by another run, and so on.
LEFT, WAITED, OPENED, RESET, WATCHING = "left", "waited", "opened", "reset", "watching"


def stepped(
    plays: tuple[Simulation, ...],
    values: Values,
    number: int,
    *,
    begins: bool,
    last: bool = False,
    ended: bool = True,
) -> tuple[Simulation, ...] | None:
    """
    Return the plays after one more iteration, the breaker as `values` say; None where it cannot be.

    Args:
        plays: They stay as they are.
        values: The facts of the iteration.
        number: Its number.
        begins: Whether the run begins with it: the breaker can be in any state before it.
        last: Whether it is the last one: another run may have opened the breaker before it.
        ended: False for a look before the next iteration.
    """
    if not all(play.follows(values) for play in plays):
        return None
    wanted = values.get(STATE)
    keepers = [play for play in plays if play.policy.breaker is not None]
    if not keepers or wanted is None:
        moved = tuple(play.copy() for play in plays)
        for play in moved:
            play.step(values, number, ended)
        return moved
    reason = values.get(REASON)
    why = reason if isinstance(reason, str) else "opened"
    for way in _ways(wanted, begins, last):
        tried = tuple(play.copy() for play in plays)
        if not all(_is_set(play, way, why, number) for play in tried if play.policy.breaker is not None):
            continue
        records = [play.step(values, number, ended) for play in tried]
        if all(r.get(STATE) == wanted for p, r in zip(tried, records, strict=True) if p.policy.breaker):
            return tried
    return None


def _ways(wanted: object, begins: bool, last: bool) -> tuple[str, ...]:
    """Return what may have happened to a breaker before an iteration after which it is `wanted`."""
    if wanted == OPEN:
        return (LEFT, OPENED) if begins or last else (LEFT,)
    if wanted == HALF_OPEN:
        return (LEFT, WAITED, RESET, WATCHING) if begins else (LEFT, WAITED, RESET)
    return (LEFT, RESET, WATCHING) if begins else (LEFT, RESET)


def _is_set(play: Simulation, way: str, why: str, number: int) -> bool:
    """Set the breaker of a play to what `way` makes of it; return False where it cannot."""
    cooldown = play.policy.breaker.cooldown if play.policy.breaker is not None else None
    now = STEP * number
    if way == OPENED:
        play.breaker = play.breaker.opened(why, now)
    elif way == RESET:
        play.breaker = play.breaker.closed(number)
    elif way == WATCHING:
        play.breaker = BreakerState(HALF_OPEN, why)
    elif way == WAITED:
        is_open = play.breaker.state == OPEN and not play.breaker.by_hand
        if cooldown is None or not (is_open or not play.records):
            return False
        since = now - cooldown
        play.breaker = BreakerState(OPEN, why, since, since)
    return True
