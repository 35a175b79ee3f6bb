"""One mistake made in a policy on purpose."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.mutation.sites import (
    BREAKER,
    CONDITION,
    FORMULA,
    ROW,
    RULE,
    ConditionSite,
    condition_sites,
    replaced,
)
from exitgate.core.language.measure import facts_of, lookback, parameters_of, reachable
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import Location
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy, Derived, Rule


class Mutant(Struct, frozen=True):
    """
    One small mistake in a policy.

    Args:
        id: `SUBJECT:KIND:NUMBER`, for example ``low_confidence:comparison:1``: the same in every run
            over the same policy. Numbers count the mutants of one kind in one subject, from 1.
        kind: One of `exitgate.analysis.mutation.registry.KINDS`.
        subject: What was changed: a rule's id, ``@condition``, a computed fact, ``$parameter``,
            ``circuit.OPENING``, ``circuit.watch`` or ``circuit.close``.
        before, after: What was there and what is there now, as the language writes it; an empty
            `after` for what is dropped.
        change: Makes the mutant of the policy, also of the policy with other values of its parameters.
        place: Where the rule or the opening is, or None for what has no place in a compiled policy.
    """

    id: str
    kind: str
    subject: str
    before: str
    after: str
    change: Change
    place: Location | None = None

    def of(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy with the mistake in it. Its digest is another one, as its text would be."""
        return self.change.made(policy).but(digest=f"{policy.digest}+{self.id}")


# A mutant before it has its number.


class Draft(Struct, frozen=True):
    """What a kind says of one mutant: as `Mutant`, without id and kind."""

    subject: str
    before: str
    after: str
    change: Change
    place: Location | None = None


# What a mutant changes: each makes another policy of a policy.


class Change(Value):
    """One change. `made` takes the policy the mutant was made from, no matter what its parameters' values."""

    __slots__ = ()

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the changed policy."""
        raise NotImplementedError


class ChangedTree(Change):
    """Another condition or formula at a place."""

    __slots__ = ("tree", "where")

    def __init__(self, where: ConditionSite, tree: Node) -> None:
        self.where = where
        self.tree = tree

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy with the other tree."""
        return replaced(policy, self.where, self.tree)


class ChangedRules(Change):
    """
    Another chain.

    Args:
        order: Numbers of the rules, as they now are.
        touched: Ids of those that moved or went.
    """

    __slots__ = ("order", "touched")

    def __init__(self, order: tuple[int, ...], touched: tuple[str, ...]) -> None:
        self.order = order
        self.touched = touched

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy with its rules in the other order."""
        return policy.but(rules=tuple(policy.rules[index] for index in self.order))


class ChangedEffect(Change):
    """A rule with another verdict or class."""

    __slots__ = ("effect", "exit_class", "rule")

    def __init__(self, rule: str, effect: str, exit_class: str | None) -> None:
        self.rule = rule
        self.effect = effect
        self.exit_class = exit_class

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy in which the rule does something else."""
        return policy.but(rules=tuple(self._changed(rule) for rule in policy.rules))

    def _changed(self, rule: Rule) -> Rule:
        if rule.id != self.rule:
            return rule
        return rule.but(effect=self.effect, exit_class=self.exit_class, retry_after=None)


class ChangedFact(Change):
    """A computed fact with other points; `row` is the number of the row that changed, None for its range."""

    __slots__ = ("fact", "row")

    def __init__(self, fact: Derived, row: int | None = None) -> None:
        self.fact = fact
        self.row = row

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy that computes the fact otherwise."""
        facts = tuple(self.fact if fact.name == self.fact.name else fact for fact in policy.derived)
        return policy.but(derived=facts)


class DroppedOpening(Change):
    """A breaker with one reason less to open."""

    __slots__ = ("id",)

    def __init__(self, id: str) -> None:
        self.id = id

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy whose breaker does not open for it."""
        breaker = policy.breaker
        assert breaker is not None
        openings = tuple(opening for opening in breaker.openings if opening.id != self.id)
        return policy.but(breaker=breaker.but(openings=openings))


class ChangedParameter(Change):
    """
    Another value of a parameter, wherever conditions and messages use it.

    What extractors were reported of it and a breaker's cooldown stay as they are.
    """

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the policy with the other value; it looks back as far as that needs."""
        changed = policy.parameters[self.name].but(value=self.value)
        policy = policy.but(parameters={**policy.parameters, self.name: changed})
        values = policy.values()
        far = max(
            (lookback(tree, values, policy.conditions) for _, tree in condition_sites(policy)), default=0
        )
        return policy.but(lookback=far) if far > policy.lookback else policy


# Which conditions come out otherwise by a change, at most.


def touched_sites(change: Change, policy: CompiledPolicy) -> tuple[ConditionSite, ...]:
    """
    Return the places whose conditions or formulas a change may bring to another value.

    Named conditions are not among them, but the places that use them are. A change of the chain or of
    points has none: it changes what is made of the values.
    """
    return tuple(
        where
        for where, tree in condition_sites(policy)
        if where.section != CONDITION and _touches(change, where, tree, policy)
    )


def _touches(change: Change, where: ConditionSite, tree: Node, policy: CompiledPolicy) -> bool:
    if isinstance(change, ChangedParameter):
        return change.name in parameters_of(tree, policy.conditions)
    if isinstance(change, ChangedTree):
        if change.where.section == CONDITION:
            return change.where.name in reachable(tree, policy.conditions)
        return where == change.where
    return False


def rules_touched(change: Change, touched: tuple[ConditionSite, ...]) -> frozenset[str]:
    """Return the ids of the rules that a change with these `touched_sites` moves, drops, or makes others."""
    if isinstance(change, ChangedRules):
        return frozenset(change.touched)
    if isinstance(change, ChangedEffect):
        return frozenset((change.rule,))
    return frozenset(where.name for where in touched if where.section == RULE)


def computed_anew(
    change: Change, touched: tuple[ConditionSite, ...], policy: CompiledPolicy
) -> frozenset[str]:
    """Return the computed facts that a change at `touched` may change, and all that rest on them."""
    found = {where.name for where in touched if where.section in (ROW, FORMULA)}
    if isinstance(change, ChangedFact):
        found.add(change.fact.name)
    for fact in policy.derived:  # each follows what it uses
        trees = fact.trees()

        uses = {name for tree in trees for name in facts_of(tree, policy.conditions)} | set(fact.signals)
        if not found.isdisjoint(uses):
            found.add(fact.name)
    return frozenset(found)


def moves_breaker(
    change: Change, touched: tuple[ConditionSite, ...], anew: frozenset[str], policy: CompiledPolicy
) -> bool:
    """Return whether a change at `touched`, computing facts `anew`, may move the breaker otherwise."""
    if isinstance(change, DroppedOpening):
        return True
    if policy.breaker is None:
        return False
    trees = policy.breaker.conditions()
    read = {name for tree in trees for name in facts_of(tree, policy.conditions)}
    return not anew.isdisjoint(read) or any(where.section in BREAKER for where in touched)
