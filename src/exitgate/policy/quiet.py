"""What computed facts come to when nothing is known."""

from __future__ import annotations

from exitgate.language.closures import compile_node
from exitgate.language.measure import lookback
from exitgate.language.named import reachable
from exitgate.language.silence import Silence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import Derived


def read_silence(
    derived: Iterable[Derived], parameters: Mapping[str, object], conditions: Mapping[str, Node]
) -> Silence:
    """
    Return which computed facts are known when nothing is, and which rest on an `or else`.

    Args:
        derived: Computed facts, each after those it uses.
        parameters: Effective values by name.
        conditions: Checked named conditions by name.
    """
    values: dict[str, object] = {}
    defaulted: set[str] = set()
    for fact in derived:
        trees = list(_trees(fact))
        if fact.signals and fact.type.kind == "count":
            values[fact.name] = 0  # so many signals are known
        if fact.signals or not trees:
            continue
        came_to = [_on_silence(tree, values, parameters, conditions) for tree in trees]
        value = came_to[0] if fact.formula is not None else _points(fact, came_to)
        if isinstance(value, bool | int | float | str):
            values[fact.name] = _clamped(value, fact)
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


def _points(fact: Derived, came_to: Iterable[object]) -> float:
    return sum(row.add for row, truth in zip(fact.rows, came_to, strict=True) if truth is True)


def _clamped(value: object, fact: Derived) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if fact.low is not None and value < fact.low:
        return fact.low
    if fact.high is not None and value > fact.high:
        return fact.high
    return value
