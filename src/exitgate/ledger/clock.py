"""Time within a run, from a clock that may be set back. Pure: lines and the time go in."""

from __future__ import annotations

from exitgate.model.type import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeGuard

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def elapsed_at(last: Mapping[str, object] | None, now: float) -> float:
    """
    Return the seconds that a run has taken at time `now`: never negative, never fewer than before.

    Args:
        last: The run's newest line, or None before the first. Its `totals.elapsed` is what the run
            had taken by then; from there on the clock counts. A clock that was set back adds
            nothing until the next line, so a budget is never refilled by it.
        now: Seconds since the epoch.
    """
    if last is None:
        return 0.0
    totals = last.get("totals")
    before = totals.get("elapsed") if isinstance(totals, dict) else None
    taken = float(before) if _is_number(before) and before > 0 else 0.0
    at = last.get("time")
    return micro(taken + max(0.0, now - at)) if _is_number(at) else micro(taken)


def set_back(last: Mapping[str, object] | None, now: float) -> str:
    """
    Return a remark when `now` lies before the newest line, else the empty text.

    Lines keep the time as the clock told it; their order is their sequence.
    """
    at = last.get("time") if last is not None else None
    if last is None or not _is_number(at) or at <= now:
        return ""
    return f"the clock is {_span(at - now)} behind the last line of `{last['run']}`"


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0


def _span(seconds: float) -> str:
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if seconds >= size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds:.1f}s"
