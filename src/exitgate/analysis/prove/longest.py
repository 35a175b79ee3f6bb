"""The longest run without an exit, under assumptions that hold in every iteration."""

from __future__ import annotations

from exitgate.analysis.played import STAGES, iterations_played
from exitgate.analysis.prove.asker import SOLVER, WALK, disagreement
from exitgate.analysis.prove.budgets import ITERATIONS
from exitgate.analysis.prove.cycle import GUARDS, consistent_run, endless, guards, holds, plain, resting
from exitgate.analysis.prove.proof import BOUND, KEPT, NOTED, Proof
from exitgate.analysis.space.reach import reach
from exitgate.analysis.walk.bench import bench_of
from exitgate.analysis.walk.chain import Chain, deciding, going_on
from exitgate.analysis.walk.exactness import exact
from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.realise import realised
from exitgate.analysis.walk.search import Spent, regions
from exitgate.analysis.walk.sums import with_sums
from exitgate.model.answer import (
    PROVED,
    REFUTED,
    UNDECIDED,
    Answer,
    at_no_point,
    proved,
    refuted,
    undecided,
)
from exitgate.model.counted import counted

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
    if answer.status == REFUTED:
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
        found.append((other.run or (), other.answer))
    ended = [len(run) for run, answer in found if answer.status == PROVED]
    if len(set(ended)) > 1 or any(len(run) > most for most in ended for run, _ in found):
        lengths = " and ".join(str(len(run)) for run, _ in found)
        raise disagreement(f"`{policy.name}`: runs without an exit are {lengths} long")
    run, answer = max(found, key=lambda one: (one[1].status == PROVED, len(one[0])))
    yield _told(tuple(plain(values, policy) for values in run), answer)


def _told(run: Run, answer: Answer) -> Proof:
    count = len(run)
    if answer.status != PROVED:
        why = answer.why or "not looked at"
        says = f"runs of {counted(count, 'iteration')} are possible, longer ones: {why}"
        return Proof(BOUND, SUBJECT, UNDECIDED, says, undecided(why, answer.points), example=run)
    says = f"at most {counted(count, 'iteration')} without an exit or a failure"
    return Proof(BOUND, SUBJECT, KEPT, says, answer, example=run)


def longest(policy: CompiledPolicy, assumed: Sequence[Node], limits: Limits) -> tuple[Run, Answer]:
    """Return the longest run that was found, and the answer to the claim that there is none longer."""
    spent = Spent(limits.but(seconds=limits.seconds * PATIENCE))
    best: Run = ()
    for length in range(1, MOST + 1):
        answer = _of_length(policy, assumed, length, spent)
        if answer.status != REFUTED:
            return best, answer
        best = answer.run or ()
    return best, undecided("not looked at", spent.points)


def _of_length(policy: CompiledPolicy, assumed: Sequence[Node], length: int, spent: Spent) -> Answer:
    """Return a run of `length` iterations that all go on: first one in which the breaker does not move."""
    bench = bench_of([policy], assumed)
    units = bench.units(length)
    outlook = bench.outlook(0, units)
    nodes = [*assumed, *(rule.when for stage in STAGES for rule in deciding(policy, stage))]

    def goes_on(run: Run) -> Run | None:
        found = (
            consistent_run(run, policy)
            and iterations_played(policy, run) == length
            and holds(policy, assumed, run)
        )
        return run if found else None

    lost = 0
    for quiet in (True, False) if policy.breaker is not None else (False,):
        lost = 0
        judge = with_sums(_judge(policy, assumed, outlook, length, quiet), [outlook], range(length))
        for region in regions(units, judge, spent, _start(policy, units, quiet)):
            run = realised(region, units, goes_on)
            if run is not None:
                return refuted(run, spent.points)
            lost += 1
            if lost > GUARDS:
                break
    if spent.over():
        return undecided(spent.why(), spent.points)
    if lost:
        return undecided("the engine ends every run that was found", spent.points)
    return (
        proved(spent.points) if exact([policy], nodes) else undecided(at_no_point(spent.points), spent.points)
    )


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
