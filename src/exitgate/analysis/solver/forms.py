"""Every operation of the language and how it is written out."""

from __future__ import annotations

from exitgate.analysis.solver import (
    encode,
    history,
    history_counts,
    history_ranks,
    history_values,
    items,
    logic,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.solver.encode import Form

FORMS: dict[str, Form] = {
    **encode.FORMS,
    **logic.FORMS,
    **history.FORMS,
    **history_counts.FORMS,
    **history_values.FORMS,
    **history_ranks.FORMS,
    **items.FORMS,
}
