"""What computed facts come to when nothing is known."""

from __future__ import annotations

from exitgate.core.language.evaluation.closures import Compilation, compile_node
from exitgate.core.language.measure import facts_of, lookback, reachable, reads_back
from exitgate.core.language.silence import Moving, Silence
from exitgate.core.language.silent_runs import GIVEN, with_clock
from exitgate.core.model.value import Unknown
from exitgate.core.policy.points import clamp_formula, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import Derived


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
    moving: list[Moving] = []
    given: set[str] = set()
    for fact in derived:
        trees = tuple(_trees(fact))
        if fact.signals and fact.type.kind == "count":
            values[fact.name] = 0  # so many signals are known
        if any(signal.startswith(GIVEN) for signal in fact.signals):
            given.add(fact.name)
        if fact.signals or not trees:
            continue
        reached = {name for tree in trees for name in facts_of(tree, conditions)}
        moves = any(name.startswith(GIVEN) for name in reached) or not reached.isdisjoint(
            {*given, *(one.name for one in moving)}
        )
        if moves or any(reads_back(tree, conditions) for tree in trees):
            moving.append(_moving(fact, trees, values, parameters, conditions))
        came_to = [_on_silence(tree, values, parameters, conditions) for tree in trees]
        value = _value(fact, came_to)
        if not isinstance(value, Unknown) or value.least is not None:
            values[fact.name] = value
        parts = [part for tree in (*trees, *_named(trees, conditions)) for part in tree.walk()]
        if any(p.op == "or_else" or (p.op == "fact" and p.args[0] in defaulted) for p in parts):
            defaulted.add(fact.name)
    return Silence(values, frozenset(defaulted), tuple(moving), frozenset(given))


def _value(fact: Derived, came_to: Sequence[object]) -> object:
    return clamp_formula(came_to[0], fact) if fact.formula is not None else total(fact, came_to)


def _named(trees: Iterable[Node], conditions: Mapping[str, Node]) -> list[Node]:
    return [conditions[name] for tree in trees for name in reachable(tree, conditions)]


def _moving(
    fact: Derived,
    trees: tuple[Node, ...],
    values: Mapping[str, object],
    parameters: Mapping[str, object],
    conditions: Mapping[str, Node],
) -> Moving:
    """Return a fact that may have another value in each iteration of a silent run."""
    clocked = {name: with_clock(tree) for name, tree in conditions.items()}
    compilation = Compilation(parameters, clocked, frozenset(values))
    closures = [compilation.recorded(with_clock(tree)) for tree in trees]
    return Moving(fact.name, trees, lambda records: _value(fact, [one(records) for one in closures]))


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
