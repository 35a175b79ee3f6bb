"""The hour of the day and the time of day: two facts of one clock, and what they can be together."""

from __future__ import annotations

from itertools import pairwise

from exitgate.facts.extractors.clock import DAY, HOUR
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Values = Mapping[str, object]

_NO_TIME = Unknown("the time of day is not known", "clock")


def complete(own: Values) -> dict[str, object]:
    """Return the hour that follows from a time of day."""
    seconds = _seconds(own.get("time"))
    return {} if seconds is None else {"hour": seconds // HOUR}


def refused(own: Values, free: frozenset[str]) -> bool:  # noqa: ARG001
    """Return whether no clock shows this: an hour that no day has, a part of a second."""
    time, hour = own.get("time"), own.get("hour")
    if isinstance(hour, int | float) and not 0 <= hour < DAY // HOUR:
        return True
    return isinstance(time, int | float) and _seconds(time) is None


def starts(own: Mapping[str, Iterable[object]]) -> Iterator[dict[str, object]]:
    """Yield a time of day on and between all constants that hours and times are compared with; and none."""
    if not own.keys() & {"hour", "time"}:
        return
    ends = {0, DAY - 1, *(second for one in own.get("time", ()) if (second := _seconds(one)) is not None)}
    for hour in own.get("hour", ()):
        if isinstance(hour, int) and 0 <= hour < DAY // HOUR:
            ends |= {hour * HOUR, hour * HOUR + HOUR - 1}
    marks = sorted(ends)
    for time in sorted({*marks, *((a + b) // 2 for a, b in pairwise(marks))}):
        yield {"time": time}
    yield {"time": _NO_TIME, "hour": _NO_TIME}


def _seconds(value: object) -> int | None:
    """Return the whole seconds of a time of day, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < DAY:
        return None
    return int(value) if value == int(value) else None
