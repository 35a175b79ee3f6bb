"""Facts that are looked at together, and what they can be."""

from __future__ import annotations

from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.space.ties import shapes
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.policy.compiled import CompiledPolicy


class Unit(Value):
    """Facts and the values they can have together: `choices` holds a tuple for each, in order of `names`."""

    __slots__ = ("choices", "names")

    def __init__(self, names: tuple[str, ...], choices: tuple[tuple[object, ...], ...]) -> None:
        self.names = names
        self.choices = choices

    def known(self, choice: tuple[object, ...]) -> dict[str, object]:
        """Return the facts that a choice makes known."""
        pairs = zip(self.names, choice, strict=True)
        return {name: value for name, value in pairs if not isinstance(value, Unknown)}


def plain_units(
    policies: Sequence[CompiledPolicy], found: Mapping[str, tuple[object, ...]]
) -> tuple[Unit, ...]:
    """Return the units of all facts with candidates in `found`, those that determine each other together."""
    units: dict[str, Unit] = {}
    for policy in policies:
        for names, choices in shapes(policy, found):
            if not any(name in units for name in names):
                silent = (UNKNOWN,) * len(names)
                unit = Unit(names, tuple(dict.fromkeys((*choices, silent))))
                units.update(dict.fromkeys(names, unit))
    for name, values in found.items():
        if name not in units:
            units[name] = Unit((name,), tuple((value,) for value in values))
    return tuple(dict.fromkeys(units.values()))
