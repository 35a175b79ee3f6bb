"""What the loop does now, as far as a ledger can tell: at work, waiting, ended, or gone. Pure."""

from __future__ import annotations

from exitgate.engine.shown import duration
from exitgate.ledger.line import EXPIRED, RESET
from exitgate.model.decision import Decision
from exitgate.model.verdict import EXIT
from exitgate.report.retry import retry_text
from exitgate.surfaces.watch.parts import instant, part
from exitgate.surfaces.watch.rows import Row
from exitgate.surfaces.watch.sight import exit_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.watch.sight import Sight

#: A loop seems to be gone when it was silent for this many of its longest pauses, and at least so long;
#: that is longer while it has made fewer decisions than `KNOWN`, as its pauses are not known then.
PAUSES, AT_LEAST, AT_FIRST, KNOWN = 3.0, 600.0, 3600.0, 3


def silent_for(sight: Sight, now: float) -> float:
    """Return the seconds since the run's last line; 0 where it has none, and where the clock went back."""
    at = instant(sight.last, "time") if sight.last is not None else None
    return 0.0 if at is None else max(0.0, now - at)


def seems_gone(sight: Sight, now: float) -> bool:
    """
    Return whether a run that continues has been silent for longer than its own pauses explain.

    That is three times its longest pause between two lines, and ten minutes at least, an hour in its first
    iterations; one that waits until an instant is given that long from there.
    """
    retry = _retry(sight)
    suspended = exit_of(sight.last) is not None and retry is None
    if sight.last is None or sight.over or suspended:
        return False
    silent = silent_for(sight, now) if retry is None else max(0.0, now - retry)
    least = AT_LEAST if len(sight.cells) >= KNOWN else AT_FIRST
    return silent > max(PAUSES * sight.pause, least)


def pulse(sight: Sight, now: float) -> Row:
    """Return in a sentence part what the loop does."""
    if sight.last is None:
        return Row("no line yet", "quiet")
    silent = duration(float(int(silent_for(sight, now))))
    kind = sight.last.get("kind")
    if kind in (RESET, EXPIRED):
        return Row(f"the run was reset {silent} ago" if kind == RESET else "the run expired", "exit")
    if sight.ended is not None:
        return Row(f"the run ended {silent} ago", "strong")
    if seems_gone(sight, now):
        return Row(f"silent for {silent}: the loop seems to have stopped", "trouble")
    retry = _retry(sight)
    if retry is not None:
        return Row(
            "continues " + retry_text(Decision(EXIT, "wait", "", None, "", retry_at=retry), now), "note"
        )
    if exit_of(sight.last) is not None:
        return Row(f"suspended {silent} ago; the next check continues", "exit")
    return Row(f"{silent} since the last line", "quiet")


def _retry(sight: Sight) -> float | None:
    """Return the instant until which the run waits, or None."""
    if exit_of(sight.last) != "wait":
        return None
    return instant(part(sight.last, "decision"), "retry_at")
