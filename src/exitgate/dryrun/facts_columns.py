"""Facts of many iterations as JSON: each different value of a fact once, and which iteration has which."""

from __future__ import annotations

from exitgate.ledger.encode import decode_fact, encode_fact
from exitgate.model.evidence import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

#: Stands for a fact that an iteration does not have.
_NONE = -1


class Columns:
    """What one entry of a policy found, iteration by iteration; evidence and notes are not kept."""

    __slots__ = ("_known", "_rows", "_values", "length")

    def __init__(self) -> None:
        self.length = 0
        self._values: dict[str, list[dict[str, object]]] = {}
        self._known: dict[str, dict[object, int]] = {}
        self._rows: dict[str, list[int]] = {}

    def add(self, facts: Iterable[Fact]) -> None:
        """Add what was found in the next iteration."""
        for fact in facts:
            known = self._known.setdefault(fact.name, {})
            number = known.setdefault(_key(fact.value), len(known))
            values = self._values.setdefault(fact.name, [])
            if number == len(values):
                values.append(encode_fact(Fact(fact.name, fact.value)))
            row = self._rows.setdefault(fact.name, [])
            row += [_NONE] * (self.length - len(row))
            row.append(number)
        self.length += 1

    def plain(self) -> dict[str, object]:
        """Return it as JSON."""
        filled = {name: row + [_NONE] * (self.length - len(row)) for name, row in self._rows.items()}
        return {
            "length": self.length,
            "facts": {name: [self._values[name], filled[name]] for name in self._rows},
        }


def _key(value: object) -> object:
    """Return what tells values apart that JSON tells apart: `True` and `1` are equal in Python."""
    if isinstance(value, tuple):
        return tuple(_key(item) for item in value)
    return value.__class__, value


def rows(plain: Mapping[str, Any]) -> list[dict[str, Fact]]:
    """
    Return the facts of each iteration, by name.

    Raises ValueError, LookupError, TypeError or AttributeError for what `Columns.plain` did not write.
    """
    found: list[dict[str, Fact]] = [{} for _ in range(plain["length"])]
    for name, (values, numbers) in plain["facts"].items():
        facts = [decode_fact(name, value) for value in values]
        for row, number in zip(found, numbers, strict=True):
            if number != _NONE:
                row[name] = facts[number]
    return found
