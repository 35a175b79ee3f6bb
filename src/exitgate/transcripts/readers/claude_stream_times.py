"""Instants as recorders write them."""

from __future__ import annotations


def seconds(written: object) -> float | None:
    """
    Return seconds since the epoch of an ISO 8601 text or of a number of seconds or milliseconds; else None.

    A text without an offset is taken as UTC.
    """
    from datetime import UTC, datetime

    if isinstance(written, int | float) and not isinstance(written, bool):
        return _instant(float(written))
    if not isinstance(written, str):
        return None
    try:
        at = datetime.fromisoformat(written.strip())
    except ValueError:
        return None
    try:
        return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None


#: Numbers from here on are milliseconds; nothing was recorded so late in seconds.
_MILLISECONDS = 1e11
_LATEST = 1e14


def _instant(number: float) -> float | None:
    if not 0 < number < _LATEST:
        return None
    return number / 1000 if number >= _MILLISECONDS else number
