"""When a run that waits may go on, in words."""

from __future__ import annotations

from exitgate.model.type import DURATION
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.decision import Decision


def retry_text(decision: Decision, now: float | None = None) -> str:
    """
    Return ``at 2026-03-01 14:05:00 local time, in 2h10m``; the empty text where nothing waits.

    Args:
        decision: Decisions.
        now: Seconds since the epoch; without it the time to wait is not reported.
    """
    if decision.exit_class != "wait":
        return ""
    if decision.retry_at is None:
        return "the time is not known"
    text = f"at {_local(decision.retry_at)}"
    if now is None:
        return text
    left = round(decision.retry_at - now)
    return f"{text}, in {value_text(left, DURATION)}" if left > 0 else f"{text}, now"


def _local(instant: float) -> str:
    """Return an instant as a local time; one beyond the calendar as it is."""
    from time import localtime, strftime

    try:
        return strftime("%Y-%m-%d %H:%M:%S local time", localtime(instant))
    except (OverflowError, ValueError, OSError):
        return f"{instant:g} s since the epoch"
