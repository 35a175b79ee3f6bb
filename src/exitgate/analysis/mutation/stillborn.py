"""Mistakes that the compiler of policies catches."""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.analysis.mutation import mutant
from exitgate.analysis.mutation.mutant import Change, rules_touched
from exitgate.analysis.mutation.sites import FORMULA, OPENING, ROW, ConditionSite, condition_sites
from exitgate.core.language.checker.check import limits
from exitgate.core.language.measure import facts_of
from exitgate.core.language.silence import Silence, exits_on_silence
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import COMPLETE
from exitgate.core.policy.compiled import CompiledPolicy, Rule
from exitgate.core.policy.sections.absent_defaults import read_silence

COMPUTED = (ROW, FORMULA)


class Compiling:
    """What the compiler would say of changes to one policy."""

    def __init__(self, policy: CompiledPolicy) -> None:
        self._policy = policy
        self._silence = _silence(policy)
        self._read = {rule.id: facts_of(rule.when, policy.conditions) for rule in policy.rules}

    def refuses(self, change: Change, touched: tuple[ConditionSite, ...]) -> bool:
        """
        Return whether the changed policy would not compile.

        It would exit, or open the breaker, without any response; or a history form cannot take the
        parameter's value. A rule that may exit on silence is passed over, as the compiler does.

        Args:
            change: Made of the policy.
            touched: Its `sites`.
        """
        if isinstance(change, mutant.ChangedRules | mutant.DroppedOpening):
            return False
        if isinstance(change, mutant.ChangedParameter) and _too_far(change, self._policy, touched):
            return True
        changed = change.made(self._policy)
        silence = self._silence
        if any(where.section in COMPUTED for where in touched) or isinstance(change, mutant.ChangedFact):
            silence = _silence(changed)
        trees = self._exits(change, changed, touched, _differing(silence, self._silence))
        values = changed.values()
        return any(
            exits_on_silence(tree, values, changed.conditions, silence, completes) is not None
            for tree, completes in trees
        )

    def _exits(
        self,
        change: Change,
        changed: CompiledPolicy,
        touched: tuple[ConditionSite, ...],
        moved: frozenset[str],
    ) -> Iterator[tuple[Node, bool]]:
        """
        Yield what must not be true on silence and may be, and whether it exits as `complete`.

        `moved` facts come to something else.
        """
        rules = rules_touched(change, touched)
        for rule in changed.rules:
            if (
                rule.effect == "exit"
                and not rule.on_silence
                and (rule.id in rules or self._reads(rule, moved))
            ):
                yield rule.when, rule.exit_class == COMPLETE
        openings = {where.name for where in touched if where.section == OPENING}
        for opening in changed.breaker.openings if changed.breaker is not None else ():
            if moved or opening.id in openings:
                yield opening.when, False

    def _reads(self, rule: Rule, moved: frozenset[str]) -> bool:
        return bool(moved) and not moved.isdisjoint(self._read[rule.id])


def _differing(one: Silence, other: Silence) -> frozenset[str]:
    """Return the computed facts that are something else when nothing is known, or rest on a default."""
    names = one.values.keys() | other.values.keys()
    values = (name for name in names if one.values.get(name) != other.values.get(name))
    moving = {(fact.name, fact.trees) for fact in one.moving} ^ {
        (fact.name, fact.trees) for fact in other.moving
    }
    return (
        frozenset(values)
        | frozenset(name for name, _ in moving)
        | (frozenset(one.defaulted) ^ frozenset(other.defaulted))
    )


def _silence(policy: CompiledPolicy) -> Silence:
    return read_silence(policy.derived, policy.values(), policy.conditions, policy.unreadable)


def _too_far(
    change: mutant.ChangedParameter, policy: CompiledPolicy, touched: tuple[ConditionSite, ...]
) -> bool:
    values = {**policy.values(), change.name: change.value}
    trees = (tree for where, tree in condition_sites(policy) if where in touched)
    return any(limits(tree, values, policy.conditions) for tree in trees)
