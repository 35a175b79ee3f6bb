"""
What agents' programs report of the limits that they work under, as an iteration's record has it.

A report has any of `status` (the program's own word), `window` (its name of the limit), `used` (0 to 100),
`resets_at` (seconds since the epoch) and `resets_in` (seconds from when it was reported). One of several
limits at once has them as the list `windows`.
"""

from __future__ import annotations

from exitgate.core.envelopes.members import number_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.envelopes.members import Event


#: Status of a limit that was met.
REJECTED = "rejected"
FULL = 100
#: The limits in Codex' reports.
_WINDOWS = ("primary", "secondary")
#: Member of Codex' reports that names the limit that was met.
_REACHED = "rate_limit_reached_type"


def of_claude(info: Event) -> dict[str, object]:
    """Return the report in `rate_limit_info` of a `rate_limit_event`, empty where it says nothing."""
    used = number_at(info, "utilization")
    return _said(
        status=text_at(info, "status"),
        window=text_at(info, "rateLimitType"),
        used=None if used is None else _percent(100 * used),
        resets_at=number_at(info, "resetsAt", "resets_at"),
    )


def of_codex(told: Event, at: float | None = None) -> dict[str, object]:
    """
    Return the report in `rate_limits` of a `token_count`, empty where it says nothing.

    Args:
        told: The member.
        at: When it was reported, seconds since the epoch: resets may count from there on.
    """
    windows = [one for name in _WINDOWS if (one := _window(name, told, at))]
    if not windows:
        return {}
    if text_at(told, _REACHED) is None:
        return {"windows": windows}
    full = [at for one in windows if one.get("used") == FULL and (at := number_at(one, "resets_at"))]
    return {**_said(status=REJECTED, resets_at=max(full, default=None)), "windows": windows}


def _window(name: str, told: Event, at: float | None) -> dict[str, object]:
    inner = object_at(told, name)
    used = number_at(inner, "used_percent")
    used = number_at(told, f"{name}_used_percent") if used is None else used
    resets_at, resets_in = number_at(inner, "resets_at"), number_at(inner, "resets_in_seconds")
    if resets_at is None and resets_in is not None and at is not None:
        resets_at, resets_in = at + resets_in, None
    if used is None and resets_at is None and resets_in is None:
        return {}
    return _said(
        window=name,
        used=None if used is None else _percent(used),
        resets_at=resets_at,
        resets_in=resets_in if resets_at is None else None,
    )


def _percent(number: float) -> int | float:
    """Return a share as a percentage that is written briefly, at most 100."""
    near = round(number, 3)
    return min(FULL, int(near) if near == int(near) else near)


def _said(**parts: object) -> dict[str, object]:
    return {name: value for name, value in parts.items() if value is not None}
