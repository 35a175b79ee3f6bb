"""Values of facts and parameters as people read them."""

from __future__ import annotations

from exitgate.engine.shown import shown
from exitgate.model.value import Unknown
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type

LONGEST = 60
#: Kinds whose values are written bare in the condition language.
BARE = frozenset({"enum", "signature"})


def value_text(value: object, type: Type | None = None) -> str:
    """
    Return `value` in the notation of the condition language, safe for a terminal.

    Args:
        value: As `exitgate.model.type.Type` says, or `Unknown`.
        type: Its type; without one, numbers are shown without a unit and texts in quotes.
    """
    if isinstance(value, Unknown):
        return "unknown"
    if isinstance(value, list | tuple):
        item = type.item if type is not None else None
        return "[" + ", ".join(value_text(v, item) for v in value) + "]"
    if isinstance(value, str) and (type is None or type.kind not in BARE):
        return '"' + safe(value if len(value) <= LONGEST else value[: LONGEST - 1] + "…") + '"'
    return safe(shown(value, type))
