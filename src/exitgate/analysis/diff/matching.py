"""All that the truth of a condition rests on, so that what is equal in two policies is known to be."""

from __future__ import annotations

from bisect import bisect_left

from exitgate.core.language.measure import facts_of, parameters_of, reachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeVar

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Derived

    Name = TypeVar("Name", bound=Hashable)


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


# Which rules of a chain are elsewhere in another: as few as can be.


def moved(before: Sequence[Name], after: Sequence[Name]) -> tuple[Name, ...]:
    """
    Return the names that both hold and that must move to make one order of the other, in the new order.

    The names that stay are a longest increasing subsequence of their former places (patience sorting), so
    a rule that is put first is one move and not one for every other rule.
    """
    places = {name: at for at, name in enumerate(before)}
    shared = [name for name in after if name in places]
    staying = set(_longest([places[name] for name in shared]))
    return tuple(name for name in shared if places[name] not in staying)


def between(names: Sequence[str], name: str) -> str:
    """Return in words where a name is: ``first``, or behind which other one."""
    at = names.index(name)
    return "first" if at == 0 else f"after `{names[at - 1]}`"


def _longest(numbers: Sequence[int]) -> list[int]:
    """Return a longest increasing subsequence of distinct numbers."""
    tails: list[int] = []
    before: dict[int, int | None] = {}
    for number in numbers:
        at = bisect_left(tails, number)
        before[number] = tails[at - 1] if at else None
        tails[at : at + 1] = [number]
    found: list[int] = []
    number_ = tails[-1] if tails else None
    while number_ is not None:
        found.append(number_)
        number_ = before[number_]
    return found[::-1]
