"""The part of a policy that some conditions rest on: what a question about them alone needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exitgate.analysis.space.dependencies import STARTS
from exitgate.core.language.measure import facts_of, reachable
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy, Derived

#: From so many rules on a question about one condition is asked of its part. A smaller policy keeps one set
#: of candidates and gates for all questions; a part has its own, but they are few.
MANY = 40


def slice_of(policy: CompiledPolicy, nodes: Sequence[Node]) -> CompiledPolicy:
    """
    Return the policy without the rules, named conditions and facts that `nodes` do not rest on.

    Rules and invariants stay where they read facts of a plan that `nodes` read: their constants say which
    sizes of plans are looked at. A condition that asks whether nothing is known rests on every fact: for one
    the policy comes back as it is.
    """
    trees, derived = list(nodes), set[str]()
    while True:
        names = _names(policy, trees)
        computed = [fact for fact in policy.derived if fact.name in names and fact.name not in derived]
        if not computed:
            break
        derived |= {fact.name for fact in computed}
        trees += [tree for fact in computed for tree in fact.trees()]
        derived, trees = _with_signals(policy, computed, derived, trees)
    plans = tuple(f"{e.prefix}." for e in policy.extractions if e.extractor in STARTS)
    read = tuple(plan for plan in plans if any(name.startswith(plan) for name in names))
    rules = tuple(r for r in policy.rules if _reads(policy, r.when, read)) if read else ()
    givens = tuple(i for i in policy.invariants if _reads(policy, i.given, read)) if read else ()
    more = [rule.when for rule in rules] + [one.given for one in givens]
    if more:
        computed = [fact for fact in policy.derived if fact.name in _names(policy, more)]
        if any(fact.name not in derived for fact in computed):
            return policy
    conditions = {name for tree in (*trees, *more) for name in reachable(tree, policy.conditions)}
    kept = [*trees, *more, *(policy.conditions[name] for name in conditions)]
    if any(part.op == "silence" for tree in kept for part in tree.walk()):
        return policy
    computed = [fact for fact in policy.derived if fact.name in derived]
    facts = _names(policy, kept) | derived | {signal for fact in computed for signal in fact.signals}
    return policy.but(
        rules=rules,
        invariants=givens,
        conditions={name: node for name, node in policy.conditions.items() if name in conditions},
        derived=tuple(computed),
        facts={name: policy.facts[name] for name in sorted(facts) if name in policy.facts},
    )


def _with_signals(
    policy: CompiledPolicy, computed: Iterable[Derived], derived: set[str], trees: list[Node]
) -> tuple[set[str], list[Node]]:
    """Return the computed facts and trees with those that signals of progress are computed from."""
    signals = {signal for fact in computed for signal in fact.signals}
    for fact in policy.derived:
        same = any(fact.signals and fact.signals == one.signals for one in computed)
        if (fact.name in signals or same) and fact.name not in derived:
            derived = {*derived, fact.name}
            trees = [*trees, *fact.trees()]
    return derived, trees


def _names(policy: CompiledPolicy, trees: Iterable[Node]) -> set[str]:
    return {name for tree in trees for name in facts_of(tree, policy.conditions)}


def _reads(policy: CompiledPolicy, tree: Node, plans: tuple[str, ...]) -> bool:
    return any(name.startswith(plans) for name in facts_of(tree, policy.conditions))
