"""The names a policy declares, and those whose declaration is broken."""

from __future__ import annotations

from exitgate.language.check_limits import limits
from exitgate.language.measure import reads_back
from exitgate.language.scope import Scope
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.language.problem import Problem
    from exitgate.language.tree import Node
    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import Parameter


class Names(Value):
    """
    What conditions and messages may name.

    Args:
        facts: Full name -> spec.
        parameters: By name, without ``$``.
        conditions: Checked trees by name, without ``@``.
        broken: Names that are declared with an error, as conditions write them (``tasks``, ``$max``,
            ``@done``): using them is not a second error.
    """

    __slots__ = ("broken", "conditions", "facts", "parameters")

    def __init__(
        self,
        facts: Mapping[str, FactSpec],
        parameters: Mapping[str, Parameter],
        conditions: Mapping[str, Node],
        broken: Iterable[str] = (),
    ) -> None:
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions
        self.broken = frozenset(broken)

    def scope(self) -> Scope:
        """Return what the checker of the language needs."""
        types = {name: parameter.type for name, parameter in self.parameters.items()}
        return Scope(self.facts, types, self.conditions)

    def is_broken(self, name: str) -> bool:
        """Return whether a name, or the prefix it begins with, is declared with an error."""
        return any(name == other or name.startswith(other + ".") for other in self.broken)

    def limits(self, node: Node) -> tuple[Problem, ...]:
        """Return what the effective values of the parameters make of the limits on a checked condition."""
        if not reads_back(node, self.conditions):
            return ()  # the values change nothing: the checker has held it to the limits
        values = {name: parameter.value for name, parameter in self.parameters.items()}
        return limits(node, values, self.conditions)

    def with_fact(self, name: str, spec: FactSpec | None) -> Names:
        """Return these names and one more fact; None for a broken one."""
        if spec is None:
            return Names(self.facts, self.parameters, self.conditions, self.broken | {name})
        return Names({**self.facts, name: spec}, self.parameters, self.conditions, self.broken)

    def with_condition(self, name: str, node: Node | None) -> Names:
        """Return these names and one more condition; None for a broken one."""
        if node is None:
            return Names(self.facts, self.parameters, self.conditions, self.broken | {"@" + name})
        return Names(self.facts, self.parameters, {**self.conditions, name: node}, self.broken)
