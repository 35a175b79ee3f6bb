"""Every kind of mutant, and all mutants of a policy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from exitgate.analysis.mutation.kinds import (
    arithmetic,
    boundary,
    comparison,
    connective,
    dropped_part,
    dropped_rule,
    effect,
    member,
    negation,
    parameter,
    swapped_rules,
    unknown,
    window,
)
from exitgate.analysis.mutation.kinds import (
    points as points_module,
)
from exitgate.analysis.mutation.mutant import ChangedTree, Draft, Mutant, touched_sites
from exitgate.analysis.mutation.sites import CONDITION, asked_for, mutable, node_sites, polarities, put
from exitgate.analysis.mutation.stillborn import Compiling
from exitgate.core.language.checker.check import check
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.sections.conditions import Names

#: Kinds that change a part of a condition or formula.
ON_TREES = (
    boundary, comparison, connective, dropped_part, negation, window, unknown, member, arithmetic,
)  # fmt: skip
#: Kinds that change something else.
ON_POLICIES = (parameter, dropped_rule, swapped_rules, effect, points_module)
#: What each kind does, by its name.
KINDS: dict[str, str] = {
    module.KIND: module.DOC
    for module in (*ON_TREES, dropped_rule, swapped_rules, effect, points_module)
}  # fmt: skip
#: Kinds of type without a unit: a formula may give one instead of the other.
PLAIN = frozenset(("count", "number"))


def mutants(policy: CompiledPolicy, kinds: Collection[str] = (), subject: str = "") -> tuple[Mutant, ...]:
    """
    Return the mutants of a policy, those of one subject together, in the order of the file.

    Each is a policy that would compile. Two that read alike are one.

    Args:
        policy: It is left as it is.
        kinds: Names of `KINDS`, none for all.
        subject: Only those of this rule, ``@condition``, computed fact, ``$parameter`` or ``circuit.ID``.
    """
    found: dict[tuple[str, str, str, str], Mutant] = {}
    numbers: dict[tuple[str, str], int] = {}
    compiling = Compiling(policy)
    for kind, draft in (*_on_trees(policy), *_on_policies(policy)):
        key = (kind, draft.subject, draft.before, draft.after)
        same = any((other, *key[1:]) in found for other in KINDS)
        if same or draft.before == draft.after:
            continue
        if compiling.refuses(draft.change, touched_sites(draft.change, policy)):
            continue
        number = numbers[kind, draft.subject] = numbers.get((kind, draft.subject), 0) + 1
        id = f"{draft.subject}:{kind}:{number}"
        found[key] = Mutant(id, kind, draft.subject, draft.before, draft.after, draft.change, draft.place)
    subjects = list(dict.fromkeys(one.subject for one in found.values()))
    chosen = [
        one
        for one in found.values()
        if (not kinds or one.kind in kinds) and (not subject or one.subject == subject)
    ]
    return tuple(sorted(chosen, key=lambda one: subjects.index(one.subject)))


def _on_trees(policy: CompiledPolicy) -> Iterator[tuple[str, Draft]]:
    names = Names(policy.facts, policy.parameters, policy.conditions)
    named = polarities(policy)
    points = frozenset(fact.name for fact in policy.derived if fact.rows)
    ever = definite(policy.conditions)
    for where, tree in mutable(policy):
        if where.section == CONDITION and where.name not in named:
            continue  # nothing is decided by it
        before = unparse(tree)
        way = named[where.name] if where.section == CONDITION else where.way
        for site in node_sites(tree, way, points, ever):
            for module in ON_TREES:
                for part in module.of_node(site):
                    changed = _checked(put(tree, site.path, part), tree, names)
                    if changed is not None:
                        change = ChangedTree(where, changed)
                        draft = Draft(where.subject, before, unparse(changed), change, where.place)
                        yield module.KIND, draft


def _checked(tree: Node, original: Node, names: Names) -> Node | None:
    """Return the tree with types where it is one that a policy could hold, else None."""
    assert original.type is not None
    want = original.type if original.type.kind == "bool" else None
    try:
        checked = check(tree, names.scope(), want)
    except LanguageError:
        return None
    assert checked.type is not None
    before, after = original.type.kind, checked.type.kind
    fits = before == after or {before, after} <= PLAIN
    return checked if fits and not names.limits(checked) else None


def _on_policies(policy: CompiledPolicy) -> Iterator[tuple[str, Draft]]:
    for module in ON_POLICIES:
        for draft in module.of_policy(policy):
            yield module.KIND, draft


# Conditions that are true or false no matter what is known, because they ask first.

#: Operations that have a value no matter what their parts are.
ASKING = frozenset(("known", "unknown", "silence"))
#: Operations that are known where all their parts are.
AS_PARTS = frozenset(
    ("not", "compare", "is", "is_not", "in", "not_in", "between", "contains", "matches", "list")
)
SUMS = frozenset(("add", "sub", "mul", "neg"))
VALUES = frozenset(("number", "percent", "duration", "money", "text", "enum", "bool", "parameter"))


def definite(conditions: Mapping[str, Node]) -> frozenset[str]:
    """
    Return the conditions that are never unknown, in this iteration and in every earlier one, as ``@name``.

    Args:
        conditions: Checked trees by name, as `CompiledPolicy.conditions` has them; none rests on itself.
    """
    found: dict[str, bool] = {}
    for name in conditions:
        _of_condition(name, conditions, found)
    return frozenset(f"@{name}" for name, is_definite in found.items() if is_definite)


def _of_condition(name: str, conditions: Mapping[str, Node], found: dict[str, bool]) -> bool:
    if name not in found:
        found[name] = _is_definite(conditions[name], frozenset(), conditions, found)
    return found[name]


def _is_definite(
    node: Node, known: frozenset[str], conditions: Mapping[str, Node], found: dict[str, bool]
) -> bool:
    """Return whether a part is known: its facts are among `known`, or it comes to something without them."""
    if node.op in ASKING or node.op in VALUES or unparse(node) in known:
        return True
    if node.op == "condition":
        return _of_condition(str(node.args[0]), conditions, found)
    if node.op == "or_else":
        return _is_definite(node.child(1), known, conditions, found)
    if node.op == "and":  # where something that is asked for is missing, the whole is false
        known = known | asked_for(node)
    elif node.op == "or":  # and true where something is missing that may be
        known = known | asked_for(node, "unknown")
    elif node.op not in AS_PARTS and node.op not in SUMS:
        return False
    return all(_is_definite(child, known, conditions, found) for child in node.children())
