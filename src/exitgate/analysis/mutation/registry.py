"""Every kind of mutant, and all mutants of a policy."""

from __future__ import annotations

from exitgate.analysis.mutation import (
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
    points,
    swapped_rules,
    unknown,
    window,
)
from exitgate.analysis.mutation.changes import ChangedTree
from exitgate.analysis.mutation.definite import definite
from exitgate.analysis.mutation.draft import Draft
from exitgate.analysis.mutation.mutant import Mutant
from exitgate.analysis.mutation.places import CONDITION, mutable
from exitgate.analysis.mutation.reach import sites
from exitgate.analysis.mutation.refused import Compiling
from exitgate.analysis.mutation.trees import put, spots
from exitgate.analysis.mutation.ways import ways
from exitgate.language.check import check
from exitgate.language.problem import LanguageError
from exitgate.language.unparse import unparse
from exitgate.policy.names import Names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: Kinds that change a part of a condition or formula.
ON_TREES = (
    boundary, comparison, connective, dropped_part, negation, window, unknown, member, arithmetic,
)  # fmt: skip
#: Kinds that change something else.
ON_POLICIES = (parameter, dropped_rule, swapped_rules, effect, points)
#: What each kind does, by its name.
KINDS: dict[str, str] = {
    module.KIND: module.DOC
    for module in (*ON_TREES, dropped_rule, swapped_rules, effect, points)
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
        if compiling.refuses(draft.change, sites(draft.change, policy)):
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
    named = ways(policy)
    points = frozenset(fact.name for fact in policy.derived if fact.rows)
    ever = definite(policy.conditions)
    for where, tree in mutable(policy):
        if where.section == CONDITION and where.name not in named:
            continue  # nothing is decided by it
        before = unparse(tree)
        way = named[where.name] if where.section == CONDITION else where.way
        for spot in spots(tree, way, points, ever):
            for module in ON_TREES:
                for part in module.of_spot(spot):
                    changed = _checked(put(tree, spot.path, part), tree, names)
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
