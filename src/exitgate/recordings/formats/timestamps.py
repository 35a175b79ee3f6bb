"""Instants as recorders write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from msgspec import Struct

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


# Times as loops write them: ISO 8601, what `date` prints, times of day; at the head of a line or in it.

#: Abbreviations of zones -> hours from UTC. One that means several things is taken for the most common.
_ZONES = {
    "UTC": 0.0, "GMT": 0.0, "Z": 0.0, "WET": 0.0, "WEST": 1.0, "BST": 1.0, "CET": 1.0, "CEST": 2.0,
    "MEZ": 1.0, "MESZ": 2.0, "EET": 2.0, "EEST": 3.0, "MSK": 3.0, "IST": 5.5, "HKT": 8.0, "SGT": 8.0,
    "AWST": 8.0, "JST": 9.0, "KST": 9.0, "AEST": 10.0, "AEDT": 11.0, "NZST": 12.0, "NZDT": 13.0, "BRT": -3.0,
    "ART": -3.0, "ADT": -3.0, "AST": -4.0, "EDT": -4.0, "EST": -5.0, "CDT": -5.0, "CST": -6.0, "MDT": -6.0,
    "MST": -7.0, "PDT": -7.0, "PST": -8.0, "AKDT": -8.0, "AKST": -9.0, "HST": -10.0,
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = r"(?:(?:[A-Z][a-z]{2,8})[,.]? +)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_ZONE = r"(?: ?(?:Z\b|UTC[+-]\d{1,2}|[+-]\d{2}:?\d{2}\b|[A-Z]{3,4}\b))?"
#: Kind of a time -> its pattern; each begins where the time does.
_FORMS: tuple[tuple[str, str], ...] = (
    ("iso", rf"\d{{4}}[-/.]\d{{2}}[-/.]\d{{2}}(?:[T _]+{_CLOCK}{_ZONE})?"),
    ("date", rf"{_DAY}?{_MONTH} +\d{{1,2}},? +{_CLOCK}{_ZONE} +\d{{4}}"),
    ("date-us", rf"{_DAY}?{_MONTH} +\d{{1,2}},? +\d{{4}},?(?: +(?:at +)?{_CLOCK}{_ZONE})?"),
    ("date-gb", rf"{_DAY}?\d{{1,2}}[ -]{_MONTH}[ -]\d{{4}},?(?: +(?:at +)?{_CLOCK}{_ZONE})?"),
    ("date-eu", rf"\d{{1,2}}\.\d{{1,2}}\.\d{{4}},?(?: +{_CLOCK}{_ZONE})?"),
    ("date-slash", rf"\d{{1,2}}/\d{{1,2}}/\d{{4}},?(?: +{_CLOCK}{_ZONE})?"),
    ("clock", r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AaPp][Mm])?"),
)
_CLOSING = ("]", ")", ">")
#: Characters of a line in which a time is looked for.
_REACH = 200


class Stamp(Struct, frozen=True):
    """A time at the head of a line: its kind, seconds since the epoch where it says a day, what follows."""

    kind: str
    at: float | None
    rest: str


def stamped(line: str) -> Stamp | None:
    """Return the time of day with which a line begins and the rest of it; None if it begins with none."""
    if not line[:1] or not (line[0] in "[(<" or line[0].isalnum()):
        return None
    found = _compiled()[0].match(line[:_REACH])
    if found is None:
        return None
    kind = next(nth for nth in range(2, len(_FORMS) + 2) if found.group(nth))
    bracket = found.group(1) or ""
    closed = line[found.end(kind) : found.end(kind) + 1] in _CLOSING
    if bool(bracket) != closed or ":" not in found.group(kind):
        return None
    return Stamp(_FORMS[kind - 2][0] + bracket, instant_of(found.group(kind)), line[found.end() :])


def time_in(text: str) -> float | None:
    """Return the first time with a day that a text has, as seconds since the epoch, else None."""
    found = _compiled()[1].search(text[:_REACH])
    return None if found is None else instant_of(found.group(0))


def without_time(text: str) -> str:
    """Return a text without the first time with a day that it has."""
    found = _compiled()[1].search(text[:_REACH])
    return text if found is None else f"{text[: found.start()]}{text[found.end() :]}"


def instant_of(text: str) -> float | None:
    """
    Return seconds since the epoch of a text that is a time with a day, else None.

    Without a zone it is taken as UTC; of `03/04/2026` it is not known which is the month, so it is None.
    """
    clock = _compiled()[2].search(text)
    rest = text if clock is None else f"{text[: clock.start()]} {text[clock.end() :]}"
    day = _day(rest.replace("T", " ") if rest[:4].isdigit() else rest)
    if day is None:
        return None
    hour = minute = 0
    second = 0.0
    if clock is not None:
        parts = clock.group("clock").replace(",", ".").split(":")
        hour, minute = int(parts[0]), int(parts[1])
        second = float(parts[2]) if len(parts) > 2 else 0.0
        half = (clock.group("half") or "").lower().replace(".", "").strip()
        hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    try:
        zone = timezone(timedelta(hours=_offset(rest if clock is None else text[clock.end() :])))
        return (datetime(*day, hour, minute, tzinfo=zone) + timedelta(seconds=second)).timestamp()
    except (ValueError, OverflowError):
        return None


def _day(text: str) -> tuple[int, int, int] | None:
    words = [word for word in text.replace(",", " ").replace("_", " ").split() if word]
    for word in words:
        for mark in "-/.":
            parts = word.split(mark)
            if len(parts) == 3 and all(part.isdigit() for part in parts):
                return _of_numbers([int(part) for part in parts], mark)
    parts = [part for word in words for part in word.split("-")]
    month = next((_MONTHS.index(p[:3].lower()) + 1 for p in parts if p[:3].lower() in _MONTHS), None)
    numbers = [int(part) for part in parts if part.isdigit()]
    year = next((n for n in numbers if n > 1969), None)
    day = next((n for n in numbers if 1 <= n <= 31), None)
    return None if month is None or year is None or day is None else (year, month, day)


def _of_numbers(numbers: list[int], mark: str) -> tuple[int, int, int] | None:
    first, second, third = numbers
    if first > 1969:
        return first, second, third
    if third < 1970:
        return None
    if mark == "." or (first > 12 >= second):
        return third, second, first
    return (third, first, second) if second > 12 >= first else None


def _offset(text: str) -> float:
    for word in text.replace("(", " ").replace(")", " ").replace("]", " ").split():
        if word in _ZONES:
            return _ZONES[word]
        digits = word.removeprefix("UTC").replace(":", "")
        if digits[:1] in ("+", "-") and digits[1:].isdigit() and len(digits) in (2, 3, 5):
            hours, minutes = int(digits[1:3]), int(digits[3:5] or 0)
            return (hours + minutes / 60) * (-1 if digits[0] == "-" else 1)
        break
    return 0.0


def _compiled() -> tuple[Any, Any, Any]:
    """Return the patterns: a time at the head of a line, one with a day anywhere, a time of day."""
    global _patterns  # noqa: PLW0603
    if _patterns is None:
        import re2

        forms = "|".join(f"({form})" for _, form in _FORMS)
        head = rf"^([\[(<])?(?:{forms})(?:[\])>]?(?:\s*[:|]\s+|\s+[-\x{{2013}}—|]\s+|\s|$)|[\])>][:,]?)"
        days = "|".join(f"(?:{form})" for name, form in _FORMS if name != "clock")
        clock = r"(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(?P<half> ?[AaPp]\.?[Mm]\b\.?)?"
        _patterns = (re2.compile(head), re2.compile(days), re2.compile(clock))
    return _patterns


_patterns: tuple[Any, Any, Any] | None = None
