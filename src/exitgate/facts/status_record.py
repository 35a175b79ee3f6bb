"""A status that came as a flat JSON object in place of a block (`fields` of the source `result`)."""

from __future__ import annotations

from exitgate.facts.status_fields import Field
from exitgate.facts.status_values import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.status_fields import Keys
    from exitgate.model.iteration import Source


def fields_of(result: Source, known: Keys) -> tuple[Field, ...]:
    """Return the known fields among the scalars of the record's `fields`, in their order."""
    record = result.record or {}
    given = record.get("fields")
    found = []
    for key, value in given.items() if isinstance(given, dict) else ():
        wanted = known.get(normal(str(key)))
        if wanted is None or not isinstance(value, str | int | float):
            continue
        raw = str(value).lower() if isinstance(value, bool) else str(value)
        found.append(Field(wanted, 0, max(1, len(raw)), raw, str(key).isupper()))
    return tuple(found)
