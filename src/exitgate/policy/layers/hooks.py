"""What the layers say of agent hooks: whether sessions here are loops, and how often a stop is held back."""

from __future__ import annotations

from exitgate.policy.provenance import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.layers.documents import Layer
    from exitgate.policy.provenance import Chain

HOOKS = "hooks"


def hooks_of(layers: Sequence[Layer]) -> dict[str, object]:
    """
    Return the settings under `hooks:`, key by key from the highest layer that has it.

    Keys and values are as `schemas/config.schema.json` says; empty where no layer speaks of hooks.
    """
    return {key: chain[-1].value for key, chain in chains_of(layers).items()}


def chains_of(layers: Sequence[Layer]) -> dict[str, Chain]:
    """Return key -> what the layers say of it below `hooks:`, from low to high."""
    found: dict[str, Chain] = {}
    for layer in layers:
        part = layer.section.get(HOOKS)
        for key, inner in part.fields.items() if part is not None else ():
            if not key.startswith("x-"):
                value = tuple(item.text for item in inner.items) if inner.items else inner.value
                setting = Setting(layer.read.layer, value, inner.place)
                found[key] = (*found.get(key, ()), setting)
    return found
