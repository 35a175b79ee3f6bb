"""A round of inputs that continues for ever without an exit."""

from __future__ import annotations

from exitgate.analysis.prove.budgets import AFTER, BEFORE, FAILURE, GROWING, ITERATIONS
from exitgate.analysis.results.answer import Answer, refuted, undecided
from exitgate.analysis.simulation import STAGES, iterations_simulated
from exitgate.analysis.space.dependencies import consistent, dependent_facts
from exitgate.analysis.space.endings import FAILURES
from exitgate.analysis.space.reads import reach
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.walk.chain import Chain, deciding, going_on
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN, Gate
from exitgate.analysis.walk.prefix import heard
from exitgate.analysis.walk.query_cache import query_cache_of
from exitgate.analysis.walk.search import Spent, regions, with_sums
from exitgate.analysis.walk.witnesses import completed_run
from exitgate.core.engine.record import FAILED
from exitgate.core.language.tree import Node
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.search import Judge, Limits
    from exitgate.analysis.walk.variables import CyclicVariables, Region
    from exitgate.core.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]


#: Why it is not decided whether a run can go on for ever where none was found that does.
NO_ROUND = "no bound is proved, and no short cycle of inputs was found that never ends"
#: Regions that promise a round and are played on the engine before the next period is tried.
GUARDS = 20
#: Rounds that the engine must go through, and iterations at most.
ROUNDS, LONGEST = 3, 2000


def endless(
    policy: CompiledPolicy, assumed: Sequence[Node], limits: Limits, periods: int = 3, after: str = AFTER
) -> tuple[Answer, int]:
    """
    Return a round of inputs that is repeated for ever without an exit, and its length.

    Args:
        policy: The policy.
        assumed: What holds in every iteration.
        limits: For the whole search.
        periods: Longest round that is looked for.
        after: The stage after each iteration: `after_failure` where the agent fails in each of them.

    The breaker of the policy stays CLOSED throughout. REFUTED has been played on the engine from the first
    iteration, over several rounds and past every constant that the count of iterations meets. It is never
    PROVED that there is none: longer rounds are not looked for.
    """
    spent = Spent(limits)
    for period in range(1, periods + 1):
        found = _round(policy, assumed, period, spent, after)
        if found is not None:
            return refuted(found, spent.points), period
        if spent.over():
            return undecided(spent.why(), spent.points), 0
    return undecided(NO_ROUND, spent.points), 0


def _round(
    policy: CompiledPolicy, assumed: Sequence[Node], period: int, spent: Spent, after: str
) -> Run | None:
    cache = query_cache_of([policy], assumed)
    variables = cache.rounds(_window(policy, assumed) + period + 1, period)
    abstract_policy = cache.abstract_policy(0, variables)
    judge = with_sums(
        _judge(policy, assumed, abstract_policy, period, after), [abstract_policy], range(period)
    )
    length = played_length(policy, assumed, period, variables)

    def goes_on(round_: Run) -> bool:
        if not consistent_run(round_, policy):
            return False
        long = repeated(round_, length)
        whole = completed_run(long, variables)
        return whole is not None and all(
            iterations_simulated(policy, run, after) == len(run) and holds(policy, assumed, run)
            for run in (long, whole)
        )

    for number, region in enumerate(
        regions(variables, judge, spent, settled_start(policy, variables, after))
    ):
        if number >= GUARDS:
            break
        round_ = variables.round(region)
        if goes_on(round_):
            small = shrink_round(round_, goes_on, cache.domains)
            return tuple(plain(values, policy) for values in completed_run(small, variables) or small)
    return None


def plain(values: Mapping[str, object], policy: CompiledPolicy) -> Mapping[str, object]:
    """Return the facts of an iteration without those that follow from a plan's total and done."""
    found = dict(values)
    for extraction in policy.extractions:
        total, done = f"{extraction.prefix}.total", f"{extraction.prefix}.done"
        if total in found and done in found:
            follow = dependent_facts({total: found[total], done: found[done]}, policy)
            found = {
                name: value for name, value in found.items() if name in (total, done) or name not in follow
            }
    return found


def shrink_round(
    round_: Run, goes_on: Callable[[Run], bool], candidates: Mapping[str, tuple[object, ...]]
) -> Run:
    """Return a round made small, as many iterations long as before."""
    return shrink(round_, lambda smaller: len(smaller) == len(round_) and goes_on(smaller), candidates)


def repeated(round_: Run, length: int) -> Run:
    """Return a round repeated, `length` iterations or a few more."""
    return round_ * -(-length // len(round_))


def played_length(
    policy: CompiledPolicy, assumed: Sequence[Node], period: int, variables: CyclicVariables
) -> int:
    """Return how many iterations show that a round continues: past every count that is met."""
    counts = [0]
    if ITERATIONS in variables.of:
        cluster, place = variables.of[ITERATIONS]
        choices = variables.clusters[cluster].choices
        counts += [int(v) for c in choices if isinstance(v := c[place], int | float)]
    window = _window(policy, assumed)
    return min(max(ROUNDS * (window + period), max(counts) + window), LONGEST)


def holds(policy: CompiledPolicy, assumed: Sequence[Node], run: Run) -> bool:
    """Return whether every iteration is as assumed; the first may be silent on what was before it."""
    from exitgate.analysis.prove.invariants import completed
    from exitgate.core.language.evaluation.closures import compile_node

    if not assumed:
        return True
    whole = completed(policy, run)
    values, conditions = policy.values(), policy.conditions
    tests = [(compile_node(node, values, conditions), reach(policy, node) > 0) for node in assumed]
    window = _window(policy, assumed) + 1
    for end in range(1, len(whole) + 1):
        for test, looks_back in tests:
            truth = test(whole[max(0, end - window) : end])
            if truth is not True and not (end == 1 and looks_back):
                return False
    return True


def _window(policy: CompiledPolicy, assumed: Sequence[Node]) -> int:
    nodes = [*(rule.when for stage in (*STAGES, FAILURE) for rule in deciding(policy, stage)), *assumed]
    return max((reach(policy, node) for node in nodes), default=0)


def settled_start(policy: CompiledPolicy, variables: CyclicVariables, after: str = AFTER) -> Region:
    """
    Return all regions with the counters as they are late in a run, the policy's own breaker CLOSED.

    Where `after_failure` is asked, every iteration so far has failed; else none is known to have.
    """
    changed = list(variables.full)
    for name, (cluster, place) in variables.of.items():
        choices = variables.clusters[cluster].choices
        if name == ITERATIONS or (name == FAILURES and after == FAILURE):
            most = max(v for c in choices if isinstance(v := c[place], int))
            keep = sum(1 << n for n, c in enumerate(choices) if c[place] == most)
        elif name == FAILED:
            unlike = after != FAILURE
            keep = sum(1 << n for n, c in enumerate(choices) if c[place] is not unlike)
        else:
            keep = resting_choices(policy, name, choices, place, quiet=True)
        for back in range(variables.period):
            changed[variables.index(cluster, back)] &= keep
    return tuple(changed)


def resting_choices(
    policy: CompiledPolicy, name: str, choices: Sequence[tuple[object, ...]], place: int, quiet: bool
) -> int:
    """Return the choices of a fact in a run: counters not known, with `quiet` the own breaker CLOSED."""
    if name in GROWING:
        return sum(1 << n for n, c in enumerate(choices) if isinstance(c[place], Unknown))
    if quiet and policy.breaker is not None and name.startswith("circuit."):
        at_rest = "CLOSED" if name == "circuit.state" else None
        return sum(
            1 << n
            for n, c in enumerate(choices)
            if c[place] == at_rest or (at_rest is None and isinstance(c[place], Unknown))
        )
    return (1 << len(choices)) - 1


def guards(
    policy: CompiledPolicy, abstract_policy: AbstractPolicy, back: int, quiet: bool
) -> list[tuple[Gate, int]]:
    """Return what must be so of an iteration that continues: not blind; `quiet`: the breaker stays."""
    wanted: list[tuple[Gate, int]] = []
    if quiet and policy.breaker is not None:
        nodes = [one.when for one in policy.breaker.openings]
        nodes += [policy.breaker.watch] if policy.breaker.watch is not None else []
        wanted += [(abstract_policy.gate(node, back), FALSE | UNKNOWN) for node in nodes]
    if policy.exit_after_blind is not None:
        wanted.append((heard(abstract_policy, back), TRUE))
    return wanted


def consistent_run(run: Run, policy: CompiledPolicy) -> bool:
    """Return whether no iteration of a run contradicts itself."""
    return all(consistent(values, policy) for values in run)


def _judge(
    policy: CompiledPolicy, assumed: Sequence[Node], abstract_policy: AbstractPolicy, period: int, after: str
) -> Judge:
    """Return a judge: in every iteration of the round each stage continues and nothing moves the breaker."""
    wanted: list[tuple[Gate, int]] = []
    chains: list[Chain] = []
    for back in range(period):
        wanted += [(abstract_policy.gate(node, back), TRUE) for node in assumed]
        wanted += guards(policy, abstract_policy, back, quiet=True)
        chains += [Chain(policy, stage, abstract_policy, back) for stage in (after, BEFORE)]
    return going_on([(wanted, chains)])
