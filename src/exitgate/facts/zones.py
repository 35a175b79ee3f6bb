"""Names of time zones, as a policy or its user writes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo


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
    from exitgate.model.spelling import nearest

    city = name.strip().replace(" ", "_").rpartition("/")[2]
    cities = {one.rpartition("/")[2]: one for one in reversed(names) if "/" in one}
    found = nearest(city, cities)
    return nearest(name, names) or (cities[found] if found is not None else None)
