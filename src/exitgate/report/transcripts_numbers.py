"""Numbers of recorded runs as a narrow table shows them. What is not known is a dash."""

from __future__ import annotations

from datetime import UTC, datetime

UNKNOWN = "-"


def iso(at: object) -> str | None:
    """Return seconds since the epoch as ISO 8601 in UTC, to the second; None for None."""
    if not isinstance(at, int | float):
        return None
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return None


def instant(written: object) -> str:
    """Return an instant that `iso` wrote to the minute."""
    return written[:16].replace("T", " ") if isinstance(written, str) else UNKNOWN


def span(seconds: object) -> str:
    """Return a length of time in at most six columns: ``45s``, ``12m``, ``3h05m``, ``12d``."""
    if not isinstance(seconds, int | float):
        return UNKNOWN
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes}m{whole % 60:02d}s"
    hours = minutes // 60
    return f"{hours}h{minutes % 60:02d}m" if hours < 48 else f"{hours // 24}d"


def money(usd: object) -> str:
    """Return an amount to the cent; one below half a cent that is not nothing to four places."""
    if not isinstance(usd, int | float):
        return UNKNOWN
    return f"{usd:.4f}" if 0 < usd < 0.005 else f"{usd:.2f}"


def short_count(number: object) -> str:
    """Return a number in at most five columns: ``940``, ``12k``, ``1.2M``."""
    if not isinstance(number, int):
        return UNKNOWN
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= size:
            share = number / size
            return f"{share:.1f}{unit}" if share < 10 else f"{share:.0f}{unit}"
    return str(number)
