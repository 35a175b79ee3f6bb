"""Whether a mutant decides anything otherwise than the policy it was made from."""

from __future__ import annotations

from exitgate.analysis.mutation.changes import ChangedRules
from exitgate.analysis.mutation.drawn import drawn
from exitgate.analysis.mutation.places import BREAKER, places
from exitgate.analysis.mutation.reach import computed_anew, moves_breaker, rules_touched, sites
from exitgate.language.measure import facts_of
from exitgate.model.value import Value
from exitgate.policy.compiled import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.analysis.walk.answer import Answer
    from exitgate.analysis.walk.search import Limits
    from exitgate.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]
    Pair = tuple[CompiledPolicy, CompiledPolicy]

SAME, ALIKE, DIFFERENT, OPEN = "same", "alike", "different", "open"


class Judged(Value):
    """
    What the analysis says of a mutant.

    Args:
        status: SAME: it decides the same on every input, a proof. ALIKE: at every point walked. DIFFERENT:
            on `run` it does not. OPEN: not decided.
        run: Facts of each iteration, oldest first, unknown ones left out; None unless DIFFERENT.
        stage: The stage that it decides otherwise.
        points: How many points were walked.
        why: Why it is OPEN; else empty.
        in_breaker: Whether `run` only tells that the breaker's conditions come out otherwise at its end.
    """

    __slots__ = ("in_breaker", "points", "run", "stage", "status", "why")

    def __init__(
        self,
        status: str,
        run: Run | None = None,
        stage: str = "after_iteration",
        points: int = 0,
        why: str = "",
        in_breaker: bool = False,
    ) -> None:
        self.status = status
        self.run = run
        self.stage = stage
        self.points = points
        self.why = why
        self.in_breaker = in_breaker


def judge(policy: CompiledPolicy, mutant: Mutant, limits: Limits) -> Judged:
    """
    Return whether some input makes the two decide differently: verdict, class, outcome or warnings.

    Small questions come first: the rules in question alone, then with those before them. What holds
    there holds in the whole policy; an input that is found there is tried on the whole policy. What the
    breaker does is asked of its conditions.

    Args:
        policy: The original.
        mutant: Made of it.
        limits: Of each of at most three questions a rule, and of two a condition of the breaker.
    """
    changed = mutant.of(policy)
    touched = sites(mutant.change, policy)
    anew = computed_anew(mutant.change, touched, policy)
    rules = rules_touched(mutant.change, touched) | {
        rule.id for rule in policy.rules if not anew.isdisjoint(facts_of(rule.when, policy.conditions))
    }
    found = _by_rules(policy, changed, rules, isinstance(mutant.change, ChangedRules), limits)
    if found.status == OPEN and (example := drawn(policy, changed, rules)) is not None:
        found = Judged(DIFFERENT, *example)
    if found.status == DIFFERENT or not moves_breaker(mutant.change, touched, anew, policy):
        return found
    return _worse(found, _by_breaker(policy, changed, limits))


def _by_rules(
    policy: CompiledPolicy, changed: CompiledPolicy, rules: frozenset[str], together: bool, limits: Limits
) -> Judged:
    from exitgate.analysis.ask import FOUND, NONE, differ
    from exitgate.analysis.walk.questions import Differ

    found = Judged(SAME)
    for group in [rules] if together else [frozenset((rule,)) for rule in sorted(rules)]:
        alone = differ(_only(policy, group), _only(changed, group), limits)
        if alone.status == NONE:
            found = _worse(found, _nothing(alone))
            continue
        answer = differ(_up_to(policy, group, policy), _up_to(changed, group, policy), limits)
        if answer.status == FOUND and not Differ(policy, changed, answer.stage, False).holds(
            answer.run or ()
        ):
            answer = differ(policy, changed, limits)
        if answer.status == FOUND:
            return Judged(DIFFERENT, answer.run, answer.stage, answer.points)
        found = _worse(found, _nothing(answer) if answer.status == NONE else _open(answer))
    return found


def _only(policy: CompiledPolicy, rules: frozenset[str]) -> CompiledPolicy:
    return policy.but(rules=tuple(rule for rule in policy.rules if rule.id in rules))


def _up_to(policy: CompiledPolicy, rules: frozenset[str], original: CompiledPolicy) -> CompiledPolicy:
    """Return the policy with these rules and those that decide their stage before them."""
    order = [rule.id for rule in original.rules]
    last = max(order.index(rule) for rule in rules)
    stages = {rule.stage for rule in original.rules if rule.id in rules}
    before = frozenset(order[: last + 1])
    return policy.but(
        rules=tuple(
            rule
            for rule in policy.rules
            if rule.id in rules or (rule.id in before and rule.stage in stages and rule.effect != "warn")
        )
    )


def _by_breaker(policy: CompiledPolicy, changed: CompiledPolicy, limits: Limits) -> Judged:
    """Return whether conditions of the breaker can come out otherwise; each is asked as if it were a rule."""
    from exitgate.analysis.ask import FOUND, NONE, differ

    found = Judged(SAME)
    ours, theirs = dict(_moving(policy)), dict(_moving(changed))
    for key, rule in ours.items():
        other = (theirs[key],) if key in theirs else ()
        answer = differ(policy.but(rules=(rule,)), changed.but(rules=other), limits)
        if answer.status == FOUND:
            return Judged(DIFFERENT, answer.run, answer.stage, answer.points, in_breaker=True)
        found = _worse(found, _nothing(answer) if answer.status == NONE else _open(answer))
    return found


def _moving(policy: CompiledPolicy) -> Iterator[tuple[tuple[str, str, int], Rule]]:
    for where, tree in places(policy):
        if where.section in BREAKER:
            yield where.key, Rule(where.subject, "exit", "halted", where.subject, tree, "")


def _nothing(answer: Answer) -> Judged:
    return Judged(SAME if answer.exact else ALIKE, points=answer.points)


def _open(answer: Answer) -> Judged:
    return Judged(OPEN, points=answer.points, why=answer.why)


def _worse(one: Judged, other: Judged) -> Judged:
    """Return what is to be said where one part of the policy came to `one` and another to `other`."""
    order = (SAME, ALIKE, OPEN, DIFFERENT)
    worse = max(one, other, key=lambda judged: order.index(judged.status))
    return worse.but(points=one.points + other.points)
