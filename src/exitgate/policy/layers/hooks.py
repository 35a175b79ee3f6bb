"""What the layers say of agent hooks: whether sessions here are loops, and how often a stop is held back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.layers.documents import Layer

HOOKS = "hooks"


def hooks_of(layers: Sequence[Layer]) -> dict[str, object]:
    """
    Return the settings under `hooks:`, key by key from the highest layer that has it.

    Keys and values are as `schemas/config.schema.json` says; empty where no layer speaks of hooks.
    """
    found: dict[str, object] = {}
    for layer in layers:
        part = layer.section.get(HOOKS)
        if part is not None:
            found |= {key: inner.value for key, inner in part.fields.items() if not key.startswith("x-")}
    return found
