"""Numbers over iterations as SVG path data."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Units of x for one iteration, and of y for a whole chart.
STEP, TALL = 10, 100


def x_of(column: int) -> float:
    """Return the middle of a column, from 0."""
    return STEP * column + STEP / 2


def y_of(value: float, low: float, high: float) -> float:
    """Return where `value` is between `low` (the lower edge, 100) and `high` (the upper, 0)."""
    span = high - low
    return TALL / 2 if span <= 0 else TALL * (high - value) / span


def line(values: Sequence[float | None], low: float, high: float) -> str:
    """Return path data through all known values; an unknown one leaves a gap."""
    parts, joined = [], False
    for column, value in enumerate(values):
        if value is not None:
            parts.append(f"{'L' if joined else 'M'}{_plain(x_of(column))} {_plain(y_of(value, low, high))}")
        joined = value is not None
    return "".join(parts)


def dots(values: Sequence[float | None], low: float, high: float) -> str:
    """Return path data of a stroke of no length at each known value: with round caps, dots."""
    return "".join(
        f"M{_plain(x_of(column))} {_plain(y_of(value, low, high))}h0"
        for column, value in enumerate(values)
        if value is not None
    )


def _plain(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
