"""Facts of many iterations as JSON: each different value of a fact once, and which iteration has which."""

from __future__ import annotations

from exitgate.ledger.encode import encode_fact, restore_unknown, restore_value
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


def _value(name: str, plain: Mapping[str, Any]) -> object:
    """Return the value that `exitgate.ledger.encode.encode_fact` wrote."""
    if "v" in plain:
        value = plain["v"]
        return restore_value(value) if value.__class__ is list else value
    return restore_unknown(name, plain)


def _key(value: object) -> object:
    """Return what tells values apart that JSON tells apart: `True` and `1` are equal in Python."""
    if isinstance(value, tuple):
        return tuple(_key(item) for item in value)
    return value.__class__, value


class Read:
    """
    What `Columns.plain` wrote, read back.

    Args:
        plain: As it wrote it. Raises ValueError, LookupError, TypeError or AttributeError for anything else.
    """

    __slots__ = ("_facts", "numbers")

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self._facts: list[tuple[Fact, ...]] = []
        columns = []
        for name, (values, numbers) in plain["facts"].items():
            self._facts.append(tuple(Fact(name, _value(name, value)) for value in values))
            columns.append(numbers)
        #: For each iteration a tuple that is equal where all facts are.
        self.numbers: list[tuple[int, ...]] = (
            list(zip(*columns, strict=True)) if columns else [()] * plain["length"]
        )
        if len(self.numbers) != plain["length"]:
            raise ValueError("columns of different lengths")

    def facts(self, at: int) -> dict[str, Fact]:
        """Return the facts of an iteration, from 0, by name."""
        pairs = zip(self._facts, self.numbers[at], strict=True)
        found = (facts[number] for facts, number in pairs if number != _NONE)
        return {fact.name: fact for fact in found}
