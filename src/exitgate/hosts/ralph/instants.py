"""Instants as the loop writes them: ISO 8601 with an offset."""

from __future__ import annotations

_DAYS = 86_400


def instant(text: object) -> float | None:
    """
    Return seconds since the epoch of ``2026-01-31T10:30:00+02:00``, None for what is none.

    ``Z``, ``+0200``, fractions of a second and a blank for the ``T`` are read too; no offset is UTC.
    """
    if not isinstance(text, str) or len(text) < 19 or not text.isascii():
        return None
    day, clock, rest = text[:10], text[11:19], text[19:]
    try:
        year, month, date = (int(part) for part in day.split("-"))
        hour, minute, second = (int(part) for part in clock.split(":"))
        offset = _offset(rest.lstrip(".0123456789") if rest.startswith(".") else rest)
        return float(_days(year, month, date) * _DAYS + hour * 3600 + minute * 60 + second - offset)
    except ValueError:
        return None


def _offset(text: str) -> int:
    """Return the seconds that a clock with this offset is ahead; ValueError for what is none."""
    if text.strip() in ("", "Z", "z"):
        return 0
    digits = text[1:].replace(":", "")
    if text[0] not in "+-" or len(digits) != 4:
        raise ValueError(text)
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return seconds if text[0] == "+" else -seconds


def _days(year: int, month: int, day: int) -> int:
    """Return days since 1970-01-01 of a date of the Gregorian calendar."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError(month)
    shifted = year - (month <= 2)
    in_era = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400 + in_era - 719_468
