"""What a view reads from lines of the ledger."""

from __future__ import annotations

from exitgate.ledger.line import DECISION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]
    Parameters = Mapping[str, object]


def decision_in(line: Line) -> Mapping[str, object]:
    """Return the decision in a line, an empty mapping where it has none."""
    found = line.get("decision")
    return found if isinstance(found, dict) else {}


def decided(lines: Sequence[Line]) -> list[Line]:
    """Return the lines that hold a decision, in order."""
    return [line for line in lines if line.get("kind") == DECISION]


def value_in(line: Line, field: str | None, parameters: Parameters) -> object:
    """
    Return the value that `field` names: of a fact in the line, or of a `$parameter`.

    None stands for a field that is not mapped, a fact that is unknown, and one that was not recorded. Of a
    number between two bounds it is the lower one: for points, what is earned for certain.
    """
    if field is None:
        return None
    if field.startswith("$"):
        return parameters.get(field[1:])
    fact = entry_in(line, field)
    bounds = fact.get("b")
    return plain_number(bounds[0] if isinstance(bounds, list) else fact.get("v"))


def entry_in(line: Line, fact: str) -> Mapping[str, object]:
    """Return what the line keeps of a fact, an empty mapping where it keeps nothing."""
    facts = line.get("facts")
    found = facts.get(fact) if isinstance(facts, dict) else None
    return found if isinstance(found, dict) else {}


def plain_number(value: object) -> object:
    """Return a whole float as an integer, anything else as it is: 50 rather than 50.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def number_in(line: Line, field: str | None, parameters: Parameters) -> int | float | None:
    """Return `value_in` when it is a number, else None."""
    value = value_in(line, field, parameters)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def instant_of(line: Line) -> str:
    """Return the line's time as ISO 8601 with a Z, as the line has it otherwise."""
    return str(line.get("at", "")).replace("+00:00", "Z")
