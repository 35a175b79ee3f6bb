"""What a mutant changes: each makes another policy of a policy."""

from __future__ import annotations

from exitgate.analysis.mutation.places import places, replaced
from exitgate.language.measure import lookback
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.mutation.places import Where
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Derived, Rule


class Change(Value):
    """One change. `made` takes the policy the mutant was made from, no matter what its parameters' values."""

    __slots__ = ()

    def made(self, policy: CompiledPolicy) -> CompiledPolicy:
        """Return the changed policy."""
        raise NotImplementedError


class ChangedTree(Change):
    """Another condition or formula at a place."""

    __slots__ = ("tree", "where")

    def __init__(self, where: Where, tree: Node) -> None:
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
        far = max((lookback(tree, values, policy.conditions) for _, tree in places(policy)), default=0)
        return policy.but(lookback=far) if far > policy.lookback else policy
