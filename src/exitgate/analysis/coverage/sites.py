"""The parts of a policy that have conditions, in the order of reports."""

from __future__ import annotations

from exitgate.analysis.coverage.leaves import leaves
from exitgate.language.unparse import unparse
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Rule

RULE, CONDITION, POINTS, FORMULA, CIRCUIT = "rule", "condition", "points", "formula", "circuit"


class Site(Value):
    """
    One part with its trees.

    Args:
        kind: `RULE`, `CONDITION`, `POINTS`, `FORMULA` or `CIRCUIT`.
        name: Id of the rule; name of the condition or fact; ``open ID``, ``watch`` or ``close``.
        trees: Each with whether it is a condition, or gives another value.
        rule: The rule, or None.
    """

    __slots__ = ("kind", "name", "rule", "trees")

    def __init__(
        self, kind: str, name: str, trees: tuple[tuple[Node, bool], ...], rule: Rule | None = None
    ) -> None:
        self.kind = kind
        self.name = name
        self.trees = trees
        self.rule = rule

    @property
    def key(self) -> tuple[str, str]:
        """Kind and name: no two sites of a policy share them."""
        return self.kind, self.name

    def leaves(self) -> Iterator[Node]:
        """Yield the leaves of every tree, those written twice twice."""
        for tree, is_condition in self.trees:
            yield from leaves(tree, is_condition)

    def texts(self) -> dict[str, Node]:
        """Return the leaves by canonical text, each once, in order."""
        found: dict[str, Node] = {}
        for leaf in self.leaves():
            found.setdefault(unparse(leaf), leaf)
        return found


def sites(policy: CompiledPolicy) -> tuple[Site, ...]:
    """Return every site: rules in chain order, conditions, computed facts, the breaker; no invariants."""
    found = [Site(RULE, rule.id, _of_rule(rule), rule) for rule in policy.rules]
    found += [Site(CONDITION, name, ((tree, True),)) for name, tree in policy.conditions.items()]
    for fact in policy.derived:
        if fact.rows:
            found.append(Site(POINTS, fact.name, tuple((row.when, True) for row in fact.rows)))
        if fact.formula is not None:
            is_condition = fact.formula.type is not None and fact.formula.type.kind == "bool"
            found.append(Site(FORMULA, fact.name, ((fact.formula, is_condition),)))
    breaker = policy.breaker
    if breaker is not None:
        found += [Site(CIRCUIT, f"open {one.id}", ((one.when, True),)) for one in breaker.openings]
        for name, tree in (("watch", breaker.watch), ("close", breaker.close)):
            found += [Site(CIRCUIT, name, ((tree, True),))] if tree is not None else []
    return tuple(found)


def _of_rule(rule: Rule) -> tuple[tuple[Node, bool], ...]:
    """Return its condition, and when it lets a run that waits go on."""
    return (
        ((rule.when, True),) if rule.retry_after is None else ((rule.when, True), (rule.retry_after, False))
    )
