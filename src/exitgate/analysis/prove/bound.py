"""Does every run end? After how many iterations at the latest, or by what input never."""

from __future__ import annotations

from msgspec.structs import replace

from exitgate.analysis.prove.backend import SOLVER, WALK, disagreement
from exitgate.analysis.prove.budgets import AFTER, FAILURE, ITERATIONS, Budget, budgets
from exitgate.analysis.prove.cycles import (
    GUARDS,
    consistent_run,
    endless,
    guards,
    holds,
    plain,
    resting_choices,
)
from exitgate.analysis.prove.proof import BOUND, KEPT, NOTED, Proof
from exitgate.analysis.results.answer import (
    PROVED,
    REFUTED,
    UNDECIDED,
    Answer,
    at_no_point,
    proved,
    refuted,
    undecided,
)
from exitgate.analysis.simulation import STAGES, iterations_simulated
from exitgate.analysis.space.exactness import exact
from exitgate.analysis.space.reads import reach
from exitgate.analysis.walk.chain import Chain, deciding, going_on
from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.query_cache import query_cache_of
from exitgate.analysis.walk.search import Spent, regions, with_sums
from exitgate.analysis.walk.witnesses import witness_of
from exitgate.core.model.display import counted, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.prove.backend import Backend
    from exitgate.analysis.results.answer import Answer
    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Gate
    from exitgate.analysis.walk.search import Judge, Limits
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]


SUBJECT = "every run ends"
#: What is bound by `after_iteration` alone.
UNFAILED = "runs without failures end"


def prove_bound(policy: CompiledPolicy, backend: Backend, assumed: Sequence[Node] = ()) -> Iterator[Proof]:
    """
    Yield the bounds on a run, or a round of inputs that continues for ever.

    With `assumed`, conditions that hold in every iteration, the longest run without an exit is looked for.
    """
    found = list(budgets(policy, backend))
    bounds = [one for one in found if isinstance(one, Budget)]
    for bound in bounds:
        yield _of_budget(policy, bound)
    if assumed:
        yield from prove_longest(policy, backend, assumed)
    elif not any(bound.fact == ITERATIONS and not bound.passed_by_failures for bound in bounds):
        undecided = [one for one in found if not isinstance(one, Budget)]
        yield _round(policy, backend, bounds, undecided)


def _of_budget(policy: CompiledPolicy, bound: Budget) -> Proof:
    value = shown(bound.most, policy.facts[bound.fact].type)
    by = " and ".join(
        f"{' or '.join(f'`{name}`' for name in names)} ({stage})" for stage, names in bound.rules
    )
    if bound.fact == ITERATIONS:
        iterations = "iteration" if bound.most == 1 else "iterations"
        says = f"after at most {value} {iterations}, by {by}"
    else:
        says = f"at the latest when `{bound.fact}` is {value}, if it is known, by {by}"
    return Proof(BOUND, UNFAILED if bound.passed_by_failures else SUBJECT, KEPT, says, bound.answer)


def _round(
    policy: CompiledPolicy, backend: Backend, bounds: Sequence[Budget], undecided: Sequence[Answer]
) -> Proof:
    answers = []
    for after in (AFTER, FAILURE):
        answer, period = endless(policy, (), backend.limits, after=after)
        answers.append(answer)
        if answer.status == REFUTED:
            ending = any(after == AFTER or not bound.passed_by_failures for bound in bounds)
            but = " unless a budget above ends it" if ending else ""
            failing = ", in which the agent fails," if after == FAILURE else ","
            says = f"a run that never ends{but}: {_iterations(period)}{failing} repeated"
            return Proof(BOUND, SUBJECT, NOTED, says, answer, series=period, stage=after)
    why = next(one.why for one in (*undecided, *answers))
    return Proof(BOUND, SUBJECT, UNDECIDED, why, answers[0])


def _iterations(count: int) -> str:
    return "one iteration" if count == 1 else f"{count} iterations"


# The longest run without an exit, under assumptions that hold in every iteration.

#: Longest run that is looked for, and what a question may take of the time of one, times over.
MOST, PATIENCE = 60, 2
ASSUMED = "as assumed"


def prove_longest(policy: CompiledPolicy, backend: Backend, assumed: Sequence[Node]) -> Iterator[Proof]:
    """
    Yield a round of inputs that continues for ever though all is as assumed, or the longest run.

    Raises `ExitgateError` (EP530, 70) where the walk and the solver know better than each other.
    """
    answer, period = endless(policy, assumed, backend.limits)
    if answer.status == REFUTED:
        words = "one iteration" if period == 1 else f"{period} iterations"
        says = f"a run that never ends: {words}, repeated"
        yield Proof(BOUND, ASSUMED, NOTED, says, answer, series=period)
        return
    found = []
    if backend.asks(WALK):
        found.append(longest(policy, assumed, backend.limits))
    if backend.asks(SOLVER):
        from exitgate.analysis.solver import bound as solver

        other = solver.longest(
            policy, assumed, replace(backend.limits, seconds=backend.limits.seconds * PATIENCE)
        )
        found.append((other.run or (), other.answer))
    ended = [len(run) for run, answer in found if answer.status == PROVED]
    if len(set(ended)) > 1 or any(len(run) > most for most in ended for run, _ in found):
        lengths = " and ".join(str(len(run)) for run, _ in found)
        raise disagreement(f"`{policy.name}`: runs without an exit are {lengths} long")
    run, answer = max(found, key=lambda one: (one[1].status == PROVED, len(one[0])))
    yield _proof_of(tuple(plain(values, policy) for values in run), answer)


def _proof_of(run: Run, answer: Answer) -> Proof:
    count = len(run)
    if answer.status != PROVED:
        why = answer.why or "not looked at"
        says = f"runs of {counted(count, 'iteration')} are possible, longer ones: {why}"
        return Proof(BOUND, ASSUMED, UNDECIDED, says, undecided(why, answer.points), example=run)
    says = f"at most {counted(count, 'iteration')} without an exit or a failure"
    return Proof(BOUND, ASSUMED, KEPT, says, answer, example=run)


def longest(policy: CompiledPolicy, assumed: Sequence[Node], limits: Limits) -> tuple[Run, Answer]:
    """Return the longest run that was found, and the answer to the claim that there is none longer."""
    spent = Spent(replace(limits, seconds=limits.seconds * PATIENCE))
    best: Run = ()
    for length in range(1, MOST + 1):
        answer = _of_length(policy, assumed, length, spent)
        if answer.status != REFUTED:
            return best, answer
        best = answer.run or ()
    return best, undecided("not looked at", spent.points)


def _of_length(policy: CompiledPolicy, assumed: Sequence[Node], length: int, spent: Spent) -> Answer:
    """Return a run of `length` iterations that all go on: first one in which the breaker does not move."""
    cache = query_cache_of([policy], assumed)
    variables = cache.variables(length)
    abstract_policy = cache.abstract_policy(0, variables)
    nodes = [*assumed, *(rule.when for stage in STAGES for rule in deciding(policy, stage))]

    def goes_on(run: Run) -> Run | None:
        found = (
            consistent_run(run, policy)
            and iterations_simulated(policy, run) == length
            and holds(policy, assumed, run)
        )
        return run if found else None

    lost = 0
    for quiet in (True, False) if policy.breaker is not None else (False,):
        lost = 0
        judge = with_sums(
            _judge(policy, assumed, abstract_policy, length, quiet), [abstract_policy], range(length)
        )
        for region in regions(variables, judge, spent, _start(policy, variables, quiet)):
            run = witness_of(region, variables, goes_on)
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


def _start(policy: CompiledPolicy, variables: Variables, quiet: bool) -> Region:
    """Return all regions with the count of iterations as it is, other counters not known."""
    changed = list(variables.full)
    for name, (cluster, place) in variables.of.items():
        choices = variables.clusters[cluster].choices
        for back in range(variables.length):
            now = variables.length - back
            if name == ITERATIONS:
                near = max((v for c in choices if isinstance(v := c[place], int) and v <= now), default=0)
                keep = sum(1 << n for n, c in enumerate(choices) if c[place] == near)
            else:
                keep = resting_choices(policy, name, choices, place, quiet)
            changed[variables.index(cluster, back)] &= keep
    return tuple(changed)


def _judge(
    policy: CompiledPolicy, assumed: Sequence[Node], abstract_policy: AbstractPolicy, length: int, quiet: bool
) -> Judge:
    """Return a judge: every iteration continues, the oldest looked at first."""
    steps: list[tuple[list[tuple[Gate, int]], list[Chain]]] = []
    for back in reversed(range(length)):
        first = back == length - 1
        wanted = [
            (abstract_policy.gate(node, back), TRUE)
            for node in assumed
            if not (first and reach(policy, node))
        ]
        wanted += guards(policy, abstract_policy, back, quiet)
        steps.append((wanted, [Chain(policy, stage, abstract_policy, back) for stage in STAGES]))
    return going_on(steps)
