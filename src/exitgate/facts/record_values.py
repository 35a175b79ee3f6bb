"""Plain values out of records that came from elsewhere, checked before they become facts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Beyond this a number in a record is a mistake; also keeps sums finite.
LARGEST = 1e15


def amount(value: object) -> float | int | None:
    """Return a finite number of usable size, or None for anything else; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if -LARGEST <= value <= LARGEST else None


def count(value: object) -> int | None:
    """Return a whole number >= 0, or None for anything else."""
    number = amount(value)
    if number is None or number < 0 or number != int(number):
        return None
    return int(number)


def field(record: Mapping[str, object], path: str) -> object:
    """Return the value at a dotted path (``breaker.state``), or None; a key spelled so goes first."""
    if path in record:
        return record[path]
    value: object = record
    for part in path.split("."):
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value
