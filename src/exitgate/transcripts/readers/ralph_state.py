"""A state file of a loop by itself: a run without iterations whose end says what is in it."""

from __future__ import annotations

from exitgate.transcripts.readers.ralph_frankbria_marks import REASONS
from exitgate.transcripts.run import End
from exitgate.transcripts.values import count_at, object_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from exitgate.transcripts.values import Event

_SHOWN = 200
#: `status` of a status file while the loop is under way.
_INTERRUPTED = "interrupted"
_SIGNALS = ("test_only_loops", "done_signals", "completion_indicators")
_PROGRESS = frozenset(("status", "timestamp", "indicator", "elapsed_seconds", "last_output", "output_file"))
_METRICS = ("timestamp", "loop", "duration", "success", "calls")


def told_by(value: object) -> End | None:
    """Return what a state file says, None where the value is none; never raises."""
    if isinstance(value, list):
        return _history(value)
    if not isinstance(value, dict):
        return None
    return next((end for tell in _TELLING if (end := tell(value)) is not None), None)


def _status(value: Event) -> End | None:
    if not all(name in value for name in ("loop_count", "last_action", "status")) or "stories_total" in value:
        return None
    reason = text_at(value, "exit_reason") or ""
    how = REASONS.get(reason)
    if how is None and value.get("last_action") == _INTERRUPTED:
        how = _INTERRUPTED
    return End(how, _named(value, "status", "last_action", "exit_reason", "loop_count"))


def _circuit(value: Event) -> End | None:
    if "consecutive_no_progress" not in value or text_at(value, "state") is None:
        return None
    how = "halted" if value.get("state") == "OPEN" else None
    return End(how, _named(value, "state", "reason", "consecutive_no_progress", "total_opens"))


def _signals(value: Event) -> End | None:
    if not all(isinstance(value.get(name), list) for name in _SIGNALS):
        return None
    counts = (f"{name}: {_length(value[name])}" for name in _SIGNALS)
    return End(None, ", ".join(counts))


def _analysis(value: Event) -> End | None:
    told = object_at(value, "analysis")
    if "loop_number" not in value or "exit_signal" not in told:
        return None
    return End(None, _named(told, "exit_signal", "has_completion_signal", "confidence_score", "is_stuck"))


def _progress(value: Event) -> End | None:
    if not _PROGRESS.issuperset(value) or not all(text_at(value, n) for n in ("status", "timestamp")):
        return None
    return End(None, _named(value, "status"))


def _metrics(value: Event) -> End | None:
    if not all(name in value for name in _METRICS):
        return None
    return End(None, _named(value, "loop", "duration", "success"))


def _session(value: Event) -> End | None:
    if text_at(value, "session_id") is None or not {
        "session_id",
        "timestamp",
        "created_at",
        "last_used",
    } >= set(value):
        return None
    return End(None, _named(value, "session_id"))


_TELLING: tuple[Callable[[Event], End | None], ...] = (
    _status, _circuit, _signals, _analysis, _metrics, _progress, _session,
)  # fmt: skip


def _history(rows: list[object]) -> End | None:
    """Return what a history of the breaker or of the session says: its last row."""
    moves = [row for row in rows if isinstance(row, dict) and "from_state" in row and "to_state" in row]
    if not moves or len(moves) < len(rows):
        return None
    last = moves[-1]
    loop = count_at(last, "loop", "loop_number")
    where = "" if loop is None else f"; loop: {loop}"
    return End(None, _named(last, "from_state", "to_state", "reason") + where)


def _named(value: Event, *names: str) -> str:
    told = (f"{name}: {value[name]}" for name in names if value.get(name) not in (None, ""))
    return ", ".join(told)[:_SHOWN]


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0
