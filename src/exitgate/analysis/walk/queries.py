"""
Questions about a policy, answered by the boundary walk.

Each asks for an input, and its answer is about the claim that there is none. REFUTED comes with a
run: facts of each iteration, oldest first, unknown ones left out, which the real engine has
confirmed. PROVED means that no input at all is one. UNDECIDED means that a limit was reached first, or
that no point walked is one and other points may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec.structs import replace

from exitgate.analysis.results.answer import (
    PROVED,
    REFUTED,
    UNDECIDED,
    Answer,
    together,
)
from exitgate.analysis.space.counters import AFTER, BEFORE, FAILURE, ITERATIONS, SUSPENDING
from exitgate.analysis.space.domains import IdentityKey, domains
from exitgate.analysis.space.endings import INTERRUPTED
from exitgate.analysis.space.shrink import shrink
from exitgate.analysis.space.silence import strict
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.difference import Differ
from exitgate.analysis.walk.gates import FALSE, TRUE, UNKNOWN
from exitgate.analysis.walk.query_cache import query_cache_of
from exitgate.analysis.walk.questions import Condition, Decided, Question, Winner, bit_of, breaking, results
from exitgate.analysis.walk.search import Limits
from exitgate.analysis.walk.walking import End, walked
from exitgate.analysis.walk.witnesses import (
    completed_run,
    plainer,
)
from exitgate.core.engine.record import FAILED
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import CONTINUE, STAGES
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
#: Share of the time of a question for each of its parts.
PART = 0.2


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
    answer = next(iter(_walk(easier, replace(limits, seconds=limits.seconds * PART), sample=False)))
    if isinstance(answer, End) and answer.sure:
        return answer.answer()  # what asks for more has no answer either
    run = None if isinstance(answer, End) else answer.run
    if isinstance(answer, End) or run is None or (shown := question.shown(run)) is None:
        return None
    return answer.but(run=_smallest(question, shown, among=easier) if limits.small else shown)


def _no_part(question: Question, limits: Limits) -> Answer | None:
    """Return what a group of parts of the question shows where none of them has an answer; else None."""
    best: Answer | None = None
    share = replace(limits, seconds=limits.seconds * PART)
    for parts in question.parts():
        ends: list[End] = []
        for part in parts:
            part.from_first = question.from_first
            one = next(iter(_walk(part, share, sample=False)))
            if not isinstance(one, End) or not one.came:
                break
            ends.append(one)
        else:
            best = together(end.answer() for end in ends)
            if best.status == PROVED:
                return best
    return best


def _walk(question: Question, limits: Limits, sample: bool = True) -> Iterator[Answer | End]:
    return walked(question, limits, most_of(question), sample)


def _all(question: Question, limits: Limits) -> Iterator[Answer]:
    """Yield an answer for each region found, then one that says whether there can be others."""
    for one in _walk(question, limits, limits.samples):
        yield one.answer() if isinstance(one, End) else one


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


# How many iterations a run can have.

#: Seconds and regions for one count; policies of which the length is remembered.
SECONDS, REGIONS, REMEMBERED = 1.0, 2_000, 8


def most_of(question: Question) -> int | None:
    """Return the number of iterations that no run of its policies exceeds; None where none is proved."""
    found = [most_iterations(policy) for policy in question.policies] if question.from_first else [None]
    return None if None in found else max(one for one in found if one is not None)


def most_iterations(policy: CompiledPolicy) -> int | None:
    """
    Return the number of iterations that no run exceeds; None where none is proved.

    That is the smallest count from which no stage that every iteration passes can continue. An iteration that
    failed passes `after_failure` in place of `after_iteration`. Where a rule suspends runs there is no such
    number: they go on after an exit.
    """
    return _most(IdentityKey(policy))


@lru_cache(maxsize=REMEMBERED)
def _most(one: IdentityKey) -> int | None:
    policy: CompiledPolicy = one.held[0]  # type: ignore[assignment]
    if any(rule.exit_class in SUSPENDING for rule in policy.rules):
        return None
    points = sorted(v for v in domains(policy).get(ITERATIONS, ()) if isinstance(v, int) and v > 0)
    found: int | None = None
    for count in reversed(points):
        if not (
            _ends(policy, count, BEFORE) or (_ends(policy, count, AFTER) and _ends(policy, count, FAILURE))
        ):
            break
        found = count
    return found


def _ends(policy: CompiledPolicy, count: int, stage: str) -> bool:
    """Return whether it is proved that a stage never continues from a count of iterations on."""
    if not any(rule.effect == "exit" for rule in deciding(policy, stage)):
        return False
    counted = policy.facts[ITERATIONS].type
    fact, number = (Node(op, (arg,), 0, 0, counted) for op, arg in (("fact", ITERATIONS), ("number", count)))
    given = Node("compare", (">=", fact, number), 0, 0, BOOL)
    question = Decided(policy, results(policy, CONTINUE, stage), stage, given)
    question.from_first = False
    end = next(iter(walked(question, Limits(SECONDS, REGIONS, small=False), None, sample=False)))
    return isinstance(end, End) and end.sure


# Why a check never asks the stage of a rule or promise where its condition is true.

Wanted = list[tuple[Node, bool | str]]


def only_elsewhere(
    policy: CompiledPolicy, when: Node, stage: str, proved_none: Callable[[Wanted], bool]
) -> str:
    """
    Return why no check without `--stage` asks `stage` where `when` is true; the empty text if one may.

    Args:
        policy: The policy of both.
        when: A condition that can be true.
        stage: The stage that is asked for it.
        proved_none: Whether it is proved that conditions never have these truths at once.
    """
    known = [Node("fact", (name,), type=BOOL) for name in (FAILED, INTERRUPTED) if name in policy.facts]
    if not known:
        return ""
    if stage == AFTER and proved_none([(when, True), *((fact, NOT_TRUE) for fact in known)]):
        return f"it is true only where the agent failed, and a check without `--stage` asks `{FAILURE}` then"
    if stage == FAILURE and FAILED in policy.facts and proved_none([(when, True), (known[0], True)]):
        return (
            f"it is never true where the agent failed; only then a check without `--stage` asks `{FAILURE}`"
        )
    return ""
