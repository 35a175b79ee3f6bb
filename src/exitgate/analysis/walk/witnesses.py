"""A run of a region that the engine itself answers in the way the region promises."""

from __future__ import annotations

from itertools import chain
from random import Random

from msgspec.structs import replace

from exitgate.analysis.space.reads import read_by
from exitgate.analysis.walk.confirm import numbered
from exitgate.analysis.walk.prefix import loosens, settled_start
from exitgate.analysis.walk.run_length import counted_start
from exitgate.analysis.walk.search import Spent, UnsettledError, regions, with_sums
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from exitgate.analysis.walk.variables import Region, Variables

    Run = tuple[Mapping[str, object], ...]

    from collections.abc import Mapping, Sequence

    from exitgate.analysis.walk.query_cache import QueryCache
    from exitgate.analysis.walk.questions import Question, Shown
    from exitgate.analysis.walk.search import Limits, Spent
    from exitgate.analysis.walk.variables import Cluster
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    RunFacts = Sequence[Mapping[str, object]]


#: Runs drawn at random from a region where the plain ones do not bring about the progress it asks for.
DRAWN = 150
SEED = 1


def witness_of(region: Region, variables: Variables, shown: Callable[[Run], Run | None]) -> Run | None:
    """
    Return a run of the region as `shown` has it, which is None for what cannot be; None where none was found.

    The plainest one comes first. Progress follows from what its signals were before, so where a region
    asks for some, runs are tried in which one signal after the other brings it about, then random ones.
    """
    plain = variables.run(region)
    found = shown(plain)
    if found is not None:
        return found
    if not any(
        region[variables.index(g, b)] != variables.full[g]
        for g in variables.progress
        for b in range(variables.length)
    ):
        return None
    if variables.length != variables.iterations or not _begins(region, variables):
        return None  # what goes round moves nothing
    for run in chain(_by_one_signal(region, variables), _drawn(region, variables)):
        found = shown(run)
        if found is not None:
            return found
    return None


def _begins(region: Region, variables: Variables) -> bool:
    """Return False where the first iteration is to know of progress although nothing came before it."""
    oldest = variables.length - 1
    for number, unknown, signals in variables.moving:
        if not region[variables.index(number, oldest)] & unknown and not any(
            isinstance(choice[0], bool)
            for cluster, _ in signals
            for choice in variables.clusters[cluster].choices
        ):
            return False
    return True


def _by_one_signal(region: Region, variables: Variables) -> Iterator[Run]:
    for policy in variables.policies:
        for fact in policy.derived:
            for signal in fact.signals:
                if fact.name in variables.of and signal in variables.of:
                    yield variables.run(_moved(region, variables, fact.name, signal))


def _moved(region: Region, variables: Variables, progress: str, signal: str) -> Region:
    """Return the region with the signal moving where `progress` is to be true, and flat where it is false."""
    guess, place = variables.of[progress]
    cluster, at = variables.of[signal]
    choices = variables.clusters[cluster].choices
    changed = list(region)
    best: float | None = None
    for back in reversed(range(variables.length)):
        wanted = region[variables.index(guess, back)]
        truths = {c[place] for n, c in enumerate(variables.clusters[guess].choices) if wanted >> n & 1}
        left = [n for n in range(len(choices)) if region[variables.index(cluster, back)] >> n & 1]
        numbers = [(float(v), n) for n in left if isinstance(v := choices[n][at], int | float)]
        if len(truths) == len(variables.clusters[guess].choices) or not numbers:
            continue
        rising = sorted(pair for pair in numbers if best is None or pair[0] > best)
        flat = sorted((pair for pair in numbers if best is not None and pair[0] <= best), reverse=True)
        silent = [n for n in left if isinstance(choices[n][at], Unknown)]
        picked = None
        if any(v not in (False, (), 0) and not isinstance(v, Unknown) for v in truths) and rising:
            best, picked = rising[0]
        elif any(isinstance(v, Unknown) for v in truths) and silent:
            picked = silent[0]
        elif flat:
            picked = flat[0][1]
        elif rising:
            best, picked = rising[0]
        if picked is not None:
            changed[variables.index(cluster, back)] = 1 << picked
    return tuple(changed)


def _drawn(region: Region, variables: Variables) -> Iterator[Run]:
    draw = Random(SEED)  # noqa: S311 - the same runs on every machine
    for _ in range(DRAWN):
        chosen: list[int] = list(region)
        for variable, left in enumerate(region):
            before = chosen[variable + variables.width] if variable + variables.width < len(chosen) else 0
            numbers = [n for n in range(left.bit_length()) if left >> n & 1]
            stays = before & left and draw.random() < 0.5
            chosen[variable] = before if stays else 1 << draw.choice(numbers)
        yield variables.run(tuple(chosen))


# Answers found before everything is walked: rounds of a few iterations, and runs repaired.

#: Runs from this length on are first walked as rounds of so many iterations, so many regions of each.
LONG, TOO_LONG, PERIODS, ROUND_REGIONS = 4, 24, (1, 2, 3), 300
#: Share of the time of a question; regions of which the plainest run is repaired.
PART, REPAIRED, ALL_REGIONS = 0.2, 3, 3000


def variables_of(cache: QueryCache, length: int, question: Question) -> Iterator[tuple[Variables, bool]]:
    """
    Yield the variables to walk, and whether iterations may have come before theirs.

    Of a long run the few in which iterations repeat each other come first.
    """
    if LONG <= length <= TOO_LONG:
        for period in PERIODS:
            yield cache.rounds(length, period), False
    yield cache.variables(length), False
    if loosens(question, length):
        yield cache.variables(length), True


def time_for(limits: Limits) -> Spent:
    """Return what all searches of one question may take."""
    return Spent(replace(limits, seconds=limits.seconds * PART, points=ALL_REGIONS))


def found_early(
    question: Question, cache: QueryCache, length: int, spent: Spent, most: int | None
) -> Shown | None:
    """
    Return an answer made of a run of which only the last iteration is one, if one is found at once.

    Most iterations end a run if they know much, so that those before the last are to know little. `spent` is
    `time_for` the question, the same for each length.
    """
    if length == 1 or spent.over() or not (question.from_first and question.chained):
        return None
    question.fails = False
    for variables, older in variables_of(cache, length, question):
        if older:
            continue
        abstract_policies = [
            cache.abstract_policy(number, variables) for number in range(len(question.policies))
        ]
        judge = with_sums(question.on(cache, variables), abstract_policies, range(variables.iterations))
        start = settled_start(question, variables, counted_start(question, variables, most))
        try:
            for number, region in enumerate(regions(variables, judge, spent, start)):
                plain = variables.run(region)
                shown = question.shown(plain) or repaired(question, plain, variables, spent)
                if shown is not None:
                    return shown
                if number >= REPAIRED:
                    break
        except UnsettledError:
            continue
    return None


# Runs with what is left out of facts that determine each other.


def completed_run(run: Run, variables: Variables) -> Run | None:
    """
    Return a run in which facts that determine each other are known together; None where none can be so.

    A small example names only what matters: a share of 80 percent, and not of how many. What it leaves
    out is then some number and no unknown one. Groups of which nothing is known stay as they are.
    """
    groups = [cluster for cluster in variables.tied if len(cluster.names) > 1]
    filled = [_filled(values, groups) for values in run]
    return None if None in filled else tuple(values for values in filled if values is not None)


def _filled(values: Mapping[str, object], groups: list[Cluster]) -> Mapping[str, object] | None:
    found = dict(values)
    for cluster in groups:
        known = [(n, values[name]) for n, name in enumerate(cluster.names) if name in values]
        if not known or len(known) == len(cluster.names):
            continue
        choice = next((c for c in cluster.choices if all(_same(c[n], value) for n, value in known)), None)
        if choice is None:
            return None
        found |= {n: v for n, v in zip(cluster.names, choice, strict=True) if not isinstance(v, Unknown)}
    return found


def _same(one: object, other: object) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def plainer(run: Run, variables: Variables, still: Callable[[Run], bool]) -> Run:
    """Return a run that is `still` an answer, with the first choices that do instead of those it has."""
    for cluster in variables.tied:
        if len(cluster.names) == 1:
            continue
        for had in dict.fromkeys(_choice(values, cluster) for values in run):
            if not any(value is not None for value in had):
                continue
            for choice in cluster.choices:
                known = {
                    n: v for n, v in zip(cluster.names, choice, strict=True) if not isinstance(v, Unknown)
                }
                if tuple(known.get(name) for name in cluster.names) == had:
                    break
                smaller = tuple(
                    {**_without(values, cluster), **known} if _choice(values, cluster) == had else values
                    for values in run
                )
                if known and still(smaller):
                    run = smaller
                    break
    return run


def _choice(values: Mapping[str, object], cluster: Cluster) -> tuple[object, ...]:
    return tuple(values.get(name) for name in cluster.names)


def _without(values: Mapping[str, object], cluster: Cluster) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in cluster.names}


# Runs whose last iteration is an answer, changed until the iterations before it go on.

#: Changes tried for one run, the seed they are drawn from, and how often one resembles what was there.
CHANGES, REPAIR_SEED, ALIKE = 400, 1, 0.7


def repaired(question: Question, run: RunFacts, variables: Variables, spent: Spent) -> Shown | None:
    """
    Return a run like `run` that can be shown; None where none was found.

    One fact after the other that ends an earlier iteration is changed, as long as the last one stays an
    answer and the run gets at least as far as before.
    """
    draw = Random(REPAIR_SEED)  # noqa: S311 - the same runs on every machine
    first = next(numbered(run), None)
    if first is None or not question.holds(first):
        return None
    run = first
    at, rule, policy = question.play.ended_by(run)
    for _ in range(CHANGES):
        if rule is None or not spent.step():
            break
        drawn = _changed(run, at, _variables_of(rule, policy, variables), draw)
        if drawn is None:
            return None
        changed = next(numbered(drawn), drawn)
        if not question.holds(changed):
            continue
        further = question.play.ended_by(changed)
        if further[0] >= at:
            run, (at, rule, policy) = changed, further
    return question.shown(run)


def _variables_of(rule: Rule, policy: CompiledPolicy, variables: Variables) -> list[Cluster]:
    read = read_by([rule.when], policy)
    return [cluster for cluster in variables.tied if not read.isdisjoint(cluster.names)]


def _changed(run: RunFacts, at: int, variables: Sequence[Cluster], draw: Random) -> RunFacts | None:
    """Return the run with another choice of one of the variables in one iteration up to `at`."""
    if not variables:
        return None
    cluster, number = draw.choice(variables), draw.randint(0, at)
    values = run[number]
    choices = cluster.choices
    if draw.random() < ALIKE:
        alike = [
            choice
            for choice in choices
            if any(n in values and values[n] == v for n, v in zip(cluster.names, choice, strict=True))
        ]
        choices = tuple(alike) or choices
    known = cluster.known(draw.choice(choices))
    kept = {name: value for name, value in values.items() if name not in cluster.names}
    return (*run[:number], {**kept, **known}, *run[number + 1 :])
