"""What the next iteration can bring: the same again, and what would have to be true for something else."""

from __future__ import annotations

from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.search import LIMITS, smallest_changes
from exitgate.analysis.counterfactuals.search_space import SearchSpace
from exitgate.analysis.results.counterfactual import NONE, Ahead
from exitgate.core.engine.record import Record
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.value import Unknown, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.analysis.counterfactuals.search import Limits
    from exitgate.core.engine.breaker import BreakerState
    from exitgate.core.model.decision import Decision


#: Iterations with the same facts that are looked at.
LOOKED_AT = 60
ITERATIONS, FAILURES = "run.iterations", "run.failures_in_row"
#: What a run has used up: it grows by what the last iteration took, and never shrinks.
GROWING = ("run.cost", "run.tokens", "run.elapsed", "clock.elapsed")
#: What all runs of the day have used up: it grows by what this run does.
OF_DAY = ("day.cost", "day.tokens", "day.iterations", "day.elapsed")
#: What the next iteration cannot choose: counters of the run, and what makes it another stage.
FIXED = frozenset((
    ITERATIONS, FAILURES, "run.failed", "run.interrupted", "run.agent_exit", "clock.since_last",
))  # fmt: skip


def forecast(
    played: LastIteration, last: Record, limits: Limits = LIMITS, enough: int | None = None
) -> Ahead:
    """
    Return what can come after an iteration whose run continues.

    Args:
        played: The policy, the iterations before it, the stages asked; its breaker is the one before.
        last: The iteration's whole record.
        limits: Of the search for what the next one has to show.
        enough: So many results are wanted, those that take the fewest facts; None for all, and for what takes
            no change of facts.

    The next one counts as the same again where it shows the same facts; what the run has used up
    grows by what the last iteration took. Where a policy keeps its own breaker, it moves with the facts;
    no time passes for it.
    """
    run = _Run(played, last)
    first = run.step()
    space = SearchSpace(
        run.before, run.base, FIXED, {n: v for n in (*GROWING, *OF_DAY) if (v := last.get(n)) is not None}
    )
    # where the run ends with the same facts, it matters whether any others would let it go on
    turns = smallest_changes(space, limits, enough if first.verdict == CONTINUE else None)
    going = next((one for one in turns if one.result[0] == CONTINUE), None)
    bound = first.verdict == EXIT and going is not None and going.status == NONE
    after, end = 1, first
    while end.verdict != EXIT and after < LOOKED_AT:
        after, end = after + 1, run.step()
    ends = end.verdict == EXIT
    return Ahead(first, after if ends else None, end if ends else None, turns, bound)


class _Run:
    """A run in which every iteration shows the same facts; `before` and `base` are of the newest one."""

    def __init__(self, played: LastIteration, last: Record) -> None:
        policy = played.policy
        self._need = max(policy.lookback, policy.exit_after_blind or 0) + 1
        self._program = played.program
        self._stages = played.stages
        self._last = last
        self._step = _grown(last, played.earlier[-1] if played.earlier else None)
        self._records: tuple[Mapping[str, object], ...] = (*played.earlier, last)
        self._breaker: BreakerState | None = played.breaker
        self.base = last
        self.before = played

    def step(self) -> Decision:
        """Go on by one iteration and return its decision."""
        self.before = LastIteration(self._program, self._records, self._stages, self._breaker)
        self.base = _next(self.base, self._step)
        behind = self.before.behind(self.base)
        if self.before.breaker is not None:
            self._breaker = behind.breaker
        self._records = (*self._records, behind.record)[-self._need :]
        return self.before.decide(behind.record)


def _next(record: Record, step: Mapping[str, float]) -> Record:
    """Return the record of one more iteration with the same facts."""
    values = dict(record)
    for name, by in step.items():
        values[name] = values[name] + by  # type: ignore[operator]
    if record.get("run.failed") is True and isinstance(record.get(FAILURES), int):
        values[FAILURES] = record[FAILURES] + 1  # type: ignore[operator]
    return Record(values, record.stand_ins, record.remembered)


def _grown(last: Record, before: Mapping[str, object] | None) -> Mapping[str, float]:
    """Return by how much each counter of the run grew in the last iteration."""
    step: dict[str, float] = {ITERATIONS: 1} if isinstance(last.get(ITERATIONS), int) else {}
    for name in GROWING:
        now = last.get(name)
        then = before.get(name) if before is not None else 0
        if is_number(now) and (is_number(then) or isinstance(then, Unknown)):
            start = then if is_number(then) else now
            step[name] = max(0, now - start)
    for name in OF_DAY:
        own = f"run.{name.removeprefix('day.')}"
        then = before.get(name) if before is not None else None
        if not is_number(last.get(name)):
            continue
        if own in step:
            step[name] = step[own]
        elif is_number(then):
            step[name] = max(0, last[name] - then)  # type: ignore[operator]
    return step
