"""Where conditions and formulas are in a compiled policy."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from exitgate.core.language.functions import COUNTING_TRUE
from exitgate.core.language.measure import lookback, sizes_of
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.compiled import CompiledPolicy, Derived

Path = tuple[int, ...]


SHADOW, ENFORCE = "shadow", "enforce"
RULE, CONDITION, ROW, FORMULA, OPENING, WATCH, CLOSE = (
    "rule", "condition", "row", "formula", "opening", "watch", "close",
)  # fmt: skip
#: Places whose conditions move the breaker.
BREAKER = (OPENING, WATCH, CLOSE)


class ConditionSite(Struct, frozen=True):
    """
    One place of a condition: the `section`, the `name` there, and for a row of points its `index`.

    `place` is where it is in the file, None where a compiled policy does not know.
    """

    section: str
    name: str
    index: int = 0
    place: Location | None = None

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


def condition_sites(policy: CompiledPolicy) -> Iterator[tuple[ConditionSite, Node]]:
    """Yield every place with the tree there: rules in order, named conditions, computed facts, breaker."""
    for rule in policy.rules:
        yield ConditionSite(RULE, rule.id, place=rule.place), rule.when
    for name, tree in policy.conditions.items():
        yield ConditionSite(CONDITION, name), tree
    for fact in policy.derived:
        for index, row in enumerate(fact.rows):
            yield ConditionSite(ROW, fact.name, index), row.when
        if fact.formula is not None:
            yield ConditionSite(FORMULA, fact.name), fact.formula
    if policy.breaker is not None:
        for opening in policy.breaker.openings:
            yield ConditionSite(OPENING, opening.id, place=opening.place), opening.when
        if policy.breaker.watch is not None:
            yield ConditionSite(WATCH, "watch"), policy.breaker.watch
        if policy.breaker.close is not None:
            yield ConditionSite(CLOSE, "close"), policy.breaker.close


def mutable(policy: CompiledPolicy) -> Iterator[tuple[ConditionSite, Node]]:
    """Yield the `condition_sites` except those of rules that only record: these change no decision."""
    shadows = {rule.id for rule in policy.rules if rule.mode == SHADOW}
    return (one for one in condition_sites(policy) if not (one[0].section == RULE and one[0].name in shadows))


def replaced(policy: CompiledPolicy, where: ConditionSite, tree: Node) -> CompiledPolicy:
    """Return the policy with another tree at a place; it looks back as far as that one needs."""
    policy = _put(policy, where, tree)
    far = lookback(tree, policy.values(), policy.conditions)
    return policy.but(lookback=far) if far > policy.lookback else policy


def _put(policy: CompiledPolicy, where: ConditionSite, tree: Node) -> CompiledPolicy:
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


def _in_fact(fact: Derived, where: ConditionSite, tree: Node) -> Derived:
    if where.section == FORMULA:
        return fact.but(formula=tree)
    rows = (row.but(when=tree) if i == where.index else row for i, row in enumerate(fact.rows))
    return fact.but(rows=tuple(rows))


# Parts of a condition's tree, where they are, and what they do to the whole.

#: How a part moves the whole: the truer it is, the truer the whole; the less true; or no telling.
WITH, AGAINST, EITHER = 1, -1, 0
#: Operations that join conditions; every other operation of type bool is a test, a leaf of the condition.
JOINING = frozenset(("and", "or", "not", "consecutive", "quantified"))
#: Operations that look at this iteration alone: what is known of it stays known in their parts.
AT_ONCE = frozenset(("and", "or", "not"))


class NodeSite(Struct, frozen=True):
    """
    A part of a tree.

    Args:
        node: The part.
        path: Numbers of arguments from the root down to it.
        way: `WITH`, `AGAINST` or `EITHER`.
        is_size: Whether it is a number of iterations or times.
        above: The operation it is part of, empty for the root.
        known: Facts and conditions, as they are written, that are known wherever the part counts.
    """

    node: Node
    path: Path
    way: int
    is_size: bool
    above: str
    known: frozenset[str]

    @property
    def is_test(self) -> bool:
        """Whether it is a condition that joins no others; a value compared with true or false is none."""
        node = self.node
        if node.type is None or node.type.kind != "bool" or node.op in (*JOINING, "bool"):
            return False
        return not self.above or self.above in JOINING or self.above in COUNTING_TRUE


def node_sites(
    tree: Node, way: int, known: frozenset[str] = frozenset(), ever: frozenset[str] = frozenset()
) -> tuple[NodeSite, ...]:
    """
    Return every part of a checked tree, parents first, from left to right.

    `way` is that of the root; what is `known` in this iteration, and what is known in all of them, is
    reported, other facts are found where an ``and`` asks for them.
    """
    sizes = frozenset(id(size) for size in sizes_of(tree))
    return tuple(_leaf_locations(tree, (), way, sizes, "", known | ever, ever))


def _leaf_locations(
    node: Node,
    path: Path,
    way: int,
    sizes: frozenset[int],
    above: str,
    known: frozenset[str],
    ever: frozenset[str],
) -> Iterator[NodeSite]:
    yield NodeSite(node, path, way, id(node) in sizes, above, known)
    below = _way_below(node, way)
    if node.op not in AT_ONCE:
        known = ever
    elif node.op == "and":
        known = known | asked_for(node)
    for index, arg in enumerate(node.args):
        if isinstance(arg, Node):
            yield from _leaf_locations(arg, (*path, index), below, sizes, node.op, known, ever)


def asked_for(node: Node, whether: str = "known") -> frozenset[str]:
    """Return what parts of an ``and`` ask to be known, an ``or`` to be unknown: as it is written."""
    return frozenset(unparse(part.child(0)) for part in node.children() if part.op == whether)


def _way_below(node: Node, way: int) -> int:
    if node.op == "not" or (node.op == "quantified" and node.args[0] == "at_most"):
        return -way
    return way if node.op in JOINING else EITHER


def put(tree: Node, path: Path, part: Node) -> Node:
    """Return the tree with `part` at `path`."""
    if not path:
        return part
    args = list(tree.args)
    args[path[0]] = put(tree.child(path[0]), path[1:], part)
    return Node(tree.op, tuple(args), tree.start, tree.end, tree.type)


def with_args(node: Node, *args: Node | str | int | float | bool | None) -> Node:
    """Return the same operation with other arguments."""
    return Node(node.op, args, node.start, node.end, node.type)


def negated(node: Node) -> Node:
    """Return ``not node``."""
    return Node("not", (node,), node.start, node.end, node.type)


# How named conditions count wherever a policy uses them.


def polarities(policy: CompiledPolicy) -> dict[str, int]:
    """
    Return `WITH`, `AGAINST` or `EITHER` of each named condition that something uses.

    One that is used in two ways is `EITHER`: no telling whether it is better true or false.
    """
    found: dict[str, set[int]] = {}
    for where, tree in mutable(policy):
        if where.section != CONDITION:
            _follow(tree, where.way, policy, found)
    return {name: next(iter(one)) if len(one) == 1 else EITHER for name, one in found.items()}


def _follow(tree: Node, way: int, policy: CompiledPolicy, found: dict[str, set[int]]) -> None:
    for site in node_sites(tree, way):
        if site.node.op != "condition":
            continue
        name = str(site.node.args[0])
        seen = found.setdefault(name, set())
        if site.way not in seen:
            seen.add(site.way)
            _follow(policy.conditions[name], site.way, policy, found)
