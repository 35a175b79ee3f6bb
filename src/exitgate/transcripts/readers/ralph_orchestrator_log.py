"""What the diagnostic logs of ralph-orchestrator say: when iterations began, and how a loop ended."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from exitgate.transcripts.instants import instant
from exitgate.transcripts.readers.ralph_orchestrator_names import is_log_line, plain
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.transcripts.place import Place
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Part

#: Marks of the format: one of the first is at the beginning of each iteration, the others at the end.
_STARTS = "Memory injection check"
_WRAPPING = "Wrapping up: "
_ABORTED = "Ctrl+C detected"
_PROMISED, _SEEN = "All done! ", " detected"
#: What the loop tells its agent of the list of tasks when an iteration begins: `2 ready, 3 open, 1 closed`.
_TASKS = "Injecting ready tasks ("
#: Seconds behind the beginning of an iteration within which it does.
_AT_ONCE = 30.0
_LINE_LIMIT = 4_000

#: Reason that the loop gives -> class; both spellings occur.
CLASSES = {
    "completed": "complete", "completion_promise": "complete",
    "max_iterations": "exhausted", "max_runtime": "exhausted", "max_cost": "exhausted",
    "consecutive_failures": "failed", "validation_failure": "failed", "workspace_gone": "failed",
    "loop_thrashing": "stuck", "loop_stale": "stuck",
    "stopped": "interrupted", "interrupted": "interrupted", "cancelled": "interrupted",
    "restart_requested": "interrupted",
}  # fmt: skip


class Logged:
    """
    What all logs say, in the order of time.

    `starts` are instants of iterations, seconds since the epoch, with the log and line of each; `tasks` how
    many tasks were closed and open at an instant.
    """

    __slots__ = ("ends", "starts", "tasks", "where")

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.where: dict[float, tuple[str, int]] = {}
        self.ends: list[tuple[float, End]] = []
        self.tasks: list[tuple[float, int, int]] = []

    def add(self, place: Place) -> None:
        """Read one log. Raises OSError."""
        for number, raw in enumerate(place.lines(), 1):
            line = plain(raw[:_LINE_LIMIT].decode("utf-8", "replace"))
            if not is_log_line(line):
                continue
            at = instant(line.split(None, 1)[0])
            if at is None:
                continue
            end = _end(line, at)
            if end is not None:
                self.ends.append((at, end))
            elif _STARTS in line:
                self.starts.append(at)
                self.where.setdefault(at, (place.path, number))
            elif (counted := _counted(line)) is not None:
                self.tasks.append((at, *counted))
        self.starts.sort()
        self.tasks.sort()

    def counted(self, at: float | None) -> tuple[int, int] | None:
        """Return how many tasks were closed and open for the iteration that began at an instant, or None."""
        first = 0 if at is None else bisect_left(self.tasks, (at, 0, 0))
        if at is None or first == len(self.tasks) or self.tasks[first][0] - at > _AT_ONCE:
            return None
        return self.tasks[first][1:]

    def between(self, begin: float | None, end: float | None) -> list[float]:
        """Return the starts of iterations from `begin` to `end`, None where the run has no such bound."""
        first = 0 if begin is None else bisect_left(self.starts, begin)
        return self.starts[first : len(self.starts) if end is None else bisect_right(self.starts, end)]

    def end(self, begin: float | None, end: float | None) -> End | None:
        """Return how the log says that the run between the two ended."""
        inside = [
            one for at, one in self.ends if (begin is None or at >= begin) and (end is None or at <= end)
        ]
        return inside[-1] if inside else None


def class_of(reason: str) -> str | None:
    """Return the class of a reason for which the loop ended, None for one that is not known."""
    return CLASSES.get(reason.strip().lower())


def read_log(place: Place, empty: Iterable[RecordedIteration]) -> Iterator[Part]:
    """
    Yield the run that a log by itself shows. Raises OSError.

    Args:
        place: The log.
        empty: What an iteration is of which no more than its start is known, one after the other.
    """
    logged = Logged()
    logged.add(place)
    started = logged.starts[0] if logged.starts else None
    yield Begin(place.name, PROCESS, place.path, started)
    for at, one, following in zip(logged.starts, empty, [*logged.starts[1:], None], strict=False):
        path, line = logged.where[at]
        where = type(one.provenance)(path, line, line)
        yield one.but(started_at=at, ended_at=following, provenance=where)
    yield logged.end(None, None) or End()


def _end(line: str, at: float) -> End | None:
    if _ABORTED in line:
        return End("interrupted", _ABORTED, at)
    said = line.split(None, 3)[-1]
    if said.startswith(_PROMISED) and _SEEN in said:
        return End("complete", said, at)
    if _WRAPPING not in line:
        return None
    reason = line.partition(_WRAPPING)[2].partition(".")[0]
    return End(class_of(reason), reason, at)


def _counted(line: str) -> tuple[int, int] | None:
    """Return how many tasks a line says to be closed and open, None where it says nothing of them."""
    inside = line.partition(_TASKS)[2].partition(")")[0]
    parts = (part.split() for part in inside.split(","))
    counts = {
        part[1]: int(part[0]) for part in parts if len(part) == 2 and part[0].isdigit() and len(part[0]) < 7
    }
    return (counts["closed"], counts["open"]) if {"closed", "open"} <= counts.keys() else None
