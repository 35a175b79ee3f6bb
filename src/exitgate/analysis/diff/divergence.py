"""Every way in which the chains of two policies part, by a walk that looks for each way once."""

from __future__ import annotations

from itertools import product
from random import Random

from msgspec import Struct

from exitgate.analysis.diff.matching import meaning, moved
from exitgate.analysis.results.answer import at_no_point, proved, undecided
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.exactness import exact
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.prefix import Prefix, going_on_nodes, loosens
from exitgate.analysis.walk.queries import most_of
from exitgate.analysis.walk.query_cache import query_cache_of
from exitgate.analysis.walk.questions import Question
from exitgate.analysis.walk.run_length import counted_start
from exitgate.analysis.walk.search import Spent, UnsettledError, regions
from exitgate.analysis.walk.witnesses import found_early, time_for, witness_of
from exitgate.core.model.decision import CONTINUE, EXIT
from exitgate.core.model.display import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.analysis.results.answer import Answer
    from exitgate.analysis.walk.gates import Judged
    from exitgate.analysis.walk.query_cache import QueryCache
    from exitgate.analysis.walk.search import Judge, Limits
    from exitgate.analysis.walk.variables import Region, Variables
    from exitgate.core.policy.compiled import CompiledPolicy, Rule

    Run = Sequence[Mapping[str, object]]
    #: What one policy decides: verdict, class, outcome.
    Said = tuple[str, str | None, str]
    Pair = tuple[Said, Said]
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.walk.abstract_eval import AbstractPolicy
    from exitgate.analysis.walk.gates import Gate, Split


class Divergences(Struct, frozen=True):
    """
    What a walk over one stage found.

    Args:
        examples: A smallest run for each pair of results that differ.
        rest: Of the claim that there is no other pair: proved or not decided; its points are those of the
            regions that were settled.
    """

    examples: Mapping[Pair, Run]
    rest: Answer


class Divergence(Question):
    """On which inputs two policies decide one stage differently, but for `known` pairs of results."""

    def __init__(self, before: CompiledPolicy, after: CompiledPolicy, stage: str) -> None:
        self._rules = tuple(deciding(policy, stage) for policy in (before, after))
        super().__init__([before, after], [rule.when for rules in self._rules for rule in rules], stage)
        self._shared = shared(self.policies, self._rules)
        self.known: set[Pair] = set()
        #: Of two policies that read the same one is asked whether facts fit together.
        self.readers = (before,) if before.extractions == after.extractions else (before, after)

    def on(self, cache: QueryCache, variables: Variables) -> Judge:
        """Return a judge of both chains at once: True where they part in one new way."""
        abstract_policies = [cache.abstract_policy(number, variables) for number in range(len(self.policies))]
        joint = Joint(self._rules, abstract_policies, self._shared)

        def judge(region: Region) -> Judged:
            pair = next((pair for pair in joint.pairs(region) if self._is_new(pair)), None)
            if pair is None:
                return False
            if joint.decided(region):
                return True
            return joint.split(pair, region)

        return judge

    def _is_new(self, pair: tuple[int, int]) -> bool:
        one, other = (self._said(number, winner) for number, winner in enumerate(pair))
        return one != other and (one, other) not in self.known

    def pair(self, run: Run) -> Pair:
        """Return what the two decide at the end of a run, by the engine."""
        return self._pair(next(filter(self.answers, self.ends(run)), self.wholes(run)))

    def played_pair(self, run: Run) -> tuple[Run, Pair] | None:
        """Return a run as the engine plays it and what the two decide at its end; None where it cannot be."""
        pairs: list[Pair] = []

        def answers(records: Sequence[Run]) -> bool:
            pairs.append(self._pair(records))
            return True

        shown = self.reached(run, answers)
        return None if shown is None else (shown, pairs[-1])

    def _pair(self, records: Sequence[Run]) -> Pair:
        one, other = (
            self._said(number, program.winner(whole, self.stage))
            for number, (program, whole) in enumerate(zip(self.programs, records, strict=True))
        )
        return one, other

    def answers(self, records: Sequence[Run]) -> bool:
        """Return whether the two decide differently, in a way that is not known."""
        one, other = pair = self._pair(records)
        return one != other and pair not in self.known

    def paired(self, run: Run, pair: Pair) -> bool:
        """Return whether the run is one that can be shown for a pair of results."""
        alone = pair in map(self._pair, self.ends(run))  # without what came before it, too
        return alone and self.reached(run, lambda records: self._pair(records) == pair) == run

    def _said(self, number: int, winner: int) -> Said:
        return result_by(self._rules[number][winner] if winner >= 0 else None)


def result_by(rule: Rule | None) -> Said:
    """Return the result of the rule that decides, or of none."""
    if rule is None:
        return CONTINUE, None, "otherwise"
    return (EXIT if rule.effect == "exit" else CONTINUE), rule.exit_class, rule.outcome


def divergences(before: CompiledPolicy, after: CompiledPolicy, stage: str, limits: Limits) -> Divergences:
    """Return an example for each way in which the two decide a stage differently; see `Divergences`."""
    question = Divergence(before, after, stage)
    cache, spent, lost = query_cache_of(question.policies, question.nodes), Spent(limits), 0
    examples: dict[Pair, Run] = {}
    mattered, at_once, most = False, time_for(limits), most_of(question)
    for length, older in _ways(question, most):
        variables = cache.variables(length)
        while not older and (found := found_early(question, cache, length, at_once, most)) is not None:
            pair = question.pair(found)
            examples[pair] = smallest_run(question, found, pair)
            question.known.add(pair)
        earlier = Prefix(question, variables, older)
        question.fails = older
        abstract_policies = [
            cache.abstract_policy(number, variables) for number in range(len(question.policies))
        ]
        judge = earlier.with_judge(question.on(cache, variables), abstract_policies)
        try:
            for region in regions(variables, judge, spent, counted_start(question, variables, most)):
                run = witness_of(region, variables, question.shown)
                if run is None:
                    lost += 1
                    continue
                pair = question.pair(run)
                examples[pair] = smallest_run(question, run, pair)
                question.known.add(pair)
        except UnsettledError:
            lost += 1
        mattered |= earlier.mattered
        if spent.over():
            break
    open_ = spent.why() if spent.over() else ""
    if lost and not open_:
        suggested = counted(lost, "region suggests", "regions suggest")
        open_ = f"{suggested} a difference, but no run was found that produces it"
    nodes = [*question.nodes, *(going_on_nodes(question.policies) if mattered else ())]
    if not open_ and not (exact(question.policies, nodes) and question.whole):
        open_ = at_no_point(spent.points)
    return Divergences(examples, undecided(open_, spent.points) if open_ else proved(spent.points))


def _ways(question: Divergence, most: int | None) -> Iterator[tuple[int, bool]]:
    """Yield the lengths to walk, and whether iterations may have come before those of the run."""
    for length in question.lengths(most):
        yield length, False
        if loosens(question, length):
            yield length, True


def smallest_run(question: Divergence, run: Run, pair: Pair) -> Run:
    """Return the run made small as long as the two decide it as `pair` says."""
    candidates: dict[str, tuple[object, ...]] = {}
    for policy in question.policies:
        candidates |= domains(policy)

    found = shrink(tuple(run), lambda smaller: question.paired(smaller, pair), candidates)
    return tuple({name: _short(value) for name, value in values.items()} for values in found)


def _short(value: object) -> object:
    """Return a whole number as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Two chains of rules walked together: which rules may decide where the other chain's do not agree.

#: No rule decides.
NONE = -1


class Shared(Struct, frozen=True):
    """Places in both chains of one rule that is the same in both and is in the same order."""

    before: int
    after: int


def shared(policies: Sequence[CompiledPolicy], chains: Sequence[Sequence[Rule]]) -> tuple[Shared, ...]:
    """Return the rules that do the same for the same reason in both chains, as many as are in one order."""
    before, after = chains
    same = {
        rule.id: at
        for at, rule in enumerate(before)
        for other in after
        if other.id == rule.id and _does(rule) == _does(other)
        and meaning(policies[0], rule.when) == meaning(policies[1], other.when)
    }  # fmt: skip
    ids = [[rule.id for rule in chain if rule.id in same] for chain in chains]
    elsewhere = set(moved(ids[0], ids[1]))
    return tuple(
        Shared(same[rule.id], at)
        for at, rule in enumerate(after)
        if rule.id in same and rule.id not in elsewhere
    )


def _does(rule: Rule) -> tuple[str, str | None, str]:
    return rule.effect, rule.exit_class, rule.outcome


class Joint:
    """
    Both chains as gates over the regions of one length of runs.

    A rule that both share is true in both or in neither, so where it decides they agree: that is what two
    chains looked at one by one cannot tell.
    """

    def __init__(
        self,
        chains: Sequence[Sequence[Rule]],
        abstract_policies: Sequence[AbstractPolicy],
        anchors: Sequence[Shared],
    ) -> None:
        self._gates = [
            [abstract_policy.gate(rule.when) for rule in chain]
            for chain, abstract_policy in zip(chains, abstract_policies, strict=True)
        ]
        ends = Shared(len(chains[0]), len(chains[1]))
        self._anchors = (*anchors, ends)

    def pairs(self, region: Region) -> Iterator[tuple[int, int]]:
        """Yield the rules that may decide, one of each chain, where it is not the same rule in both."""
        start = Shared(0, 0)
        for anchor in self._anchors:
            first, passes_first = self._winners(0, start.before, anchor.before, region)
            second, passes_second = self._winners(1, start.after, anchor.after, region)
            yield from ((one, other) for one in first for other in second)
            if first and passes_second:
                yield from ((one, other) for one in first for other in self._rest(1, anchor.after, region))
            if second and passes_first:
                yield from ((one, other) for one in self._rest(0, anchor.before, region) for other in second)
            if not (passes_first and passes_second) or anchor is self._anchors[-1]:
                return
            if self._gates[0][anchor.before].truths(region) == TRUE:
                return
            start = Shared(anchor.before + 1, anchor.after + 1)

    def decided(self, region: Region) -> bool:
        """Return whether one rule of each chain, or none, decides everywhere in the region."""
        return all(self._first_open(side, region) is None for side in (0, 1))

    def split(self, pair: tuple[int, int], region: Region) -> Split | None:
        """Return a split that brings the region nearer to one in which the rules of the pair decide."""
        gates = [self._gates[side][at] for side, at in enumerate(pair) if at != NONE]
        gates = [gate for gate in gates if gate.truths(region) != TRUE]
        gates += [gate for side in (0, 1) if (gate := self._first_open(side, region)) is not None]
        return next((split for gate in gates if (split := gate.split(region, TRUE)) is not None), None)

    def _first_open(self, side: int, region: Region) -> Gate | None:
        """Return the first rule of a chain that may be true and need not be, before one that is."""
        for gate in self._gates[side]:
            truths = gate.truths(region)
            if truths & TRUE:
                return None if truths == TRUE else gate
        return None

    def _winners(self, side: int, start: int, end: int, region: Region) -> tuple[list[int], bool]:
        """Return the rules of a stretch that may decide, and whether none of them may."""
        found: list[int] = []
        for at in range(start, end):
            truths = self._gates[side][at].truths(region)
            if truths & TRUE:
                found.append(at)
                if truths == TRUE:
                    return found, False
        return found, True

    def _rest(self, side: int, start: int, region: Region) -> list[int]:
        found, passes = self._winners(side, start, len(self._gates[side]), region)
        return [*found, NONE] if passes else found


# How often two policies decide differently: points of the walk, one by one.

#: Points that are looked at, and their iterations; the draws start from `SEED`, the same each time.
MOST, ITERATIONS, SEED = 2000, 3000, 1
#: Iterations of the runs that are drawn, at most.
LONGEST = 12


class DifferenceCount(Struct, frozen=True):
    """
    Points of one stage, by what the two decide there.

    Args:
        points: How many were looked at: ends of runs that neither of the two has ended before.
        every: Whether these are all there are.
        pairs: How many are of each pair of results that differ, and the first such run.
    """

    points: int
    every: bool
    pairs: Mapping[Pair, tuple[int, Run]]


def count_differences(question: Divergence, most: int = MOST) -> DifferenceCount:
    """Return how often the two of a question decide differently, over all points or a draw of `most`."""
    cache = query_cache_of(question.policies, question.nodes)
    length = max((n for n in question.lengths(most_of(question)) if n <= LONGEST), default=1)
    variables = cache.variables(length)
    most = min(most, ITERATIONS // length)
    every = length == 1 and variables.points(variables.full) <= most
    runs = map(variables.run, _every(variables)) if every else _drawn(cache, length, most)
    looked = 0
    pairs: dict[Pair, tuple[int, Run]] = {}
    for run in runs:
        found = question.played_pair(run)
        if found is None:
            continue
        looked += 1
        played, (one, other) = found
        pair = one, other
        if one != other:
            count, first = pairs.get(pair, (0, played))
            pairs[pair] = (count + 1, first)
    return DifferenceCount(looked, every, pairs)


def _every(variables: Variables) -> Iterator[Region]:
    choices = [[1 << n for n in range(left.bit_length()) if left >> n & 1] for left in variables.full]
    yield from product(*choices)


def _drawn(cache: QueryCache, length: int, most: int) -> Iterator[Run]:
    """Yield runs of up to `length` iterations."""
    random = Random(SEED)  # noqa: S311 - not for secrets
    for _ in range(most):
        variables = cache.variables(random.randint(1, length))
        widths = [left.bit_length() for left in variables.full]
        yield variables.run(tuple(1 << random.randrange(width) for width in widths))
