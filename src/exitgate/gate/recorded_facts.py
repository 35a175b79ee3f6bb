"""Facts that a transcript recorded themselves, taken where a policy has facts that they fit."""

from __future__ import annotations

from exitgate.model.evidence import Fact
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.fact_spec import FactSpec
    from exitgate.model.type import Type

NOTE = "as it was recorded"
_LARGEST_PERCENT = 100


def taken(
    recorded: Mapping[str, object], names: Iterable[str], specs: Mapping[str, FactSpec]
) -> dict[str, Fact]:
    """
    Return the facts to put in place of those that were extracted.

    Args:
        recorded: Name -> value, `Unknown` or a `Fact` with its evidence, as the transcript has them.
        names: The facts that rest on a text or record; computed ones are computed again.
        specs: The policy's facts by name.

    A recorded value counts where the policy's fact of that name is of a type that it fits; an unknown
    one stays unknown with the reason that was recorded.
    """
    found: dict[str, Fact] = {}
    for name in names:
        if name not in recorded or name not in specs:
            continue
        value = recorded[name]
        if isinstance(value, Fact):
            told, value = value, value.value
            if isinstance(value, Unknown) or holds(specs[name].type, value):
                found[name] = Fact(name, value, told.evidence, told.rejected, told.note or NOTE)
        elif isinstance(value, Unknown) or holds(specs[name].type, value):
            found[name] = Fact(name, value, note=NOTE)
    return found


def holds(type: Type, value: object) -> bool:
    """Return whether `value` is one that a fact of this type may have; see `exitgate.model.type.Type`."""
    if type.kind == "bool":
        return isinstance(value, bool)
    if type.kind in ("text", "signature"):
        return isinstance(value, str)
    if type.kind == "enum":
        return value in type.members
    if type.kind == "list":
        return (
            isinstance(value, tuple)
            and type.item is not None
            and all(holds(type.item, item) for item in value)
        )
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if type.kind == "count":
        return isinstance(value, int) and value >= 0
    return type.kind != "percent" or 0 <= value <= _LARGEST_PERCENT
