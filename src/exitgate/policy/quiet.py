"""What computed facts come to when nothing is known."""

from __future__ import annotations

from exitgate.language.closures import compile_node
from exitgate.language.measure import lookback
from exitgate.language.named import reachable
from exitgate.language.silence import Silence
from exitgate.model.value import Unknown
from exitgate.policy.points import clamp_formula, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import Derived


def read_silence(
    derived: Iterable[Derived],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
    unreadable: Mapping[str, object],
) -> Silence:
    """
    Return which facts have a value when nothing is known, and which computed ones rest on an `or else`.

    Args:
        derived: Computed facts, each after those it uses.
        parameters: Effective values by name.
        conditions: Checked named conditions by name.
        unreadable: Values that are taken for facts which cannot be read.
    """
    values: dict[str, object] = dict(unreadable)
    defaulted: set[str] = set()
    for fact in derived:
        trees = list(_trees(fact))
        if fact.signals and fact.type.kind == "count":
            values[fact.name] = 0  # so many signals are known
        if fact.signals or not trees:
            continue
        came_to = [_on_silence(tree, values, parameters, conditions) for tree in trees]
        value = clamp_formula(came_to[0], fact) if fact.formula is not None else total(fact, came_to)
        if not isinstance(value, Unknown) or value.least is not None:
            values[fact.name] = value
        reached = [conditions[name] for tree in trees for name in reachable(tree, conditions)]
        parts = [part for tree in (*trees, *reached) for part in tree.walk()]
        if any(p.op == "or_else" or (p.op == "fact" and p.args[0] in defaulted) for p in parts):
            defaulted.add(fact.name)
    return Silence(values, frozenset(defaulted))


def _trees(fact: Derived) -> Iterator[Node]:
    if fact.formula is not None:
        yield fact.formula
    yield from (row.when for row in fact.rows)


def _on_silence(
    tree: Node,
    values: Mapping[str, object],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> object:
    iterations = lookback(tree, parameters, conditions) + 1
    return compile_node(tree, parameters, conditions, values)([values] * iterations)
