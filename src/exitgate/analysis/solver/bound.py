"""The longest run without an exit under assumptions, and rounds that go on for ever, by z3."""

from __future__ import annotations

from time import monotonic

import z3

from exitgate.analysis.played import STAGES, iterations_played
from exitgate.analysis.prove.budgets import ITERATIONS
from exitgate.analysis.prove.cycle import NO_ROUND, holds
from exitgate.analysis.solver.model import Reading
from exitgate.analysis.solver.unrolled import Unrolled
from exitgate.analysis.solver.world import TooLateError
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.reach import reach
from exitgate.analysis.space.ties import consistent
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.search import Limits
from exitgate.model.answer import REFUTED, UNDECIDED, Answer, proved, refuted, undecided
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]

LIMITS = Limits()
#: Longest run that is looked for.
MOST = 60
#: Rounds that the engine must go through, and iterations at most.
ROUNDS, LONGEST = 3, 2000


class Longest(Value):
    """
    The longest run without an exit.

    Args:
        iterations: Of the longest one that the engine has confirmed.
        answer: To the claim that there is none longer; REFUTED where the longest that is looked for is
            possible, too.
        run: The longest one; None where not even one iteration was found.
    """

    __slots__ = ("answer", "iterations", "run")

    def __init__(self, iterations: int, answer: Answer, run: Run | None) -> None:
        self.iterations = iterations
        self.answer = answer
        self.run = run


def of_length(
    policy: CompiledPolicy, assumed: Sequence[Node], length: int, limits: Limits = LIMITS
) -> Answer:
    """Return a run of `length` iterations from the first on in which none exits and all are as assumed."""
    until = monotonic() + limits.seconds

    def goes_on(run: Run) -> bool:
        return iterations_played(policy, run) == length and _is_as_assumed(policy, assumed, run)

    try:
        answer = _asked(Unrolled(policy, assumed, length, until), goes_on, until)
    except TooLateError:
        return undecided(f"not decided within {limits.seconds:g} s")
    return answer


def longest(
    policy: CompiledPolicy, assumed: Sequence[Node] = (), limits: Limits = LIMITS, most: int = MOST
) -> Longest:
    """
    Return the longest run without an exit, of up to `most` iterations.

    What continues for n iterations continues for fewer, so the length is found by halving.
    """
    until = monotonic() + limits.seconds
    low, high = 0, 1
    best: Run | None = None
    end: Answer | None = None
    while end is None or high - low > 1:
        tried = high if end is None else (low + high) // 2
        left = limits.but(seconds=max(0.01, until - monotonic()))
        answer = of_length(policy, assumed, tried, left)
        if answer.status == REFUTED:
            low, best = tried, answer.run
            if end is None:
                if tried == most:
                    return Longest(low, answer, best)
                high = min(2 * tried, most)
            continue
        if answer.status == UNDECIDED:
            return Longest(low, answer, best)
        high, end = tried, answer
    return Longest(low, end, best)


def endless(
    policy: CompiledPolicy, assumed: Sequence[Node] = (), limits: Limits = LIMITS, periods: int = 3
) -> tuple[Answer, int]:
    """
    Return a round of inputs that is repeated for ever without an exit, and its length.

    It has been played on the engine from the first iteration, over several rounds and past every constant
    that the count of iterations meets. It is never PROVED that there is none: longer ones are not looked for.
    """
    until = monotonic() + limits.seconds
    nodes = [*(rule.when for stage in STAGES for rule in deciding(policy, stage)), *assumed]
    window = max((reach(policy, node) for node in nodes), default=0)
    counts = [int(v) for v in domains(policy).get(ITERATIONS, ()) if isinstance(v, int | float)]
    worst = undecided(NO_ROUND)
    for period in range(1, periods + 1):
        length = min(max(ROUNDS * (window + period), max(counts, default=0) + window), LONGEST)

        def goes_on(run: Run, period: int = period, length: int = length) -> bool:
            whole = run[-period:] * -(-length // period)
            return iterations_played(policy, whole) == len(whole) and _is_as_assumed(policy, assumed, whole)

        try:
            found = _asked(Unrolled(policy, assumed, window + period + 1, until, period), goes_on, until)
        except TooLateError:
            return undecided(f"not decided within {limits.seconds:g} s"), 0
        if found.status == REFUTED:
            return found.but(run=(found.run or ())[-period:]), period
        if found.status == UNDECIDED:
            worst = found
    return worst, 0


def _is_as_assumed(policy: CompiledPolicy, assumed: Sequence[Node], run: Run) -> bool:
    return all(consistent(values, policy) for values in run) and holds(policy, assumed, run)


def _asked(unrolled: Unrolled, goes_on: Callable[[Run], bool], until: float) -> Answer:
    solver = z3.Solver()
    solver.add(*unrolled.formulas())
    strict = (unrolled.world.strict,) if unrolled.world.loose else ()
    attempts = [(unrolled.quiet, *strict), strict] if unrolled.policy.breaker is not None else [strict]
    for assumed in attempts:
        if _check(solver, until, *assumed) == z3.sat:
            run = Reading(solver.model(), unrolled.world, unrolled.facts).run
            if goes_on(run):
                return refuted(run, 1)
    if _check(solver, until) == z3.unsat:
        return proved(1)
    why = [*unrolled.world.loose, *(["how the breaker moves"] if unrolled.policy.breaker is not None else [])]
    return undecided(f"not written out exactly: {', '.join(why) or 'rounding of floats'}", 1)


def _check(solver: z3.Solver, until: float, *assumed: object) -> object:
    left = until - monotonic()
    if left <= 0:
        raise TooLateError
    solver.set("timeout", max(1, int(left * 1000)))
    found = solver.check(*assumed)
    if found == z3.unknown:
        raise TooLateError
    return found
