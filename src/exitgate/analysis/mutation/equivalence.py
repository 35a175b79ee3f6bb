"""Whether a mutant decides anything otherwise than the policy it was made from."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.mutation.mutant import (
    ChangedParameter,
    ChangedRules,
    ChangedTree,
    computed_anew,
    moves_breaker,
    rules_touched,
    touched_sites,
)
from exitgate.analysis.mutation.sites import (
    AGAINST,
    BREAKER,
    CONDITION,
    EITHER,
    FORMULA,
    RULE,
    WITH,
    condition_sites,
    negated,
    polarities,
)
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, refuted, together, undecided
from exitgate.analysis.space.domains import IdentityKey
from exitgate.analysis.space.samples import Sampler, known
from exitgate.analysis.space.shrink import shrink
from exitgate.core.language.measure import facts_of
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL
from exitgate.core.policy.compiled import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.analysis.mutation.mutant import Change, Mutant
    from exitgate.analysis.mutation.sites import ConditionSite
    from exitgate.analysis.results.answer import Answer
    from exitgate.analysis.walk.search import Limits
    from exitgate.core.policy.compiled import CompiledPolicy

    Run = tuple[Mapping[str, object], ...]
    Pair = tuple[CompiledPolicy, CompiledPolicy]
    from collections.abc import Collection, Mapping

    from exitgate.core.policy.compiled import CompiledPolicy


#: The kind of a run that only tells that conditions of the breaker come out otherwise at its end.
IN_BREAKER = ("breaker",)


def judge(policy: CompiledPolicy, mutant: Mutant, limits: Limits, draws: bool = True) -> Answer:
    """
    Return the answer to the claim that no input makes the two decide differently.

    That is in verdict, class, outcome or warnings.

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
    touched = touched_sites(mutant.change, policy)
    anew = computed_anew(mutant.change, touched, policy)
    here = _here(policy, changed, mutant.change, touched, limits)
    if here is not None:
        return here
    rules = rules_touched(mutant.change, touched) | {
        rule.id for rule in policy.rules if not anew.isdisjoint(facts_of(rule.when, policy.conditions))
    }
    found = _by_rules(policy, changed, rules, isinstance(mutant.change, ChangedRules), limits)
    if (
        draws
        and found.status == UNDECIDED
        and (example := random_difference(policy, changed, rules)) is not None
    ):
        found = refuted(example[0], stage=example[1])
    if found.status == REFUTED or not moves_breaker(mutant.change, touched, anew, policy):
        return found
    return together((found, _by_breaker(policy, changed, limits)))


def _here(
    policy: CompiledPolicy,
    changed: CompiledPolicy,
    change: Change,
    touched: tuple[ConditionSite, ...],
    limits: Limits,
) -> Answer | None:
    """
    Return that the changed condition itself never comes out otherwise where that matters, else None.

    Rules are asked later, as they are; a formula has more values than a condition.
    """
    if not isinstance(change, ChangedTree | ChangedParameter) or any(w.section == FORMULA for w in touched):
        return None
    if isinstance(change, ChangedTree) and change.where.section == CONDITION:
        way = polarities(policy).get(change.where.name, EITHER)
        name = Node("condition", (change.where.name,), type=BOOL)
        asked = [(name, name)] if way != AGAINST else []
        asked += [(negated(name), negated(name))] if way != WITH else []
    elif all(where.section == RULE for where in touched):
        return None
    else:
        ours, theirs = (dict(_trees(one)) for one in (policy, changed))
        asked = [(ours[where.key], theirs[where.key]) for where in touched]
    found = []
    for before, after in asked:
        found.append(_differ_in(policy, before, changed, after, limits))
        if found[-1].status != PROVED:
            return None
    return together(found)


def _trees(policy: CompiledPolicy) -> Iterator[tuple[tuple[str, str, int], Node]]:
    return ((where.key, tree) for where, tree in condition_sites(policy))


def _differ_in(
    policy: CompiledPolicy, before: Node, changed: CompiledPolicy, after: Node, limits: Limits
) -> Answer:
    """Return an input on which one condition is definitely true and the other is not."""
    from exitgate.analysis.walk.queries import differ

    return differ(_asking(policy, before), _asking(changed, after), limits)


def _asking(policy: CompiledPolicy, tree: Node) -> CompiledPolicy:
    return policy.but(rules=(Rule("asked", "continue", None, "asked", tree, ""),), exit_after_blind=None)


def _by_rules(
    policy: CompiledPolicy, changed: CompiledPolicy, rules: frozenset[str], as_one: bool, limits: Limits
) -> Answer:
    from exitgate.analysis.walk.difference import Differ
    from exitgate.analysis.walk.queries import differ

    found = []
    for group in [rules] if as_one else [frozenset((rule,)) for rule in sorted(rules)]:
        alone = differ(_only(policy, group), _only(changed, group), limits, part=True)
        if alone.status == PROVED:
            found.append(alone)
            continue
        answer = differ(_up_to(policy, group, policy), _up_to(changed, group, policy), limits)
        if answer.status == REFUTED:
            shown = Differ(policy, changed, answer.stage, False).shown(answer.run or ())
            answer = differ(policy, changed, limits) if shown is None else answer.but(run=shown)
        if answer.status == REFUTED:
            return answer
        found.append(answer)
    return together(found)


def _only(policy: CompiledPolicy, rules: frozenset[str]) -> CompiledPolicy:
    return _part(IdentityKey(policy), rules)


#: Parts of policies that are kept: mutants of one rule are compared with the same part of the original.
PARTS = 4


@lru_cache(maxsize=PARTS)
def _part(key: IdentityKey, rules: frozenset[str]) -> CompiledPolicy:
    policy: CompiledPolicy = key.held[0]  # type: ignore[assignment]
    return policy.but(rules=tuple(rule for rule in policy.rules if rule.id in rules))


def _up_to(policy: CompiledPolicy, rules: frozenset[str], original: CompiledPolicy) -> CompiledPolicy:
    """Return the policy with these rules and those that decide their stage before them."""
    return _part_up_to(IdentityKey(policy, original), rules)


@lru_cache(maxsize=PARTS)
def _part_up_to(key: IdentityKey, rules: frozenset[str]) -> CompiledPolicy:
    policy: CompiledPolicy = key.held[0]  # type: ignore[assignment]
    original: CompiledPolicy = key.held[1]  # type: ignore[assignment]
    order = [rule.id for rule in original.rules]
    last = max(order.index(rule) for rule in rules)
    stages = {rule.stage for rule in original.rules if rule.id in rules}
    before = frozenset(order[: last + 1])
    return policy.but(
        exit_after_blind=None,  # a rule left out may be what keeps silence from ending the run
        rules=tuple(
            rule
            for rule in policy.rules
            if rule.id in rules or (rule.id in before and rule.stage in stages and rule.effect != "warn")
        ),
    )


def _by_breaker(policy: CompiledPolicy, changed: CompiledPolicy, limits: Limits) -> Answer:
    """Return whether conditions of the breaker can come out otherwise."""
    found = []
    ours, theirs = (
        {where.key: tree for where, tree in condition_sites(one) if where.section in BREAKER}
        for one in (policy, changed)
    )
    from exitgate.analysis.walk.difference import Differ
    from exitgate.analysis.walk.queries import AFTER_ITERATION

    never = Node("bool", (False,), type=BOOL)
    for key, tree in ours.items():
        answer = _differ_in(policy, tree, changed, theirs.get(key, never), limits)
        if answer.status == REFUTED:
            question = Differ(policy, changed, AFTER_ITERATION, False)
            shown = question.reached(answer.run or ())
            if shown is not None:
                return answer.but(run=shown, kind=IN_BREAKER)
            answer = undecided("no run was found that gets there", answer.points)
        found.append(answer)
    return together(found)


# Inputs that tell a mutant from its policy, found by chance where the walk came to no end.

#: Runs that are drawn for one rule, and the seed they are drawn from.
RUNS, SEED = 400, 1


def random_difference(
    policy: CompiledPolicy, changed: CompiledPolicy, rules: Collection[str]
) -> tuple[Run, str] | None:
    """
    Return a run on which the two decide differently, made small, and the stage; None where none was drawn.

    Args:
        policy, changed: The two.
        rules: Ids of the rules in question: most runs are about the facts these read.
    """
    from exitgate.analysis.walk.difference import Differ

    sampler = Sampler(policy, SEED)
    for rule in (one for one in policy.rules if one.id in rules):
        question = Differ(policy, changed, rule.stage, False)

        def differs(run: Run, question: Differ = question) -> bool:
            return question.shown(run) == run

        for run in sampler.runs(rule.when, RUNS):
            shown = question.shown(known(run))
            if shown is not None:
                small = shrink(shown, differs, sampler.domains)
                return tuple(dict(values) for values in small), rule.stage
    return None
