"""
How long to wait until the time that a message names.

A pattern of a lexicon has found the parts of it; here they become seconds. No clock is read: the
present is the iteration's time, and a time without a zone is meant in the zone of the machine, whose
distance from UTC `observe` wrote down.
"""

from __future__ import annotations

from exitgate.core.facts.records import amount
from exitgate.core.facts.turn.trouble import RetryWords, word_of
from exitgate.core.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime, tzinfo


#: A time of day that has passed by less than this was reached since the message was printed.
GRACE = 300
#: Longest wait that is believed: no plan of a service is filled again later than in a month.
LONGEST = 32 * 86_400
DAY = 86_400
#: From here on a number of an instant counts milliseconds (in seconds it would be the year 5138).
MILLISECONDS = 1e11


def seconds_until(
    parts: Mapping[str, str], words: RetryWords, now: float, utc_offset: object
) -> int | Unknown:
    """
    Return the seconds from `now` to the time, rounded up, 0 for one that has passed; or why not.

    Args:
        parts: `epoch`; or `seconds`; or `span`; or `hour` with any of `minute`, `second`, `half`,
            `year`, `month`, `day`, `zone`; as they are in the message.
        words: What units, months, halves of the day and zones are called.
        now: Seconds since the epoch.
        utc_offset: Seconds that the machine's clock is ahead of UTC; anything but a number: not known.

    A time of day alone is the next one; it is the one just passed for `GRACE` seconds. A date without a
    year is the nearest one. Where clocks are set forward over a time it counts by the offset before, and
    where a time comes twice the first is meant. With only `utc_offset` a change of clocks between now and
    then is not seen: the wait is an hour too long or too short.
    """
    try:
        wait = _wait(parts, words, now, utc_offset)
    except (ValueError, OverflowError, OSError):
        return Unknown(f"there is no such time as {_shown(parts)}")
    if isinstance(wait, Unknown):
        return wait
    if wait > LONGEST:
        return Unknown(f"{_shown(parts)} is more than {LONGEST // DAY} days away")
    return max(0, int(-(-wait // 1)))


def instant(value: object, now: float) -> int | Unknown:
    """
    Return the seconds from `now` to an instant in a field of a record, rounded up; or why not.

    Args:
        value: Seconds or milliseconds since the epoch, as a number or its digits, or an ISO 8601 time.
        now: Seconds since the epoch.
    """
    number = amount(value)
    if number is not None:
        return seconds_until({"epoch": str(number)}, _NO_WORDS, now, None)
    if not isinstance(value, str) or not value.strip():
        return Unknown("no time was given")
    if value.strip().isdecimal() and value.isascii():
        return seconds_until({"epoch": value.strip()}, _NO_WORDS, now, None)
    from datetime import UTC, datetime

    try:
        read = datetime.fromisoformat(value.strip())
        there = (read if read.tzinfo is not None else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return Unknown(f"`{value.strip()[:40]}` is not a time")
    return seconds_until({"epoch": repr(there)}, _NO_WORDS, now, None)


def _wait(parts: Mapping[str, str], words: RetryWords, now: float, utc_offset: object) -> float | Unknown:
    if "epoch" in parts:
        epoch = float(parts["epoch"])
        return (epoch / 1000 if epoch > MILLISECONDS else epoch) - now
    if "seconds" in parts:
        return float(parts["seconds"])
    if "span" in parts:
        total = 0.0
        for number, unit in _amounts(parts["span"]):
            if unit not in words.units:
                return Unknown(f"`{unit[:40]}` is not a unit of time")
            total += float(number) * words.units[unit]
        return total
    if "hour" not in parts:
        return Unknown("no time was given")
    zone = _zone(parts.get("zone", ""), words, utc_offset)
    return zone if isinstance(zone, Unknown) else _until(parts, words, now, zone)


def _amounts(span: str) -> Iterator[tuple[str, str]]:
    """Yield number and word of each amount in ``1h 2 minutes and 34.07s``."""
    from itertools import groupby

    number = ""
    for numeric, letters in groupby(span, key=lambda letter: letter.isdecimal() or letter == "."):
        piece = "".join(letters)
        if numeric:
            number = piece.strip(".")
        elif number:
            first = piece.replace(",", " ").split()
            if first:
                yield number, word_of(first[0])
            number = ""


def _zone(written: str, words: RetryWords, utc_offset: object) -> tzinfo | Unknown:
    """Return the zone that is written, or the machine's where none is."""
    from datetime import timedelta, timezone

    if word_of(written) in words.zones:
        return timezone(timedelta(seconds=words.zones[word_of(written)]))
    if written[:1] in ("+", "-") and written[1:]:
        digits = written[1:].replace(":", "").ljust(4, "0")
        ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
        return timezone(-ahead if written[0] == "-" else ahead)
    # a word in small letters behind a time of day is the next word of the sentence
    if "/" in written or (len(written) > 1 and written.isupper()):
        from zoneinfo import ZoneInfo

        try:
            return ZoneInfo(written)
        except (KeyError, ValueError, OSError):
            return Unknown(f"the time zone `{written[:40]}` is not known here")
    offset = amount(utc_offset)
    if offset is None or abs(offset) >= DAY:
        return Unknown("a time of day was given, but this machine's offset from UTC is not known")
    return timezone(timedelta(seconds=offset))


def _until(parts: Mapping[str, str], words: RetryWords, now: float, zone: tzinfo) -> float | Unknown:
    from datetime import datetime, timedelta

    here = datetime.fromtimestamp(now, zone)
    hour = int(parts["hour"])
    half = word_of(parts.get("half", ""))
    if half:
        if half not in words.halves or not 1 <= hour <= 12:
            return Unknown(f"there is no such time as {_shown(parts)}")
        hour = hour % 12 + int(words.halves[half])
    clock = here.replace(
        hour=hour,
        minute=int(parts.get("minute", 0)),
        second=int(parts.get("second", 0)),
        microsecond=0,
        fold=0,
    )
    if "day" in parts:
        dated = _dated(parts, words, clock)
        return dated if isinstance(dated, Unknown) else dated.timestamp() - now
    if clock.timestamp() + GRACE < now:
        clock += timedelta(days=1)
    return clock.timestamp() - now


def _dated(parts: Mapping[str, str], words: RetryWords, clock: datetime) -> datetime | Unknown:
    """Return `clock` on the day that is said: without a year, on the nearest one."""
    month = parts.get("month", "")
    number = int(month) if month.isdecimal() else int(words.months.get(word_of(month), 0))
    if not 1 <= number <= 12:
        return Unknown(f"`{month[:40]}` is not a month")
    day = int(parts["day"])
    if "year" in parts:
        return clock.replace(year=int(parts["year"]), month=number, day=day)
    from calendar import monthrange

    years = [y for y in (clock.year - 1, clock.year, clock.year + 1) if 1 <= day <= monthrange(y, number)[1]]
    if not years:
        return Unknown(f"there is no such time as {_shown(parts)}")
    near = [clock.replace(year=year, month=number, day=day) for year in years]
    return min(near, key=lambda one: abs((one - clock).total_seconds()))


def _shown(parts: Mapping[str, str]) -> str:
    return "`" + ", ".join(f"{name} {parts[name].strip()[:40]}" for name in sorted(parts)) + "`"


_NO_WORDS = RetryWords({}, {}, {}, {})
