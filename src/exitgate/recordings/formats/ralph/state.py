"""A state file of a loop by itself: a run without iterations whose end says what is in it."""

from __future__ import annotations

from exitgate.core.envelopes.json_text import whole
from exitgate.core.envelopes.members import as_object, count_at, object_at, objects_in, text_at
from exitgate.recordings.formats.ralph.dialects import FRANKBRIA_REASONS
from exitgate.recordings.model import End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exitgate.core.envelopes.members import Event
    from exitgate.recordings.formats.ralph.log import Execution, Launch
    from exitgate.recordings.location import Location


_SHOWN = 200
#: `status` of a status file while the loop is under way.
_INTERRUPTED = "interrupted"
_SIGNALS = ("test_only_loops", "done_signals", "completion_indicators")
_PROGRESS = frozenset(("status", "timestamp", "indicator", "elapsed_seconds", "last_output", "output_file"))
_METRICS = ("timestamp", "loop", "duration", "success", "calls")


def end_of_state(value: object) -> End | None:
    """Return what a state file says, None where the value is none; never raises."""
    if isinstance(value, list):
        return _history(value)
    plain = as_object(value)
    return next((end for tell in _TELLING if plain and (end := tell(plain)) is not None), None)


def _status(value: Event) -> End | None:
    if not all(name in value for name in ("loop_count", "last_action", "status")) or "stories_total" in value:
        return None
    reason = text_at(value, "exit_reason") or ""
    how = FRANKBRIA_REASONS.get(reason)
    if how is None and value.get("last_action") == _INTERRUPTED:
        how = _INTERRUPTED
    return End(how, _named(value, "status", "last_action", "exit_reason", "loop_count"))


def _circuit(value: Event) -> End | None:
    if "consecutive_no_progress" not in value or text_at(value, "state") is None:
        return None
    how = "halted" if value.get("state") == "OPEN" else None
    return End(how, _named(value, "state", "reason", "consecutive_no_progress", "total_opens"))


def _signals(value: Event) -> End | None:
    lists = [found for name in _SIGNALS if isinstance(found := value.get(name), list)]
    if len(lists) < len(_SIGNALS):
        return None
    counts = zip(_SIGNALS, lists, strict=True)
    return End(None, ", ".join(f"{name}: {len(found)}" for name, found in counts))


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
    moves = [row for row in objects_in(rows) if "from_state" in row and "to_state" in row]
    if not moves or len(moves) < len(rows):
        return None
    last = moves[-1]
    loop = count_at(last, "loop", "loop_number")
    where = "" if loop is None else f"; loop: {loop}"
    return End(None, _named(last, "from_state", "to_state", "reason") + where)


def _named(value: Event, *names: str) -> str:
    told = (f"{name}: {value[name]}" for name in names if value.get(name) not in (None, ""))
    return ", ".join(told)[:_SHOWN]


# What the files of a loop's breaker say, by iteration; not their instants, which are of another clock.

_STATE, _HISTORY = "circuit_breaker_state", "circuit_breaker_history"
_OPEN = "OPEN"
_INSTANTS = ("last_change", "opened_at")


class Circuits:
    """
    The breaker's state file and its history.

    Args:
        states: Name -> state file, as in `exitgate.recordings.formats.ralph.folder.LoopFiles`.
    """

    def __init__(self, states: Mapping[str, Location]) -> None:
        self.problems: list[Problem] = []
        state, history = self._read(states.get(_STATE)), self._read(states.get(_HISTORY))
        self._state = as_object(state) if text_at(as_object(state), "state") else None
        self._opened = [row for row in objects_in(history) if row.get("to_state") == _OPEN]
        self._reasons: dict[int, str | None] = {}

    def number(self, launches: Sequence[Launch]) -> None:
        """Take the launches that the breaker ended after an iteration: each is one row of the history."""
        if len(launches) == len(self._opened):
            pairs = zip(launches, self._opened, strict=True)
            self._reasons = {id(launch): text_at(row, "reason") for launch, row in pairs}

    def record(
        self, launch: Launch, one: Execution | None, *, opens: bool, final: bool
    ) -> dict[str, object] | None:
        """
        Return the breaker's record after an iteration, None where nothing says it.

        Args:
            launch: Its launch.
            one: What the log shows it.
            opens: Whether the breaker ends the loop after it.
            final: Whether it is the last of the folder: then the state file shows it.
        """
        state = self._state
        loop = None if state is None else count_at(state, "current_loop")
        if final and state is not None and (one is None or loop is None or loop == one.loop):
            told = {name: value for name, value in state.items() if name not in _INSTANTS}
            if not opens or told.get("state") == _OPEN:
                return told
        if not opens:
            return None
        reason = self._reasons.get(id(launch))
        return {"state": _OPEN} if reason is None else {"state": _OPEN, "reason": reason}

    def _read(self, place: Location | None) -> object:
        if place is None:
            return None
        try:
            text = place.text()
        except OSError as error:
            self.problems.append(Problem(place.path, error.strerror or str(error)))
            return None
        read = whole(text.strip())
        if read is None:
            self.problems.append(Problem(place.path, "it is not JSON"))
            return None
        return read.value
