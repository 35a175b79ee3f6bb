"""The names a condition may use."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.language.tree import Node
    from exitgate.model.fact_spec import FactSpec
    from exitgate.model.type import Type


class Scope(Value):
    """
    Everything a condition can name.

    Args:
        facts: Full dotted name -> what is promised about the fact.
        parameters: Name without ``$`` -> type.
        conditions: Name without ``@`` -> tree; checked or not, it counts as a condition (bool).
    """

    __slots__ = ("conditions", "facts", "parameters")

    def __init__(
        self,
        facts: Mapping[str, FactSpec],
        parameters: Mapping[str, Type],
        conditions: Mapping[str, Node],
    ) -> None:
        self.facts = facts
        self.parameters = parameters
        self.conditions = conditions
