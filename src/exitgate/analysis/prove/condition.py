"""A condition over the facts of a policy that the policy itself does not hold."""

from __future__ import annotations

from exitgate.language.advice import understood
from exitgate.language.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy


def condition(policy: CompiledPolicy, text: str) -> Node:
    """Return the checked tree of a condition. Raises `LanguageError` for one the policy could not hold."""
    types = {name: parameter.type for name, parameter in policy.parameters.items()}
    return understood(text, Scope(policy.facts, types, policy.conditions))
