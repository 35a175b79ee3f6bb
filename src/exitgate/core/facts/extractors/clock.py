"""Time that has gone by and the time of day, as `observe` measured them."""

from __future__ import annotations

from exitgate.core.facts.records import amount, count
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import COUNT, DURATION, TEXT, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "clock"
SOURCE = "clock"
#: Days of the week, from the one that a calendar's week begins with.
WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
HOUR, DAY = 3600, 86400
ZONE: dict[str, object] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "description": "Time zone, by its IANA name. Without it that of the setting `zone`, else this machine's.",
    "examples": ["Europe/Berlin", "America/New_York"],
}
OPTIONS: dict[str, object] = {"zone": ZONE}

_NO_TIME = "in a recording without times, or where no zone is named"
_SPECS = (
    FactSpec(
        "elapsed", DURATION, "Time since the run started.", "if the start is not known", low=0, read=False
    ),
    FactSpec(
        "since_last",
        DURATION,
        "Time since the run's last decision.",
        "at the first decision of a run",
        low=0,
        read=False,
    ),
    FactSpec(
        "hour", COUNT, "Hour of the day that a clock on the wall shows.", _NO_TIME, low=0, high=23, read=False
    ),
    FactSpec(
        "time",
        DURATION,
        "Time of day that a clock on the wall shows, in whole seconds: 22:30 is `22h30m`.",
        _NO_TIME,
        low=0,
        high=DAY - 1,
        read=False,
    ),
    FactSpec("weekday", Type("enum", members=WEEKDAYS), "Day of the week.", _NO_TIME, read=False),
    FactSpec(
        "zone",
        TEXT,
        "Time zone of these: its IANA name, or its offset from UTC where the machine does not tell the name.",
        _NO_TIME,
        read=False,
    ),
)

_OF_DAY = _SPECS[2:]
#: Facts of the time of day: observed and recorded only where a policy names them.
WHEN_ASKED = frozenset(spec.name for spec in _OF_DAY)

#: Fact -> field of the record with the earlier instant, and why it may be missing.
_SINCE = (
    ("elapsed", "started_at", "the start of the run is not known"),
    ("since_last", "last_at", "this is the run's first decision"),
)
_NOT_SEEN = "the time of day is not known"


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield place, message and help for a time zone that there is not."""
    zone = options.text("zone")
    found = None if zone is None else fault_of(zone)
    if found is not None:
        yield ("zone",), *found


def extract(
    prefix: str,
    source: str,
    options: JsonObject,
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return the time from each instant in the source's record to the iteration's own, and the time of day.

    The record holds `started_at` and `last_at`, seconds since the epoch. An instant after the
    iteration (a clock that was set back) gives unknown, never a negative time; but where the record
    holds `elapsed`, seconds as they were counted from decision to decision, those count. Under `local` it
    holds for each zone that is asked for what its clocks show (`time`, seconds from 0:00, `weekday` from 0,
    `zone`), or the `reason` why that is not known.
    """
    given = iteration.source(source)
    record = given.record
    if record is None:
        return tuple(
            Fact(f"{prefix}.{spec.name}", Unknown(given.reason, f"{prefix}.{spec.name}")) for spec in _SPECS
        )
    since = tuple(
        Fact(f"{prefix}.{name}", _since(record, field, iteration.time, missing, f"{prefix}.{name}"))
        for name, field, missing in _SINCE
    )
    return (*since, *_of_day(prefix, record.object("local").object(options.text("zone", ""))))


def _of_day(prefix: str, shown: JsonObject) -> Iterator[Fact]:
    """Yield the facts of the time of day."""
    time, day, zone = count(shown.get("time")), count(shown.get("weekday")), shown.text("zone")
    good = time is not None and time < DAY and day is not None and day < len(WEEKDAYS)
    if not good or time is None or day is None or zone is None:
        reason = shown.text("reason", _NOT_SEEN)
        yield from (Fact(n, Unknown(reason, n)) for n in (f"{prefix}.{s.name}" for s in _OF_DAY))
        return
    yield Fact(f"{prefix}.hour", time // HOUR)
    yield Fact(f"{prefix}.time", time)
    yield Fact(f"{prefix}.weekday", WEEKDAYS[day])
    yield Fact(f"{prefix}.zone", zone)


def _since(record: JsonObject, field: str, now: float, missing: str, origin: str) -> float | int | Unknown:
    counted = amount(record.get("elapsed")) if field == "started_at" else None
    if counted is not None and counted >= 0:
        return micro(counted)
    instant = amount(record.get(field))
    if instant is None:
        return Unknown(missing, origin)
    if instant > now:
        return Unknown("the clock was set back", origin)
    return micro(now - instant)


# Names of time zones, as a policy or its user writes them.

_FIXED, _UTC = "Etc", frozenset(("GMT", "Greenwich", "UCT", "UTC", "Universal", "Zulu"))
#: No zone, and rules of summer time without a place, kept for old programs; what they mean has changed.
_RULES = frozenset((
    "Factory", "CET", "CST6CDT", "EET", "EST", "EST5EDT", "HST", "MET", "MST", "MST7MDT", "PST8PDT", "WET",
))  # fmt: skip


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of this IANA name, None where this machine's database has none."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def fault_of(name: str) -> tuple[str, str] | None:
    """
    Return what is wrong with the name of a zone, and help; None for a good one: of a place, or UTC.

    A machine without a database of zones can judge no name: then none is wrong, and its facts are unknown.
    """
    from zoneinfo import available_timezones

    if zone_of(name) is not None:
        if _is_of_a_place(name):
            return None
        help = "write a name such as `Europe/Berlin` or `UTC`"
        return f"the time zone `{name}` is not that of a place", help
    names = sorted(one for one in available_timezones() if _is_of_a_place(one))
    if not names:
        return None
    found = _nearest(name, names)
    help = f"did you mean `{found}`?" if found else "write a name such as `Europe/Berlin` or `UTC`"
    return f"there is no time zone `{name}`", help


def _is_of_a_place(name: str) -> bool:
    """
    Return whether the name of a zone is that of a place, or UTC, on every machine.

    Names in small letters, `localtime` and `right/UTC`, are of the machine, or twins with other clocks.
    """
    first, _, rest = name.partition("/")
    if first == _FIXED:
        return rest in _UTC
    fixed = first[:3] == "GMT" and first not in _UTC  # `GMT+0`, `GMT0`
    return not fixed and not first.islower() and name not in _RULES


def _nearest(name: str, names: list[str]) -> str | None:
    """Return the zone that a name was meant to be: spelled nearly so, or the one of the city."""
    from exitgate.core.model.spelling import nearest

    city = name.strip().replace(" ", "_").rpartition("/")[2]
    cities = {one.rpartition("/")[2]: one for one in reversed(names) if "/" in one}
    found = nearest(city, cities)
    return nearest(name, names) or (cities[found] if found is not None else None)
