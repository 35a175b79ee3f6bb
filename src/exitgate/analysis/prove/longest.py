"""The longest run without an exit, under assumptions that hold in every iteration."""

from __future__ import annotations

from exitgate.analysis.prove.asker import SOLVER, WALK, disagreement
from exitgate.analysis.prove.budgets import ITERATIONS
from exitgate.analysis.prove.cycle import GUARDS, consistent_run, endless, guards, holds, plain, resting
from exitgate.analysis.prove.played import STAGES, iterations_played
from exitgate.analysis.prove.proof import BOUND, HELD, NOTED, OPEN, PROVED, Proof
from exitgate.analysis.prove.words import points
from exitgate.analysis.space.reach import reach
from exitgate.analysis.walk.answer import FOUND, NONE, Answer
from exitgate.analysis.walk.answer import OPEN as UNDECIDED
from exitgate.analysis.walk.bench import bench_of
from exitgate.analysis.walk.chain import Chain, deciding, going_on
from exitgate.analysis.walk.exactness import exact
from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.realise import realised
from exitgate.analysis.walk.search import Spent, regions
from exitgate.analysis.walk.sums import with_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.prove.asker import Asker
    from exitgate.analysis.walk.gates import Gate
    from exitgate.analysis.walk.outlook import Outlook
    from exitgate.analysis.walk.search import Judge, Limits
    from exitgate.analysis.walk.units import Region, Units
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]

#: Longest run that is looked for, and what a question may take of the time of one, times over.
MOST, PATIENCE = 60, 2
SUBJECT = "as assumed"


def prove_longest(policy: CompiledPolicy, asker: Asker, assumed: Sequence[Node]) -> Iterator[Proof]:
    """
    Yield a round of inputs that continues for ever though all is as assumed, or the longest run.

    Raises `ExitgateError` (EP530, 70) where the walk and the solver know better than each other.
    """
    answer, period = endless(policy, assumed, asker.limits)
    if answer.status == FOUND:
        words = "one iteration" if period == 1 else f"{period} iterations"
        says = f"a run that never ends: {words}, repeated"
        yield Proof(BOUND, SUBJECT, NOTED, says, answer, series=period)
        return
    found = []
    if asker.asks(WALK):
        found.append(longest(policy, assumed, asker.limits))
    if asker.asks(SOLVER):
        from exitgate.analysis.solver import bound as solver

        other = solver.longest(policy, assumed, asker.limits.but(seconds=asker.limits.seconds * PATIENCE))
        found.append((other.iterations, other.answer))
    ended = [count for count, answer in found if answer.status == NONE]
    if len(set(ended)) > 1 or any(count > most for most in ended for count, _ in found):
        raise disagreement(
            f"`{policy.name}`: runs without an exit are {' and '.join(str(n) for n, _ in found)} long"
        )
    count, answer = max(found, key=lambda one: (one[1].status == NONE, one[1].exact, one[0]))
    shown = tuple(plain(values, policy) for values in answer.run) if answer.run else None
    yield _told(count, answer.but(run=shown))


def _told(count: int, answer: Answer) -> Proof:
    if answer.status != NONE:
        says = f"runs of {count} iterations are possible, longer ones: {answer.why or 'not looked at'}"
        return Proof(BOUND, SUBJECT, OPEN, says, answer)
    says = f"at most {count} {'iteration' if count == 1 else 'iterations'} without an exit"
    if not answer.exact:
        says += f": {count + 1} at none of {points(answer.points)} points"
    example = answer.but(status=FOUND) if answer.run else answer
    return Proof(BOUND, SUBJECT, PROVED if answer.exact else HELD, says, example)


def longest(policy: CompiledPolicy, assumed: Sequence[Node], limits: Limits) -> tuple[int, Answer]:
    """
    Return how long the longest run is that was found, and the answer to the question for one that is longer.

    The answer's `run` is the longest one, no matter what it is: NONE, or OPEN where a limit was reached
    first.
    """
    spent = Spent(limits.but(seconds=limits.seconds * PATIENCE))
    best: Run = ()
    for length in range(1, MOST + 1):
        answer = _of_length(policy, assumed, length, spent)
        if answer.status != FOUND:
            return len(best), answer.but(run=best or None)
        best = answer.run or ()
    return MOST, Answer(UNDECIDED, best, False, spent.points)


def _of_length(policy: CompiledPolicy, assumed: Sequence[Node], length: int, spent: Spent) -> Answer:
    """Return a run of `length` iterations that all go on: first one in which the breaker does not move."""
    bench = bench_of([policy], assumed)
    units = bench.units(length)
    outlook = bench.outlook(0, units)
    nodes = [*assumed, *(rule.when for stage in STAGES for rule in deciding(policy, stage))]

    def goes_on(run: Run) -> bool:
        return (
            consistent_run(run, policy)
            and iterations_played(policy, run) == length
            and holds(policy, assumed, run)
        )

    lost = 0
    for quiet in (True, False) if policy.breaker is not None else (False,):
        lost = 0
        judge = with_sums(_judge(policy, assumed, outlook, length, quiet), [outlook], range(length))
        for region in regions(units, judge, spent, _start(policy, units, quiet)):
            run = realised(region, units, goes_on)
            if run is not None:
                return Answer(FOUND, run, False, spent.points)
            lost += 1
            if lost > GUARDS:
                break
    if spent.over():
        return Answer(UNDECIDED, None, False, spent.points, spent.why())
    if lost:
        return Answer(UNDECIDED, None, False, spent.points, "the engine ends every run that was found")
    return Answer(NONE, None, exact([policy], nodes), spent.points)


def _start(policy: CompiledPolicy, units: Units, quiet: bool) -> Region:
    """Return all regions with the count of iterations as it is, other counters not known."""
    changed = list(units.full)
    for name, (unit, place) in units.of.items():
        choices = units.units[unit].choices
        for back in range(units.length):
            now = units.length - back
            if name == ITERATIONS:
                near = max((v for c in choices if isinstance(v := c[place], int) and v <= now), default=0)
                keep = sum(1 << n for n, c in enumerate(choices) if c[place] == near)
            else:
                keep = resting(policy, name, choices, place, quiet)
            changed[units.index(unit, back)] &= keep
    return tuple(changed)


def _judge(
    policy: CompiledPolicy, assumed: Sequence[Node], outlook: Outlook, length: int, quiet: bool
) -> Judge:
    """Return a judge: every iteration continues, the oldest looked at first."""
    steps: list[tuple[list[tuple[Gate, int]], list[Chain]]] = []
    for back in reversed(range(length)):
        first = back == length - 1
        wanted = [(outlook.gate(node, back), TRUE) for node in assumed if not (first and reach(policy, node))]
        wanted += guards(policy, outlook, back, quiet)
        steps.append((wanted, [Chain(policy, stage, outlook, back) for stage in STAGES]))
    return going_on(steps)
