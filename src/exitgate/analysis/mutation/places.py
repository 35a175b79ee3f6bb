"""Where conditions and formulas are in a compiled policy."""

from __future__ import annotations

from exitgate.analysis.mutation.trees import EITHER, WITH
from exitgate.language.measure import lookback
from exitgate.language.unparse import unparse
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.language.tree import Node
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy, Derived

SHADOW, ENFORCE = "shadow", "enforce"
RULE, CONDITION, ROW, FORMULA, OPENING, WATCH, CLOSE = (
    "rule", "condition", "row", "formula", "opening", "watch", "close",
)  # fmt: skip
#: Places whose conditions move the breaker.
BREAKER = (OPENING, WATCH, CLOSE)


class Where(Value):
    """
    One place of a condition: the `section`, the `name` there, and for a row of points its `index`.

    `place` is where it is in the file, None where a compiled policy does not know.
    """

    __slots__ = ("index", "name", "place", "section")

    def __init__(self, section: str, name: str, index: int = 0, place: Place | None = None) -> None:
        self.section = section
        self.name = name
        self.index = index
        self.place = place

    @property
    def key(self) -> tuple[str, str, int]:
        """Which place it is."""
        return self.section, self.name, self.index

    @property
    def subject(self) -> str:
        """The name that a mutant there goes by."""
        if self.section in (OPENING, WATCH, CLOSE):
            return f"circuit.{self.name}"
        return f"@{self.name}" if self.section == CONDITION else self.name

    @property
    def way(self) -> int:
        """How the truth of the whole condition counts; that of a formula or a named condition is open."""
        return EITHER if self.section in (CONDITION, FORMULA) else WITH


def places(policy: CompiledPolicy) -> Iterator[tuple[Where, Node]]:
    """Yield every place with the tree there: rules in order, named conditions, computed facts, breaker."""
    for rule in policy.rules:
        yield Where(RULE, rule.id, place=rule.place), rule.when
    for name, tree in policy.conditions.items():
        yield Where(CONDITION, name), tree
    for fact in policy.derived:
        for index, row in enumerate(fact.rows):
            yield Where(ROW, fact.name, index), row.when
        if fact.formula is not None:
            yield Where(FORMULA, fact.name), fact.formula
    if policy.breaker is not None:
        for opening in policy.breaker.openings:
            yield Where(OPENING, opening.id, place=opening.place), opening.when
        if policy.breaker.watch is not None:
            yield Where(WATCH, "watch"), policy.breaker.watch
        if policy.breaker.close is not None:
            yield Where(CLOSE, "close"), policy.breaker.close


def mutable(policy: CompiledPolicy) -> Iterator[tuple[Where, Node]]:
    """Yield the `places` except those of rules that only record: these change no decision."""
    shadows = {rule.id for rule in policy.rules if rule.mode == SHADOW}
    return (one for one in places(policy) if not (one[0].section == RULE and one[0].name in shadows))


def replaced(policy: CompiledPolicy, where: Where, tree: Node) -> CompiledPolicy:
    """Return the policy with another tree at a place; it looks back as far as that one needs."""
    policy = _put(policy, where, tree)
    far = lookback(tree, policy.values(), policy.conditions)
    return policy.but(lookback=far) if far > policy.lookback else policy


def _put(policy: CompiledPolicy, where: Where, tree: Node) -> CompiledPolicy:
    if where.section == RULE:
        text = unparse(tree)
        rules = (r.but(when=tree, text=text) if r.id == where.name else r for r in policy.rules)
        return policy.but(rules=tuple(rules))
    if where.section == CONDITION:
        return policy.but(conditions={**policy.conditions, where.name: tree})
    if where.section in (ROW, FORMULA):
        facts = (_in_fact(f, where, tree) if f.name == where.name else f for f in policy.derived)
        return policy.but(derived=tuple(facts))
    breaker = policy.breaker
    assert breaker is not None
    if where.section == OPENING:
        text = unparse(tree)
        openings = (o.but(when=tree, text=text) if o.id == where.name else o for o in breaker.openings)
        return policy.but(breaker=breaker.but(openings=tuple(openings)))
    return policy.but(breaker=breaker.but(**{where.section: tree}))


def _in_fact(fact: Derived, where: Where, tree: Node) -> Derived:
    if where.section == FORMULA:
        return fact.but(formula=tree)
    rows = (row.but(when=tree) if i == where.index else row for i, row in enumerate(fact.rows))
    return fact.but(rows=tuple(rows))
