"""Parts of a ledger's line, read without trust: anybody may have written it, any part may be missing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Line = Mapping[str, object]

#: Beyond this no instant, count or amount is believed.
_LARGEST = 1e15
_NOTHING: Mapping[str, object] = {}


def part(line: Line | None, key: str) -> Mapping[str, object]:
    """Return the object below `key`, an empty one for anything else."""
    found = line.get(key) if line is not None else None
    return found if isinstance(found, dict) else _NOTHING


def items(line: Line, key: str) -> tuple[Mapping[str, object], ...]:
    """Return the objects in the list below `key`."""
    found = line.get(key)
    return tuple(one for one in found if isinstance(one, dict)) if isinstance(found, list) else ()


def word(line: Line, key: str) -> str:
    """Return the text below `key`, the empty one for anything else."""
    found = line.get(key)
    return found if isinstance(found, str) else ""


def flag(line: Line, key: str, *, otherwise: bool) -> bool:
    """Return the truth below `key`."""
    found = line.get(key)
    return found if isinstance(found, bool) else otherwise


def instant(line: Line, key: str) -> float | None:
    """Return the number below `key`, or None for anything else and for what no clock shows."""
    found = line.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if -_LARGEST < found < _LARGEST else None


def whole(line: Line, key: str) -> int | None:
    """Return the whole number below `key`, or None."""
    found = instant(line, key)
    return int(found) if found is not None and found.is_integer() else None
