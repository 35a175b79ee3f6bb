"""What a policy or lexicon means, as a plain value that can be compared: without places and spellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.facts.lexicon import WORKED_OUT
from exitgate.language.tree import Node
from exitgate.model.place import Place
from exitgate.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Slots that tell how and where something is written: its digest and warnings, a rule's text.
_WRITTEN = frozenset(("digest", "warnings", "place", "text", "doc", "title"))
#: Keys of entries whose texts mean the same when one of them is there twice.
_SETS = frozenset(("words", "phrases"))


def meaning(value: object) -> object:
    """Return plain nested tuples, equal for two values that decide alike on every input."""
    if isinstance(value, Place):
        return None
    if isinstance(value, Node):
        return (value.op, *(meaning(arg) for arg in value.args))
    if isinstance(value, Value):
        slots = (name for name in value.__slots__ if name not in _WRITTEN)
        return (type(value).__name__, *((name, meaning(getattr(value, name))) for name in slots))
    if isinstance(value, dict):
        return _mapping(value)
    if isinstance(value, (list, tuple)):
        return tuple(meaning(item) for item in value)
    return value


def _mapping(value: Mapping[object, object]) -> object:
    found: list[tuple[object, object]] = []
    for key, inner in value.items():
        if key in WORKED_OUT:
            continue
        if key in _SETS and isinstance(inner, (list, tuple)):
            found.append((key, tuple(dict.fromkeys(_folded(item) for item in inner))))
        else:
            found.append((key, meaning(inner)))
    return tuple(found)


def _folded(item: object) -> str:
    return item.casefold() if isinstance(item, str) else str(item)
