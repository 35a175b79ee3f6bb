"""Values of facts and parameters as people read them."""

from __future__ import annotations

from exitgate.language.written import value_text as notation
from exitgate.model.value import Unknown
from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type


def value_text(value: object, type: Type | None = None) -> str:
    """
    Return `value` in the notation of the condition language, safe for a terminal.

    Args:
        value: As `exitgate.model.type.Type` says, or `Unknown`, which reads ``unknown`` or says its bounds.
        type: Its type; without one, numbers are shown without a unit and texts in quotes.
    """
    bare = isinstance(value, Unknown) and value.least is None
    return "unknown" if bare else safe(notation(value, type))
