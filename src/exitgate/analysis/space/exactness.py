"""Whether no point matters beside those walked."""

from __future__ import annotations

from functools import lru_cache

from exitgate.analysis.space.domains import IdentityKey, comparisons_of, trees
from exitgate.analysis.walk.variables import beyond_choices
from exitgate.core.language.functions import MEASURING, ON_ITEMS
from exitgate.core.language.measure import facts_of, is_chosen, reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.space.domains import Comparisons
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy


#: Operations whose answer may change between the points around a constant.
_ARITHMETIC = frozenset(("add", "sub", "mul", "div", "neg", "call", "contains", "matches"))
_OF_SERIES = frozenset((*MEASURING, "declined", "rose", "first", "last", *ON_ITEMS))
_ORDERED = frozenset(("<", "<=", ">", ">="))


def exact(policies: Iterable[CompiledPolicy], nodes: Iterable[Node]) -> bool:
    """
    Return whether the conditions `nodes`, and the computed facts they read, meet only constants.

    Then every input answers like one of the points: each number is on, right beside or between
    constants, all of which are walked, and so is a text for every way in which all tests of it can come out
    together, where these are known to be all. Facts compared with each other, arithmetic, formulas, other
    tests of texts and series of values can change their answer elsewhere.
    """
    policies = tuple(policies)
    nodes = tuple(nodes)

    def met() -> Comparisons:
        own = _own(IdentityKey(*policies))
        return comparisons_of(policies, tuple(node for node in nodes if id(node) not in own))

    return has_all_choices(policies, nodes) and not any(
        goes_further(tree, policy, met) for policy in policies for tree in _trees(policy, nodes)
    )


@lru_cache(maxsize=8)
def _own(policies: IdentityKey) -> frozenset[int]:
    """Return the ids of the trees of some policies, once for the same ones."""
    return frozenset(id(tree) for policy in policies.held for tree in trees(policy))  # type: ignore[arg-type]


def has_all_choices(policies: Sequence[CompiledPolicy], nodes: Sequence[Node]) -> bool:
    """Return whether all that progress can say is walked, as far as the conditions `nodes` read it."""
    own = _own(IdentityKey(*policies))
    return not any(
        beyond_choices(tree, policy, id(tree) in own) for policy in policies for tree in _trees(policy, nodes)
    )


def goes_further(tree: Node, policy: CompiledPolicy, met: Callable[[], Comparisons]) -> bool:
    """Return whether some part of a tree may change its answer elsewhere than at points; `met` made these."""
    further = [part for part in tree.walk() if reaches_further(part)]
    if not further:
        return False
    settled = met().settled(tree, policy)
    return any(id(part) not in settled for part in further)


def _trees(policy: CompiledPolicy, nodes: Iterable[Node]) -> Iterator[Node]:
    conditions: Mapping[str, Node] = policy.conditions
    derived = {fact.name: fact for fact in policy.derived}
    todo = list(nodes)
    seen: set[str] = set()
    while todo:
        tree = todo.pop()
        known = {name for name in reachable(tree, conditions) if name in conditions}
        yield tree
        yield from (conditions[name] for name in known)
        for name in facts_of(tree, conditions) & derived.keys() - seen:
            seen.add(name)
            fact = derived[name]
            if fact.formula is not None:
                yield fact.formula
                todo.append(fact.formula)
            todo += [row.when for row in fact.rows]


def reaches_further(part: Node) -> bool:
    """Return whether one operation may change its answer elsewhere than at constants."""
    if is_chosen(part):
        return part.op != "after"  # how far apart times are, and which keys are the same
    if part.op in _ARITHMETIC or part.op in _OF_SERIES:
        return "fact" in part.uses()
    sides = [child for child in part.children() if "fact" in child.uses()]
    if part.op == "compare":
        return len(sides) > 1 and (part.args[0] in _ORDERED or any(s.op != "fact" for s in sides))
    if part.op in ("is", "is_not"):
        return len(sides) > 1 and any(side.op != "fact" and _is_open(side) for side in sides)
    if part.op == "repeats":
        # as many values may have to differ as the window has iterations
        return part.args[2] is not None and any(map(_is_open, sides))
    return part.op == "between" and len(sides) > 1


def _is_open(value: Node) -> bool:
    """Return whether a value is one of more than all points hold: two of them are told apart, not many."""
    return value.type is not None and value.type.kind in ("text", "signature", "list")
