"""
Totals of a run as lines hold them: what was used up never becomes less.

A total below that of an earlier line, a negative one, or one that is not a number is damage, not a refund.
Pure: lines go in.
"""

from __future__ import annotations

from exitgate.ledger.clock import elapsed_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Line = Mapping[str, object]

#: Totals that only grow.
GROWING = ("cost", "tokens", "iterations", "elapsed")
#: Beyond this a number is a mistake; also keeps sums finite.
LARGEST = 1e15


def used_up(value: object) -> float | int | None:
    """Return what was used up, a number from 0, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LARGEST else None


def totals_in(line: Line) -> Mapping[str, object]:
    """Return the totals of a line, none where it holds none."""
    totals = line.get("totals")
    return totals if isinstance(totals, dict) else {}


def highest(lines: Sequence[Line]) -> dict[str, float | int]:
    """Return the highest of each growing total in lines of one run; those that no line has are left out."""
    found: dict[str, float | int] = {}
    for line in lines:
        for name in GROWING:
            value = used_up(totals_in(line).get(name))
            if value is not None:
                found[name] = max(value, found.get(name, value))
    return found


def longest(lines: Sequence[Line], now: float) -> float:
    """Return the seconds that a run has taken at time `now`: no line of it may make them fewer."""
    return max((elapsed_at(line, now) for line in lines), default=0.0)


def faults(before: Line | None, line: Line) -> Iterator[str]:
    """
    Yield what is wrong with the totals of a line.

    Args:
        before: The line before in the same run that holds totals, or None.
        line: The line.
    """
    totals, earlier = totals_in(line), {} if before is None else totals_in(before)
    for name in GROWING:
        value, least = totals.get(name), used_up(earlier.get(name))
        if name in totals and used_up(value) is None:
            yield f"its total `{name}` is not a number from 0"
        elif least is not None and name in totals and value < least:  # type: ignore[operator]
            yield f"its total `{name}` is less than in the line before"
