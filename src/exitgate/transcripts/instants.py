"""Instants as recorders write them."""

from __future__ import annotations

from datetime import UTC, datetime

#: Numbers beyond this are milliseconds: as seconds they are far in the future.
_MILLISECONDS = 1e11
_LATEST = 32_503_680_000.0


def instant(value: object) -> float | None:
    """
    Return seconds since the epoch of an ISO 8601 text or a number of seconds or milliseconds, else None.

    A text without an offset is taken as UTC. Instants before 1970 or after the year 3000 are None.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 < value < _LATEST * 1000:  # a whole number may be larger than any float
            return None
        at = value / 1000 if value > _MILLISECONDS else float(value)
    elif isinstance(value, str) and len(value) < 64:
        try:
            read = datetime.fromisoformat(value.strip())
            at = (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    else:
        return None
    return at if 0 < at < _LATEST else None
