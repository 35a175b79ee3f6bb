"""Whether a mutant decides anything otherwise than the policy it was made from."""

from __future__ import annotations

from exitgate.analysis.mutation.changes import ChangedParameter, ChangedRules, ChangedTree
from exitgate.analysis.mutation.drawn import drawn
from exitgate.analysis.mutation.places import BREAKER, CONDITION, FORMULA, RULE, places
from exitgate.analysis.mutation.reach import computed_anew, moves_breaker, rules_touched, sites
from exitgate.analysis.mutation.trees import AGAINST, EITHER, WITH, negated
from exitgate.analysis.mutation.ways import ways
from exitgate.analysis.walk.answer import FOUND, NONE
from exitgate.language.measure import facts_of
from exitgate.language.tree import Node
from exitgate.model.type import BOOL
from exitgate.model.value import Value
from exitgate.policy.compiled import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.mutation.changes import Change
    from exitgate.analysis.mutation.mutant import Mutant
    from exitgate.analysis.mutation.places import Where
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


def judge(policy: CompiledPolicy, mutant: Mutant, limits: Limits, draws: bool = True) -> Judged:
    """
    Return whether some input makes the two decide differently: verdict, class, outcome or warnings.

    Small questions come first: the rules in question alone, then with those before them. What holds
    there holds in the whole policy; an input that is found there is tried on the whole policy. What the
    breaker does is asked of its conditions.

    Args:
        policy: The original.
        mutant: Made of it.
        limits: Of each of at most three questions a rule, and of one a condition of the breaker.
        draws: Whether runs are drawn at random where the walk came to no end.
    """
    changed = mutant.of(policy)
    touched = sites(mutant.change, policy)
    anew = computed_anew(mutant.change, touched, policy)
    here = _here(policy, changed, mutant.change, touched, limits)
    if here is not None:
        return here
    rules = rules_touched(mutant.change, touched) | {
        rule.id for rule in policy.rules if not anew.isdisjoint(facts_of(rule.when, policy.conditions))
    }
    found = _by_rules(policy, changed, rules, isinstance(mutant.change, ChangedRules), limits)
    if draws and found.status == OPEN and (example := drawn(policy, changed, rules)) is not None:
        found = Judged(DIFFERENT, *example)
    if found.status == DIFFERENT or not moves_breaker(mutant.change, touched, anew, policy):
        return found
    return _worse(found, _by_breaker(policy, changed, limits))


def _here(
    policy: CompiledPolicy,
    changed: CompiledPolicy,
    change: Change,
    touched: tuple[Where, ...],
    limits: Limits,
) -> Judged | None:
    """
    Return that the changed condition itself never comes out otherwise where that matters, else None.

    Rules are asked later, as they are; a formula has more values than a condition.
    """
    if not isinstance(change, ChangedTree | ChangedParameter) or any(w.section == FORMULA for w in touched):
        return None
    if isinstance(change, ChangedTree) and change.where.section == CONDITION:
        way = ways(policy).get(change.where.name, EITHER)
        name = Node("condition", (change.where.name,), type=BOOL)
        asked = [(name, name)] if way != AGAINST else []
        asked += [(negated(name), negated(name))] if way != WITH else []
    elif all(where.section == RULE for where in touched):
        return None
    else:
        ours, theirs = (dict(_trees(one)) for one in (policy, changed))
        asked = [(ours[where.key], theirs[where.key]) for where in touched]
    found = Judged(SAME)
    for before, after in asked:
        answer = _differ_in(policy, before, changed, after, limits)
        if answer.status != NONE:
            return None
        found = _worse(found, _nothing(answer))
    return found


def _trees(policy: CompiledPolicy) -> Iterator[tuple[tuple[str, str, int], Node]]:
    return ((where.key, tree) for where, tree in places(policy))


def _differ_in(
    policy: CompiledPolicy, before: Node, changed: CompiledPolicy, after: Node, limits: Limits
) -> Answer:
    """Return an input on which one condition is definitely true and the other is not."""
    from exitgate.analysis.ask import differ

    return differ(_asking(policy, before), _asking(changed, after), limits)


def _asking(policy: CompiledPolicy, tree: Node) -> CompiledPolicy:
    return policy.but(rules=(Rule("asked", "exit", "review", "asked", tree, ""),))


def _by_rules(
    policy: CompiledPolicy, changed: CompiledPolicy, rules: frozenset[str], together: bool, limits: Limits
) -> Judged:
    from exitgate.analysis.ask import differ
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
    """Return whether conditions of the breaker can come out otherwise."""
    found = Judged(SAME)
    ours, theirs = (
        {where.key: tree for where, tree in places(one) if where.section in BREAKER}
        for one in (policy, changed)
    )
    never = Node("bool", (False,), type=BOOL)
    for key, tree in ours.items():
        answer = _differ_in(policy, tree, changed, theirs.get(key, never), limits)
        if answer.status == FOUND:
            return Judged(DIFFERENT, answer.run, answer.stage, answer.points, in_breaker=True)
        found = _worse(found, _nothing(answer) if answer.status == NONE else _open(answer))
    return found


def _nothing(answer: Answer) -> Judged:
    return Judged(SAME if answer.exact else ALIKE, points=answer.points)


def _open(answer: Answer) -> Judged:
    return Judged(OPEN, points=answer.points, why=answer.why)


def _worse(one: Judged, other: Judged) -> Judged:
    """Return what is to be said where one part of the policy came to `one` and another to `other`."""
    order = (SAME, ALIKE, OPEN, DIFFERENT)
    worse = max(one, other, key=lambda judged: order.index(judged.status))
    return worse.but(points=one.points + other.points)
