"""
The walk over the regions of a question, run length by run length, until it has an answer or comes to its end.

Of each region found the engine confirms a run. Where no point is an answer, it says whether another could be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec.structs import replace

from exitgate.analysis.results.answer import Answer, at_no_point, proved, refuted, undecided
from exitgate.analysis.simulation import with_stand_ins
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.exactness import exact, has_all_choices
from exitgate.analysis.space.samples import Sampler, known
from exitgate.analysis.walk.confirm import numbered
from exitgate.analysis.walk.prefix import Prefix, going_on_nodes, loosens
from exitgate.analysis.walk.query_cache import FreeQueryCache, QueryCache, program_of, query_cache_of
from exitgate.analysis.walk.questions import Question
from exitgate.analysis.walk.run_length import counted_start
from exitgate.analysis.walk.search import Limits, Spent, UnsettledError, regions, with_sums
from exitgate.analysis.walk.variables import Variables
from exitgate.analysis.walk.witnesses import ROUND_REGIONS, found_early, time_for, variables_of, witness_of
from exitgate.core.language.tree import Node
from exitgate.core.model.display import counted
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import CompiledPolicy

Run = tuple[Mapping[str, object], ...]

#: Regions of one length of which no run is found before the next length is walked.
LOST = 8
#: Share of the time of a question in which runs are looked for where points do not tell how they lie in time.
IN_TIME = 0.2
#: Why what was found at no point may be found elsewhere, then.
OTHER_TIMES = "; times may lie apart in other ways"
#: Where the walk comes to no end: samples at most, share of the time of a question.
SAMPLES, SAMPLING, SEED = 3000, 0.3, 1
#: Samples that are kept for the next question about the same policy.
KEPT = 500


class End:
    """
    How a walk ended.

    Args:
        points: How many were settled.
        why: Why it did not come to its end; empty where it did.
        sure: It came to its end, and no other point can have another answer.
        more: What there is beside the points.
    """

    def __init__(self, points: int, why: str = "", sure: bool = False, more: str = "") -> None:
        self.points = points
        self.came = not why
        self.why = why or at_no_point(points) + more
        self.sure = sure

    def answer(self) -> Answer:
        """Return what that says of the question."""
        return proved(self.points) if self.sure else undecided(self.why, self.points)


def walked(
    question: Question, limits: Limits, most: int | None, sample: bool = True
) -> Iterator[Answer | End]:
    """
    Yield an answer for each region found, then how the walk ended.

    Args:
        question: What is asked.
        limits: What it may cost.
        most: Iterations that no run exceeds; None where none is known.
        sample: Whether runs are drawn at random where the walk does not come to its end.
    """
    cache = query_cache_of(question.policies, question.nodes)
    if not question.has_windows:
        yield from _looked_for(question, cache, limits, limits, most, sample)
    elif _wherever_points_lie(question, cache, limits, most):
        yield End(0, sure=True)
    else:
        yield from _looked_for(
            question, cache, replace(limits, seconds=limits.seconds * IN_TIME), limits, most, sample
        )


def _looked_for(
    question: Question,
    cache: QueryCache,
    limits: Limits,
    all_in_all: Limits,
    most: int | None,
    sample: bool,
) -> Iterator[Answer | End]:
    spent, lost, mattered, at_once = Spent(limits), 0, False, time_for(limits)
    for length in question.lengths(most):
        found = found_early(question, cache, length, at_once, most)
        if found is not None:
            yield refuted(found, spent.points)
        for variables, older in variables_of(cache, length, question):
            own = (
                spent
                if variables.length == variables.iterations
                else Spent(replace(limits, points=ROUND_REGIONS))
            )
            earlier = Prefix(question, variables, older)
            question.fails = older
            for answer in _found(question, cache, variables, own, earlier, most):
                if answer is not None:
                    yield answer
                elif own is spent:
                    lost += 1
            mattered |= earlier.mattered
        if spent.over():
            break
    if sample and (spent.over() or lost):
        run = _sampled(question, all_in_all)
        if run is not None:
            yield refuted(run, spent.points)
            return
    if spent.over():
        yield End(spent.points, spent.why())
    elif lost:
        suggest = counted(lost, "region suggests", "regions suggest")
        why = f"{suggest} one, but no run was found that produces it"
        yield End(spent.points, why)
    else:
        nodes = [*question.nodes, *(going_on_nodes(question.policies) if mattered else ())]
        is_exact, timed = exact(question.policies, nodes), question.has_windows
        walked = is_exact or (
            has_all_choices(question.policies, nodes) and _wherever_points_lie(question, cache, limits, most)
        )
        sure = not timed and question.whole and walked
        yield End(spent.points, sure=sure, more=OTHER_TIMES if timed else "")


def _wherever_points_lie(question: Question, cache: QueryCache, limits: Limits, most: int | None) -> bool:
    """Return whether there is no answer even if the tests that points do not settle come out in any way."""
    free = FreeQueryCache(cache)
    spent = Spent(limits)
    lengths = question.lengths_beside_windows(most) if question.has_windows else question.lengths(most)
    try:
        for length in lengths:
            variables = cache.variables(length)
            abstract_policies = [
                free.abstract_policy(number, variables) for number in range(len(question.policies))
            ]
            earlier = Prefix(question, variables, older=loosens(question, length))
            judge = earlier.with_judge(question.on(free, variables), abstract_policies)
            judge = with_sums(judge, abstract_policies, range(length))
            if (
                next(regions(variables, judge, spent, counted_start(question, variables, most)), None)
                is not None
                or spent.over()
            ):
                return False
    except UnsettledError:
        return False
    return question.whole


def _found(
    question: Question,
    cache: QueryCache,
    variables: Variables,
    spent: Spent,
    earlier: Prefix,
    most: int | None,
) -> Iterator[Answer | None]:
    """Yield an answer for each region found; None for one of which no run was found that brings it about."""
    abstract_policies = [cache.abstract_policy(number, variables) for number in range(len(question.policies))]
    judge = earlier.with_judge(question.on(cache, variables), abstract_policies)
    judge = with_sums(judge, abstract_policies, range(variables.iterations))
    lost = 0
    try:
        for region in regions(variables, judge, spent, counted_start(question, variables, most)):
            run = witness_of(region, variables, question.shown)
            if run is not None:
                yield refuted(run, variables.points(region))
                continue
            yield None
            lost += 1
            if lost >= LOST:
                return
    except UnsettledError:
        yield None  # part of it is not settled and cannot be split


def _sampled(question: Question, limits: Limits) -> Run | None:
    """Return an answer among runs drawn at random, where the walk has come to no end."""
    spent = Spent(replace(limits, seconds=limits.seconds * SAMPLING))
    for runs in _samples(IdentityKey(question.policies[0])).each():
        if not spent.step():
            return None
        if (shown := question.shown_of(runs)) is not None:
            return shown
    return None


class _Samples:
    """The runs that are drawn for a policy, the same for each question: the first ones are kept."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._policy = policy
        self._drawn = Sampler(policy, SEED).runs(Node("bool", (True,), 0, 0, BOOL), SAMPLES)
        self._kept: list[tuple[tuple[Run, Run], ...]] = []
        #: How many were drawn; those that are not kept are drawn anew.
        self._count = 0

    def each(self) -> Iterator[Iterable[tuple[Run, Run]]]:
        """Yield for each run those of it that are `numbered`, with computed facts beside."""
        yield from self._kept_ones()
        own = self
        if self._count > len(self._kept):
            own = _Samples(self._policy)
            for _ in self._kept:
                next(own._drawn)
        for run in own._drawn:
            own._count += 1
            yield self._completed(run)

    def _kept_ones(self) -> Iterator[tuple[tuple[Run, Run], ...]]:
        yield from self._kept
        while len(self._kept) < KEPT and self._count == len(self._kept):
            run = next(self._drawn, None)
            if run is None:
                return
            self._count += 1
            self._kept.append(tuple(self._completed(run)))
            yield self._kept[-1]

    def _completed(self, run: Run) -> Iterator[tuple[Run, Run]]:
        program = program_of(self._policy)
        for one in numbered(known(run)):
            yield tuple(one), program.complete_all(with_stand_ins(self._policy, one))


@lru_cache(maxsize=2)
def _samples(policy: IdentityKey) -> _Samples:
    return _Samples(policy.held[0])  # type: ignore[arg-type]
