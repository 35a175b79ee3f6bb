"""Time that has gone by and the time of day, as `observe` measured them."""

from __future__ import annotations

from exitgate.facts.record_values import amount, count
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import COUNT, DURATION, TEXT, Type, micro
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.model.iteration import Iteration

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


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def faults(options: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield place, message and help for a time zone that there is not."""
    zone = options.get("zone")
    if isinstance(zone, str):
        from exitgate.facts.zones import fault_of

        found = fault_of(zone)
        if found is not None:
            yield ("zone",), *found


def extract(
    prefix: str,
    source: str,
    options: Mapping[str, object],
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
    return (*since, *_of_day(prefix, _shown(record, options)))


def _shown(record: Mapping[str, object], options: Mapping[str, object]) -> Mapping[str, object]:
    local = record.get("local")
    shown = local.get(options.get("zone") or "") if isinstance(local, dict) else None
    return shown if isinstance(shown, dict) else {}


def _of_day(prefix: str, shown: Mapping[str, object]) -> Iterator[Fact]:
    """Yield the facts of the time of day."""
    time, day, zone = count(shown.get("time")), count(shown.get("weekday")), shown.get("zone")
    good = time is not None and time < DAY and day is not None and day < len(WEEKDAYS)
    if not good or time is None or day is None or not isinstance(zone, str):
        said = shown.get("reason")
        reason = said if isinstance(said, str) else _NOT_SEEN
        yield from (Fact(n, Unknown(reason, n)) for n in (f"{prefix}.{s.name}" for s in _OF_DAY))
        return
    yield Fact(f"{prefix}.hour", time // HOUR)
    yield Fact(f"{prefix}.time", time)
    yield Fact(f"{prefix}.weekday", WEEKDAYS[day])
    yield Fact(f"{prefix}.zone", zone)


def _since(
    record: Mapping[str, object], field: str, now: float, missing: str, origin: str
) -> float | int | Unknown:
    counted = amount(record.get("elapsed")) if field == "started_at" else None
    if counted is not None and counted >= 0:
        return micro(counted)
    instant = amount(record.get(field))
    if instant is None:
        return Unknown(missing, origin)
    if instant > now:
        return Unknown("the clock was set back", origin)
    return micro(now - instant)
