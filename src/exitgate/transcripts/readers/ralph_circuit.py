"""What the files of a loop's breaker say, by iteration; not their instants, which are of another clock."""

from __future__ import annotations

from exitgate.transcripts.json_text import whole
from exitgate.transcripts.run import Problem
from exitgate.transcripts.values import count_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_launch import Execution, Launch

_STATE, _HISTORY = "circuit_breaker_state", "circuit_breaker_history"
_OPEN = "OPEN"
_INSTANTS = ("last_change", "opened_at")


class Circuits:
    """
    The breaker's state file and its history.

    Args:
        states: Name -> state file, as in `exitgate.transcripts.readers.ralph_loop_folder.Kept`.
    """

    def __init__(self, states: Mapping[str, Place]) -> None:
        self.problems: list[Problem] = []
        state, history = self._read(states.get(_STATE)), self._read(states.get(_HISTORY))
        self._state = state if isinstance(state, dict) and text_at(state, "state") else None
        rows = history if isinstance(history, list) else []
        self._opened = [row for row in rows if isinstance(row, dict) and row.get("to_state") == _OPEN]
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

    def _read(self, place: Place | None) -> object:
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
