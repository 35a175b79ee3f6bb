"""
Questions about a policy, answered by the boundary walk.

Each asks for an input, and its answer is about the claim that there is none. REFUTED comes with a
run: facts of each iteration, oldest first, unknown ones left out, which the real engine has
confirmed. PROVED means that no input at all is one. UNDECIDED means that a limit was reached first, or
that no point walked is one and other points may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from exitgate.analysis.results.answer import (
    PROVED,
    REFUTED,
    UNDECIDED,
    Answer,
    at_no_point,
    proved,
    refuted,
    together,
    undecided,
)
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.exactness import exact, has_all_choices
from exitgate.analysis.space.samples import Sampler, known
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.analysis.walk.prefix import Prefix, going_on_nodes, loosens
from exitgate.analysis.walk.query_cache import FreeQueryCache, QueryCache, query_cache_of
from exitgate.analysis.walk.questions import Condition, Decided, Question, Winner, bit_of, breaking, results
from exitgate.analysis.walk.run_length import counted_start
from exitgate.analysis.walk.search import Limits, Spent, UnsettledError, regions, with_sums
from exitgate.analysis.walk.variables import Variables
from exitgate.analysis.walk.witnesses import (
    ROUND_REGIONS,
    completed_run,
    found_early,
    plainer,
    time_for,
    variables_of,
    witness_of,
)
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import STAGES
from exitgate.core.model.display import counted
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import CompiledPolicy, Invariant

Run = tuple[Mapping[str, object], ...]


__all__ = [
    "NOT_TRUE", "PROVED", "REFUTED", "RESULT", "RULE", "UNDECIDED", "Answer", "Limits", "all_be", "both_true",
    "breaks", "can_be", "can_decide", "can_decide_after", "decides", "differ", "differences", "reaches",
]  # fmt: skip

AFTER_ITERATION = "after_iteration"
#: What two policies are compared by: verdict, class, outcome and warnings, or also which rule it was.
RESULT, RULE = "result", "rule"
#: What `all_be` wants of a condition that must not be definitely true.
NOT_TRUE = "not true"
LIMITS = Limits()
#: Regions of one length of which no run is found before the next length is walked.
LOST = 8
#: Share of the time of a question for each of its parts.
PART = 0.2
#: Share of the time of a question in which runs are looked for where points do not tell how they lie in time.
IN_TIME = 0.2
#: Why what was found at no point may be found elsewhere, then.
OTHER_TIMES = "; times may lie apart in other ways"
#: Where the walk comes to no end: samples at most, share of the time of a question.
SAMPLES, SAMPLING, SEED = 3000, 0.3, 1


def can_be(policy: CompiledPolicy, node: Node, truth: bool | None, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the condition `node` is True, False, or unknown (None)."""
    return _first(Condition(policy, [(node, bit_of(truth))]), limits)


def both_true(policy: CompiledPolicy, rule_a: str, rule_b: str, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the conditions of both rules are true. Raises KeyError for no such rule."""
    whens = {rule.id: rule.when for rule in policy.rules}
    return _first(Condition(policy, [(whens[rule_a], TRUE), (whens[rule_b], TRUE)]), limits)


def all_be(
    policy: CompiledPolicy, wanted: Iterable[tuple[Node, bool | str | None]], limits: Limits = LIMITS
) -> Answer:
    """Return an input on which each condition has the truth wanted of it; `NOT_TRUE` is false or unknown."""
    bits = [(node, FALSE | UNKNOWN if truth == NOT_TRUE else bit_of(truth)) for node, truth in wanted]
    question = Condition(policy, bits)
    question.from_first = False  # what conditions mean together does not depend on the length of runs
    return _first(question, limits)


def can_decide(policy: CompiledPolicy, rule_id: str, limits: Limits = LIMITS) -> Answer:
    """Return an input on which an enforced rule decides its stage. Raises KeyError for no such rule."""
    return _first(Winner(policy, rule_id), limits)


def can_decide_after(policy: CompiledPolicy, rule_id: str, node: Node, limits: Limits = LIMITS) -> Answer:
    """Return an input on which the rule decides and the condition `node` is true as well."""
    return _first(Winner(policy, rule_id, also=node), limits)


def reaches(
    policy: CompiledPolicy, result: str, limits: Limits = LIMITS, stage: str = AFTER_ITERATION
) -> Answer:
    """Return an input on which the stage decides `result`: a verdict, a class, or ``otherwise`` (no rule)."""
    return _first(Decided(policy, results(policy, result, stage), stage, None), limits)


def decides(
    policy: CompiledPolicy, result: str, given: Node, limits: Limits = LIMITS, stage: str = AFTER_ITERATION
) -> Answer:
    """Return an input on which the condition `given` is true and the stage decides `result`."""
    question = Decided(policy, results(policy, result, stage), stage, given)
    question.from_first = False  # no run may pass it, whether one gets there or not
    return _first(question, limits)


def breaks(policy: CompiledPolicy, invariant: Invariant, limits: Limits = LIMITS) -> Answer:
    """Return an input that breaks the invariant."""
    given = strict(invariant.given, domains(policy), policy)
    wanted = breaking(policy, invariant.claim, invariant.verdict, invariant.stage)
    return _first(Decided(policy, wanted, invariant.stage, given), limits)


def differ(
    a: CompiledPolicy, b: CompiledPolicy, limits: Limits = LIMITS, key: str = RESULT, part: bool = False
) -> Answer:
    """
    Return an input on which the two decide differently in some stage, as `key` counts it.

    Where they are each a `part` of a policy, it does not matter which iterations they end.
    """
    answers = []
    for stage in STAGES:
        question = Differ(a, b, stage, key == RULE)
        question.chained = not part
        answers.append(_first(question, limits).but(stage=stage))
        if answers[-1].status == REFUTED:
            return answers[-1]
    return together(answers)


def differences(
    a: CompiledPolicy, b: CompiledPolicy, limits: Limits = LIMITS, most: int = 20
) -> tuple[Answer, ...]:
    """
    Return an answer for each kind of input on which the two decide differently: the smallest example.

    A kind is a stage with the results of both, by `Answer.kind`; `Answer.points` counts the points
    of its regions. At most `most`; a last answer that is PROVED or UNDECIDED says if there can be others.
    """
    found: dict[object, Answer] = {}
    endings: list[Answer] = []
    for stage in STAGES:
        question = Differ(a, b, stage, False, apart=True)
        for answer in _all(question, limits):
            if answer.status != REFUTED:
                endings.append(answer.but(stage=stage))
                continue
            kind = (stage, *question.kind(answer.run or ()))
            known = found.get(kind)
            if known is None and len(found) < most:
                found[kind] = answer.but(stage=stage, kind=kind)
            elif known is not None:
                found[kind] = known.but(points=known.points + answer.points)
    examples = [
        one.but(run=_smallest(Differ(a, b, one.stage, False), one.run or (), one.kind))
        for one in found.values()
    ]
    return (*examples, together(endings))


def _first(question: Question, limits: Limits) -> Answer:
    found = _easily(question, limits)
    if found is not None:
        return found
    none = _no_part(question, limits)
    if none is not None:
        return none
    answer = next(iter(_all(question, limits)))
    if answer.status == REFUTED and limits.small:
        return answer.but(run=_smallest(question, answer.run or ()))
    return answer


def _easily(question: Question, limits: Limits) -> Answer | None:
    """Return an answer that one of an easier question is, or None where that one is none."""
    easier = question.easier()
    if easier is None:
        return None
    answer = next(iter(_walked(easier, replace(limits, seconds=limits.seconds * PART), sample=False)))
    if isinstance(answer, _End) and answer.sure:
        return answer.answer()  # what asks for more has no answer either
    run = None if isinstance(answer, _End) else answer.run
    if isinstance(answer, _End) or run is None or (shown := question.shown(run)) is None:
        return None
    return answer.but(run=_smallest(question, shown, among=easier) if limits.small else shown)


def _no_part(question: Question, limits: Limits) -> Answer | None:
    """Return what a group of parts of the question shows where none of them has an answer; else None."""
    best: Answer | None = None
    share = replace(limits, seconds=limits.seconds * PART)
    for parts in question.parts():
        ends: list[_End] = []
        for part in parts:
            part.from_first = question.from_first
            one = next(iter(_walked(part, share, sample=False)))
            if not isinstance(one, _End) or not one.came:
                break
            ends.append(one)
        else:
            best = together(end.answer() for end in ends)
            if best.status == PROVED:
                return best
    return best


class _End:
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


def _all(question: Question, limits: Limits) -> Iterator[Answer]:
    """Yield an answer for each region found, then one that says whether there can be others."""
    for one in _walked(question, limits):
        yield one.answer() if isinstance(one, _End) else one


def _walked(question: Question, limits: Limits, sample: bool = True) -> Iterator[Answer | _End]:
    """Yield an answer for each region found, then how the walk ended."""
    cache = query_cache_of(question.policies, question.nodes)
    if not question.has_windows:
        yield from _looked_for(question, cache, limits, limits, sample)
    elif _wherever_points_lie(question, cache, limits):
        yield _End(0, sure=True)
    else:
        yield from _looked_for(
            question, cache, replace(limits, seconds=limits.seconds * IN_TIME), limits, sample
        )


def _looked_for(
    question: Question, cache: QueryCache, limits: Limits, all_in_all: Limits, sample: bool
) -> Iterator[Answer | _End]:
    spent, lost, mattered, at_once = Spent(limits), 0, False, time_for(limits)
    for length in question.lengths():
        found = found_early(question, cache, length, at_once)
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
            for answer in _found(question, cache, variables, own, earlier):
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
        yield _End(spent.points, spent.why())
    elif lost:
        suggest = counted(lost, "region suggests", "regions suggest")
        why = f"{suggest} one, but no run was found that produces it"
        yield _End(spent.points, why)
    else:
        nodes = [*question.nodes, *(going_on_nodes(question.policies) if mattered else ())]
        is_exact, timed = exact(question.policies, nodes), question.has_windows
        walked = is_exact or (
            has_all_choices(question.policies, nodes) and _wherever_points_lie(question, cache, limits)
        )
        sure = not timed and question.whole and walked
        yield _End(spent.points, sure=sure, more=OTHER_TIMES if timed else "")


def _wherever_points_lie(question: Question, cache: QueryCache, limits: Limits) -> bool:
    """Return whether there is no answer even if the tests that points do not settle come out in any way."""
    free = FreeQueryCache(cache)
    spent = Spent(limits)
    lengths = question.lengths_beside_windows() if question.has_windows else question.lengths()
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
                next(regions(variables, judge, spent, counted_start(question, variables)), None) is not None
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
) -> Iterator[Answer | None]:
    """Yield an answer for each region found; None for one of which no run was found that brings it about."""
    abstract_policies = [cache.abstract_policy(number, variables) for number in range(len(question.policies))]
    judge = earlier.with_judge(question.on(cache, variables), abstract_policies)
    judge = with_sums(judge, abstract_policies, range(variables.iterations))
    lost = 0
    try:
        for region in regions(variables, judge, spent, counted_start(question, variables)):
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
    from exitgate.core.language.tree import Node

    spent = Spent(replace(limits, seconds=limits.seconds * SAMPLING))
    anything = Node("bool", (True,), 0, 0, BOOL)
    for run in Sampler(question.policies[0], SEED).runs(anything, SAMPLES):
        if not spent.step():
            return None
        if (shown := question.shown(known(run))) is not None:
            return shown
    return None


def proved_of(question: Question, limits: Limits) -> bool:
    """Return whether it is proved that a question has no answer."""
    end = next(iter(_walked(question, limits, sample=False)))
    return isinstance(end, _End) and end.sure


def _smallest(question: Question, run: Run, kind: object = None, among: Question | None = None) -> Run:
    """
    Return the run made small as long as it stays an answer, of the same kind where there is one.

    The facts tried are those of the question, or of `among`.
    """
    source = question if among is None else among
    cache = query_cache_of(source.policies, source.nodes)
    variables, candidates = cache.variables(1), cache.domains

    def still(smaller: Run) -> bool:
        if question.shown(smaller) != smaller:
            return False
        whole = completed_run(smaller, variables)
        if whole is None or (whole != smaller and question.shown(whole) is None):
            return False
        return kind is None or (question.stage, *question.kind(smaller)) == kind

    return tuple(dict(values) for values in shrink(plainer(run, variables, still), still, candidates))
