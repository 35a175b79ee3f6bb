"""
From events to iterations.

Where a log says when iterations began, or the events are numbered, an event belongs to the iteration
that was under way; else each event is one, as every agent of the loop ends with one. Iterations that left
no event are there where the log shows them, or if none of the run did; elsewhere it is not known
between which others they were, and only the end says how many there were.
"""

from __future__ import annotations

from bisect import bisect_right

from exitgate.model.counted import counted
from exitgate.transcripts.readers.ralph_plan import boxes_of
from exitgate.transcripts.recorded import Provenance, RecordedIteration
from exitgate.transcripts.run import End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.readers.ralph_orchestrator_events import Emitted
    from exitgate.transcripts.readers.ralph_orchestrator_log import Logged
    from exitgate.transcripts.readers.ralph_orchestrator_tasks import Tasks

_NO_TEXT = "the loop keeps events, not the agent's other text"
_NO_EVENT = "the iteration left no event"
#: Iterations of a run beyond which a number is none.
_MOST = 10_000


def silent(index: int, file: str, line: int = 0) -> RecordedIteration:
    """Return an iteration of which nothing is known."""
    unknown = dict.fromkeys(("response", "output"), _NO_EVENT)
    return RecordedIteration(index, Provenance(file, line, line), not_known=unknown)


class Iterations:
    """
    The iterations of one run, as its events come.

    Args:
        file: Where the events are.
        starts: When its iterations began, as the log tells; empty without one.
        logged: Where that is.
        tasks: The list of tasks, for the plan.
        loop: What the ids of the loop's tasks end with.
    """

    def __init__(self, file: str, starts: list[float], logged: Logged, tasks: Tasks, loop: str) -> None:
        self.file = file
        self._starts = starts
        self._logged = logged
        self._tasks = tasks
        self._loop = loop
        self._closed: int | None = None
        self._ended: float | None = None
        self._index = 0
        self._held: list[Emitted] = []
        self._number = 0
        self._last: float | None = None

    def take(self, event: Emitted) -> Iterator[RecordedIteration]:
        """Yield the iterations that are over with the next event."""
        number = self._number_of(event)
        if self._held and number > self._number:
            yield self._done()
        yield from self._silent(number - 1)
        self._number = number
        self._held.append(event)

    def _number_of(self, event: Emitted) -> int:
        """Return the number of the iteration that was under way; numbers never go back."""
        if event.iteration is not None and event.iteration < _MOST:
            return max(event.iteration, self._number, 1)
        if not self._starts:
            return self._number + 1
        if event.at is None:
            return max(self._number, 1)
        return max(bisect_right(self._starts, event.at), self._number, 1)

    def close(self, count: int | None, ended: float | None) -> Iterator[RecordedIteration]:
        """
        Yield what is left.

        Args:
            count: How many iterations the loop itself counted, or None.
            ended: When it ended, or None: its last iteration works until then, also behind its last event.
        """
        self._ended = ended
        if self._held:
            yield self._done()
        if self._starts:
            yield from self._silent(len(self._starts))
        elif self._index == 0 and count is not None:
            yield from self._silent(min(count, _MOST))

    def told(self, end: End, count: int | None) -> End:
        """Return the end of the run, with the count of iterations where fewer are known."""
        if count is None or count == self._index:
            return end
        known = f"{self._index} {'is' if self._index == 1 else 'are'} known from an event"
        why = f"{end.why}; the loop counted {counted(count, 'iteration')}, {known}"
        return End(end.how, why.removeprefix("; "), end.ended_at)

    def _silent(self, last: int) -> Iterator[RecordedIteration]:
        while self._index < min(last, _MOST):
            self._index += 1
            one = silent(self._index, self.file)
            started, ended = self._span(self._index)
            ended = self._ended if ended is None and self._index == last else ended
            if started is not None:
                path, line = self._logged.where.get(started, (self.file, 0))
                one = one.but(provenance=Provenance(path, line, line))
            self._last = ended or self._last
            told = self._stood(ended)
            unknown = {**one.not_known, **self._unknown(told)}
            unknown.pop("output")
            yield one.but(output="", started_at=started, ended_at=ended, **{**told, "not_known": unknown})

    def _span(self, index: int) -> tuple[float | None, float | None]:
        started = self._starts[index - 1] if index <= len(self._starts) else None
        return started, self._starts[index] if index < len(self._starts) else None

    def _done(self) -> RecordedIteration:
        """Return the iteration of the events that are held."""
        events, self._held = self._held, []
        self._index += 1
        started, ended = self._span(self._index)
        ended = self._ended if ended is None else ended
        instants = [event.at for event in events if event.at is not None]
        if ended is None and instants:
            ended = max(instants)
        said = "\n\n".join(event.said for event in events)
        told = self._stood(ended)
        unknown = {**dict.fromkeys(("response", "tool_results", "prompt"), _NO_TEXT), **self._unknown(told)}
        one = RecordedIteration(
            self._index,
            Provenance(self.file, events[0].line, events[-1].line),
            output=said,
            record={"fields": {"TOPIC": events[-1].topic}},
            started_at=started,
            ended_at=ended,
        )
        return one.but(**{**told, "not_known": unknown})

    def _stood(self, at: float | None) -> dict[str, object]:
        """Return the list of tasks when an iteration ended, as counted when the next one began."""
        told = self._tasks.told(at, self._loop, self._logged.counted(at), self._closed)
        plan = told.get("plan")
        if isinstance(plan, str):
            self._closed = max(boxes_of(plan)[0], self._closed or 0)
        return told

    @staticmethod
    def _unknown(told: dict[str, object]) -> dict[str, str]:
        found = told.get("not_known")
        return found if isinstance(found, dict) else {}
