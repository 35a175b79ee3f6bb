"""The parts of a policy that have conditions, in the order of reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from exitgate.core.language import measure
from exitgate.core.language.functions import CONDITION_ARGS, HISTORY, HISTORY_FORMS, ON_ITEMS
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.compiled import CompiledPolicy, Rule
from exitgate.core.policy.extending.condition_sites import named_condition
from exitgate.core.policy.extending.merged import Merged, read_merged
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library
from exitgate.core.policy.sections.conditions import parse_condition
from exitgate.core.policy.yaml.node import YamlNode

RULE, CONDITION, POINTS, FORMULA, CIRCUIT = "rule", "condition", "points", "formula", "circuit"


class Site(Struct, frozen=True):
    """
    One part with its trees.

    Args:
        kind: `RULE`, `CONDITION`, `POINTS`, `FORMULA` or `CIRCUIT`.
        name: Id of the rule; name of the condition or fact; ``open ID``, ``watch`` or ``close``.
        trees: Each with whether it is a condition, or gives another value.
        rule: The rule, or None.
    """

    kind: str
    name: str
    trees: tuple[tuple[Node, bool], ...]
    rule: Rule | None = None

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


# The leaves of a condition: what is true, false or unknown by itself, and how far back it is asked.

#: Operations that only join what their children say.
CONNECTIVES = frozenset(("and", "or", "not", "or_else"))
#: Operations that are true, false or unknown wherever they are.
TESTS = frozenset(
    (
        "compare", "is", "is_not", "known", "unknown", "in", "not_in", "between", "contains", "matches",
        *HISTORY_FORMS, "silence", "of_items",
    )
)  # fmt: skip
#: Tests that are never unknown themselves: they count iterations, or find a value known or unknown.
_DEFINITE = frozenset(("after", "known", "unknown", "silence"))


def leaves(node: Node, is_condition: bool = True) -> Iterator[Node]:
    """
    Yield the leaves of a tree from left to right, a leaf before those inside it.

    A leaf is every node that says true, false or unknown and is not an `and`, `or`, `not`, `or else`,
    `@condition` or literal: a test, and a bare fact, parameter or history value that is where a
    condition does. The condition inside a history form has leaves of its own. `is_condition` is False
    for a tree that gives another value, such as a formula.
    """
    if node.op in TESTS or (
        is_condition and node.op not in CONNECTIVES and node.op not in ("bool", "condition")
    ):
        yield node
    for child, joins in _children(node, is_condition):
        yield from leaves(child, joins)


def reaches(
    node: Node,
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    is_condition: bool = True,
) -> dict[tuple[str, Node], int]:
    """
    Return how many iterations before the current one each leaf is asked at, at most.

    Keys are the name of the `@condition` that the leaf is in, empty for the tree itself, and the
    leaf. Outside of history forms that is 0. Forms inside one another add up.
    """
    found: dict[tuple[str, Node], int] = {}
    entered: dict[str, int] = {}

    def look(part: Node, name: str, joins: bool, back: int) -> None:
        if part.op == "condition":
            inner = str(part.args[0])
            if entered.get(inner, -1) < back:
                entered[inner] = back
                look(conditions[inner], inner, True, back)
            return
        if part.op in TESTS or (joins and part.op not in CONNECTIVES and part.op != "bool"):
            found[name, part] = max(back, found.get((name, part), 0))
        below = back + (measure.reach(part, parameters) if part.op in HISTORY else 0)
        for child, joined in _children(part, joins):
            look(child, name, joined, below)
        if part.op in ON_ITEMS:
            *_, on_item = part.children()
            for one in on_item.walk():
                if one.op == "condition":
                    look(one, name, True, below)  # it says the same of every item

    look(node, "", is_condition, 0)
    return found


def may_be_unknown(leaf: Node, always_known: frozenset[str], conditions: Mapping[str, Node]) -> bool:
    """Return False for a leaf that no facts can make unknown; `always_known` are facts that never are."""
    if leaf.op in _DEFINITE:
        return False
    return bool(measure.facts_of(leaf, conditions) - always_known) or any(
        part.op == "div" for part in leaf.walk()
    )


def _children(node: Node, is_condition: bool) -> Iterator[tuple[Node, bool]]:
    """Yield each child with whether it is used as a condition; one on items is not asked by itself."""
    args = node.args[:-1] if node.op in ON_ITEMS else node.args
    for index, arg in enumerate(args):
        if not isinstance(arg, int | float | str) and arg is not None:
            joins = is_condition if node.op in CONNECTIVES else index in CONDITION_ARGS.get(node.op, ())
            yield arg, joins


# Where each leaf of a policy is in the files that the policy was written in.


class WrittenSites(Struct, frozen=True):
    """
    Places of the parts of a policy.

    Args:
        sites: Key of a site -> where its id or name is.
        leaves: Key of a site and canonical text of a leaf -> every place it is at.
        texts: File, as places name it -> its text.
    """

    sites: Mapping[tuple[str, str], Location]
    leaves: Mapping[tuple[str, str, str], tuple[Location, ...]]
    texts: Mapping[str, str]


def written_sites(path: str, found: Sequence[Site]) -> WrittenSites:
    """
    Read again where the leaves of a policy are, in its own file and those of the policies it extends.

    Args:
        path: `path` of the compiled policy; its files must be as they were when it was compiled.
        found: The sites of that policy.
    """
    findings = Findings()
    name = path.removeprefix("shipped:")
    merged = read_merged(name, Library(findings), findings)
    findings.raise_errors()
    assert merged is not None
    parts = {key: (part, conditions) for key, part, conditions in _parts(merged)}
    places: dict[tuple[str, str], Location] = {}
    of_leaves: dict[tuple[str, str, str], tuple[Location, ...]] = {}
    texts: dict[str, str] = {}
    for site in found:
        part, conditions = parts[site.key]
        places[site.key] = part.label if part.key is not None and not _is_id(site) else part.place
        for below in (part, *conditions):
            for one in below.walk():
                if one.written is not None:
                    texts.setdefault(one.written.lines.file, one.written.lines.text)
        for (tree, is_condition), condition in zip(site.trees, conditions, strict=True):
            spots = _leaf_locations(condition, is_condition)
            for leaf, place in zip(leaves(tree, is_condition), spots, strict=True):
                key = (*site.key, unparse(leaf))
                of_leaves[key] = (*of_leaves.get(key, ()), place)
    return WrittenSites(places, of_leaves, texts)


def _leaf_locations(condition: YamlNode, is_condition: bool) -> Iterator[Location]:
    """Yield the place of each leaf of a condition as it was written, from left to right."""
    spoken = parse_condition(condition, Findings())
    assert spoken is not None
    for text in spoken.leaves():
        assert text.node is not None
        for leaf in leaves(text.node, is_condition):
            wrote = text.part.written
            yield text.part.place if wrote is None else wrote.place(leaf.start, leaf.end)


def _parts(merged: Merged) -> Iterator[tuple[tuple[str, str], YamlNode, tuple[YamlNode, ...]]]:
    """Yield key, the part to point at, and its conditions, for everything that can be a site."""
    for rule in merged.rules:
        conditions = tuple(rule.fields[key] for key in ("when", "retry_after") if key in rule.fields)
        yield (RULE, rule.fields["id"].text), rule.fields["id"], conditions
    for name, part in _fields(merged.root, "conditions"):
        yield (CONDITION, name), part, (named_condition(part),)
    for name, part in _fields(merged.root, "facts"):
        if "points" in part.fields:
            yield (POINTS, name), part, tuple(row.fields["when"] for row in part.fields["points"].items)
        if "formula" in part.fields:
            yield (FORMULA, name), part, (part.fields["formula"],)
    circuit = merged.root.get("circuit")
    if circuit is not None and "open" in circuit.fields:
        for opening in circuit.fields["open"].items:
            yield (
                (CIRCUIT, f"open {opening.fields['id'].text}"),
                opening.fields["id"],
                (opening.fields["when"],),
            )
        for name in ("watch", "close"):
            if name in circuit.fields:
                yield (CIRCUIT, name), circuit.fields[name], (circuit.fields[name],)


def _fields(root: YamlNode, key: str) -> Iterator[tuple[str, YamlNode]]:
    section = root.get(key)
    yield from section.fields.items() if section is not None else ()


def _is_id(site: Site) -> bool:
    """Return whether a site is named by the text of its `id:`, not by the key it is under."""
    return site.kind == RULE or (site.kind == CIRCUIT and site.name not in ("watch", "close"))
