"""Names of time zones, as a policy or its user writes them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of this IANA name, None where this machine's database has none."""
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def fault_of(name: str) -> tuple[str, str] | None:
    """
    Return what is wrong with the name of a zone, and help; None for a good one.

    A machine without a database of zones can judge no name: then none is wrong, and its facts are unknown.
    """
    from zoneinfo import available_timezones

    if zone_of(name) is not None:
        return None
    names = sorted(available_timezones())
    if not names:
        return None
    found = _nearest(name, names)
    help = f"did you mean `{found}`?" if found else "write a name such as `Europe/Berlin` or `UTC`"
    return f"there is no time zone `{name}`", help


def _nearest(name: str, names: list[str]) -> str | None:
    """Return the zone that a name was meant to be: spelled nearly so, or the one of the city."""
    from exitgate.model.spelling import nearest

    city = name.strip().replace(" ", "_").rpartition("/")[2]
    cities = {one.rpartition("/")[2]: one for one in reversed(names) if "/" in one}
    found = nearest(city, cities)
    return nearest(name, names) or (cities[found] if found is not None else None)
