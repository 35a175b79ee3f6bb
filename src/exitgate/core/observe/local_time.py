"""What clocks on the wall show at an instant, in the zone that a policy names or in the machine's own."""

from __future__ import annotations

import os
from collections.abc import Iterable

from exitgate.core.facts.extractors.clock import NAME, WHEN_ASKED, zone_of
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import CompiledPolicy

#: Folders in which systems keep their zones, and the link that names the machine's.
_FOLDERS = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo")
_LINK, _BELOW = "/etc/localtime", "zoneinfo/"
_HOUR, _MINUTE = 3600, 60
_OUT_OF_RANGE = "the instant is out of range"
#: Why a recording shows no time of day.
NO_ZONE = "a recording does not tell its time zone; name one with the setting `zone`"
NO_TIME = "the transcript does not record the time"


def zones_of(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the zones whose time of day a policy asks for; the empty text is the machine's."""
    return tuple(
        dict.fromkeys(
            str(entry.options.get("zone") or "")
            for entry in policy.extractions
            if entry.extractor == NAME and any(map(entry.asks, WHEN_ASKED))
        )
    )


def local(now: float, zones: Iterable[str]) -> dict[str, JsonObject]:
    """
    Return for each zone what a clock shows at an instant.

    Args:
        now: Seconds since the epoch.
        zones: IANA names; the empty text for the machine's own zone.

    Each has `time` (seconds from 0:00 as the clock shows it, 0 to 86399), `weekday` (0 is Monday), `zone` and
    `midnight` (the instant at which its day began), or a `reason`.
    """
    return {zone: _named(now, zone) if zone else _machines(now) for zone in zones}


def recorded(now: float | None, zones: Iterable[str]) -> dict[str, JsonObject]:
    """Return the same for an instant of a recording, which was made in a zone that nothing tells."""
    zones = tuple(zones)
    if now is None:
        return {zone: JsonObject(reason=NO_TIME) for zone in zones}
    known = local(now, (zone for zone in zones if zone))
    return {zone: known.get(zone, JsonObject(reason=NO_ZONE)) for zone in zones}


def _named(now: float, zone: str) -> JsonObject:
    from datetime import datetime

    found = zone_of(zone)
    if found is None:
        return JsonObject(reason=f"this machine does not know the time zone `{zone}`{_remedy()}")
    try:
        shown = datetime.fromtimestamp(now // 1, found)
        midnight = shown.replace(hour=0, minute=0, second=0, fold=0).timestamp()
    except (OverflowError, ValueError, OSError):
        return JsonObject(reason=_OUT_OF_RANGE)
    return _record(shown.hour, shown.minute, shown.second, shown.weekday(), zone, midnight)


def _remedy() -> str:
    """Return what to do where there is no database of zones at all, as on Windows; else the empty text."""
    from zoneinfo import available_timezones

    return "" if available_timezones() else ": install the package `tzdata`"


def _machines(now: float) -> JsonObject:
    import time

    try:
        shown = time.localtime(now // 1)
        midnight = time.mktime((shown.tm_year, shown.tm_mon, shown.tm_mday, 0, 0, 0, 0, 0, -1))
    except (OverflowError, ValueError, OSError):
        return JsonObject(reason=_OUT_OF_RANGE)
    zone = machine_zone() or _offset(shown.tm_gmtoff)
    return _record(shown.tm_hour, shown.tm_min, shown.tm_sec, shown.tm_wday, zone, midnight)


def _record(hour: int, minute: int, second: int, weekday: int, zone: str, midnight: float) -> JsonObject:
    # A clock that counts leap seconds shows 60.
    time = hour * _HOUR + minute * _MINUTE + min(second, 59)
    return JsonObject(time=time, weekday=weekday, zone=zone, midnight=int(midnight))


def machine_zone() -> str:
    """Return the IANA name of the machine's zone, by TZ, else by the system's link; empty if unknown."""
    named = os.environ.get("TZ")
    if named is None:
        try:
            return os.readlink(_LINK).partition(_BELOW)[2]
        except OSError:
            return ""
    name = named.removeprefix(":")
    plain = name.replace("/", "").replace("_", "").replace("-", "").replace("+", "")
    known = (
        plain.isascii()
        and plain.isalnum()
        and any(os.path.isfile(os.path.join(folder, name)) for folder in _FOLDERS)
    )
    return name if known else ""


def _offset(seconds: int) -> str:
    """Return an offset from UTC as ``+05:30``."""
    minutes = abs(seconds) // _MINUTE
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
