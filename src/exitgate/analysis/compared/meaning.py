"""All that the truth of a condition rests on, so that what is equal in two policies is known to be."""

from __future__ import annotations

from exitgate.language.measure import facts_of, parameters_of
from exitgate.language.named import reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Derived


def meaning(policy: CompiledPolicy, node: Node) -> tuple[object, ...]:
    """
    Return what the truth of a condition rests on besides the facts that are read.

    That is its tree, the named conditions and computed facts it reaches, the values of parameters in all of
    these, and the types and stand-ins of facts. Two policies for which it is equal find the same.
    """
    trees = [node]
    derived: dict[str, Derived] = {}
    known = {fact.name: fact for fact in policy.derived}
    names: set[str] = set()
    conditions: set[str] = set()
    parameters: set[str] = set()
    while trees:
        tree = trees.pop()
        conditions |= set(reachable(tree, policy.conditions))
        parameters |= parameters_of(tree, policy.conditions)
        for name in facts_of(tree, policy.conditions) - names:
            names.add(name)
            fact = known.get(name)
            if fact is not None:
                derived[name] = fact
                names |= set(fact.signals)
                trees += [row.when for row in fact.rows]
                trees += [fact.formula] if fact.formula is not None else []
    values = policy.values()
    return (
        node,
        [(name, policy.conditions[name]) for name in sorted(conditions)],
        [(name, _plain(derived[name])) for name in sorted(derived)],
        [(name, values[name]) for name in sorted(parameters)],
        [(name, policy.facts[name].type) for name in sorted(names) if name in policy.facts],
        [(name, policy.unreadable[name]) for name in sorted(names) if name in policy.unreadable],
    )


def _plain(fact: Derived) -> tuple[object, ...]:
    """Return a computed fact without what is said about it."""
    rows = [(row.when, row.add) for row in fact.rows]
    return fact.type, rows, fact.formula, fact.low, fact.high, fact.signals, fact.moves
