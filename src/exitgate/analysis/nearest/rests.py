"""Which facts that are read from somewhere a condition rests on in the end."""

from __future__ import annotations

from exitgate.language.measure import facts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: Facts that the policy's own breaker sets.
BREAKER = frozenset(("circuit.state", "circuit.reason"))


class Rests:
    """
    What computed facts rest on.

    Args:
        policy: The policy.
        own_breaker: Whether the facts of the breaker follow from its conditions.
    """

    def __init__(self, policy: CompiledPolicy, own_breaker: bool) -> None:
        self._policy = policy
        self._derived = {fact.name: fact for fact in policy.derived}
        self._own_breaker = own_breaker and policy.breaker is not None
        self._found: dict[str, frozenset[str]] = {}

    def of(self, node: Node) -> frozenset[str]:
        """Return the facts that the truth of a condition rests on, computed ones replaced by theirs."""
        if any(part.op == "silence" for part in node.walk()):
            return frozenset(n for n in self._policy.facts if n not in self._derived)
        names = facts_of(node, self._policy.conditions)
        return frozenset(below for name in names for below in self.of_fact(name))

    def of_fact(self, name: str) -> frozenset[str]:
        """Return the facts that one fact rests on: itself where it is not computed."""
        if name not in self._found:
            self._found[name] = frozenset()  # a fact never rests on itself
            self._found[name] = self._below(name)
        return self._found[name]

    def _below(self, name: str) -> frozenset[str]:
        if self._own_breaker and name in BREAKER:
            return frozenset(below for node in self._breaker_nodes() for below in self.of(node))
        fact = self._derived.get(name)
        if fact is None:
            return frozenset((name,))
        nodes = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
        found = {below for node in nodes for below in self.of(node)}
        found |= {below for signal in fact.signals for below in self.of_fact(signal)}
        return frozenset(found)

    def _breaker_nodes(self) -> list[Node]:
        breaker = self._policy.breaker
        if breaker is None:
            return []
        return [o.when for o in breaker.openings] + [
            n for n in (breaker.watch, breaker.close) if n is not None
        ]
