"""
ralph-orchestrator 2.x: the folder `.ralph/` with events, history, tasks and diagnostic logs, or one of them.

A loop runs from the event with which it starts to `loop.terminate`; one that another follows without
that was killed. What the agents said is not kept, but the events they emitted are: these are the output.
A loop that ends because it saw its promise tells so: that is the promise of the last iteration. Tasks are
in `tasks.json` as they were when the iteration ended, and are its plan. A file by itself is read for what it
says: a history has the ends of loops and no iterations, notes are texts of a run without any.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import count as numbers
from typing import Any

from exitgate.core.model import capabilities
from exitgate.core.model.display import counted
from exitgate.core.model.fact import Evidence, Fact
from exitgate.recordings.formats.ralph.progress import boxes_of
from exitgate.recordings.location import cannot_open
from exitgate.recordings.model import PROCESS, Begin, End, Provenance, RecordedIteration
from exitgate.recordings.readers.ralph_orchestrator import logs as names
from exitgate.recordings.readers.ralph_orchestrator.events import History, Tasks, emitted, read_note
from exitgate.recordings.readers.ralph_orchestrator.logs import Logged, read_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.recordings.location import Location
    from exitgate.recordings.model import Part, Problem, RecordedIteration
    from exitgate.recordings.probe import Probe
    from exitgate.recordings.readers.ralph_orchestrator.events import Emitted, Tasks
    from exitgate.recordings.readers.ralph_orchestrator.logs import Logged


ID = "ralph-orchestrator"
TITLE = "ralph-orchestrator 2.x: events, history, tasks and logs in .ralph/"
FOLDER = True
GIVES = frozenset(
    (capabilities.OUTPUT, capabilities.RESULT, capabilities.PLAN, capabilities.FILES, capabilities.TIMES)
)

_TITLE = 80
_EARLY = 1.0  # seconds that a log may be ahead of the event with which the loop starts
_PROMISED, _EMITTED = "complete", "promise.emitted"
_KILLED = "another loop was started before this one had ended"


def fits(look: Probe) -> bool:
    """Return whether it is such a folder or one of its files."""
    if not look.place.is_folder:
        return names.kind_of(look) is not None
    if not any(map(names.is_record, look.names)):
        return False
    from exitgate.recordings.probe import probe_of

    try:
        found = names.listed(look.place, look.names)
        first = (*found.get(names.EVENTS, ()), *found.get(names.HISTORY, ()))[:3]
        return any(names.kind_of(probe_of(place)) in (names.EVENTS, names.HISTORY) for place in first)
    except OSError:
        return False


def claims(look: Probe) -> frozenset[str]:
    """Return the names of its files."""
    return names.claimed(look.names)


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if place.is_folder:
        yield from _folder(place)
        return
    from exitgate.recordings.probe import probe_of

    kind = names.kind_of(probe_of(place))
    if kind == names.LOG:
        yield from read_log(place, (silent(n, place.path) for n in numbers(1)))
    elif kind == names.HISTORY:
        history = History()
        history.add(place)
        yield from history.parts()
    elif kind == names.TASKS:
        tasks = Tasks()
        tasks.add(place)
        yield Begin(place.name, PROCESS, place.path, title="a list of tasks", plan=tasks.plan())
        yield End()
        yield from tasks.problems
    elif kind in (None, names.EVENTS):
        yield from _Reading(Logged(), Tasks(), History()).read((place,))
    else:
        yield from read_note(place)


def _folder(place: Location) -> Iterator[Part]:
    found: dict[str, tuple[Location, ...]] = {}
    for kind, places in names.listed(place, place.names()).items():
        wrong = {one.path: problem for one in places if (problem := cannot_open(one)) is not None}
        yield from wrong.values()
        found[kind] = tuple(one for one in places if one.path not in wrong)
    logged, tasks, history = Logged(), Tasks(), History()
    for log in found.get(names.LOG, ()):
        logged.add(log)
    for list_ in found.get(names.TASKS, ()):
        tasks.add(list_)
    for one in found.get(names.HISTORY, ()):
        history.add(one)
    yield from tasks.problems
    yield from history.problems
    events = found.get(names.EVENTS, ())
    if events:
        yield from _Reading(logged, tasks, history).read(events)
    else:
        yield from history.parts()


class _Reading:
    """The runs in files of events, with what logs, tasks and history say of them."""

    def __init__(self, logged: Logged, tasks: Tasks, history: History) -> None:
        self._logged = logged
        self._tasks = tasks
        self._history = history
        self._starts: list[float] = []
        self._ids: dict[str, int] = {}
        self._run: Iterations | None = None
        self._loop = ""
        self._span: tuple[float | None, float | None] = (None, None)

    def read(self, places: tuple[Location, ...]) -> Iterator[Part]:
        """Yield the runs. Raises OSError."""
        unused: list[Problem] = []
        for place in places:
            self._starts += [e.at for e in emitted(place, unused) if e.starts and e.at is not None]
        self._starts.sort()
        for place in places:
            problems: list[Problem] = []
            for event in emitted(place, problems):
                yield from self._event(place, event)
            if self._run is not None:
                yield from self._close(None, None)
            yield from problems

    def _event(self, place: Location, event: Emitted) -> Iterator[Part]:
        if event.starts and self._run is not None:
            yield from self._close(None, None)
        if self._run is None:
            yield self._begin(place, event)
        assert self._run is not None
        if event.ends is not None:
            yield from self._close(event.ends, event.iteration)
        elif not event.starts:
            yield from self._run.take(event)

    def _begin(self, place: Location, event: Emitted) -> Begin:
        stem = place.name.removesuffix(".jsonl")
        self._ids[stem] = number = self._ids.get(stem, 0) + 1
        begin = event.at if event.starts else None
        first = event.at
        following = next((at for at in self._starts if first is not None and at > first), None)
        self._span = (None if first is None else first - _EARLY, following)
        starts = self._logged.between(*self._span) if begin is not None else []
        self._loop = stem.partition("-")[2]
        self._run = Iterations(place.path, starts, self._logged, self._tasks, self._loop)
        title = " ".join(event.payload.split())[:_TITLE] if event.starts else ""
        id = stem if number == 1 else f"{stem}#{number}"
        return Begin(id, PROCESS, place.path, begin, title, plan=self._plan(begin))

    def _plan(self, at: float | None) -> str | None:
        """Return the plan before the first iteration."""
        plan: str | None = self._tasks.told(at, self._loop, self._logged.counted(at)).get("plan")
        return plan

    def _close(self, end: End | None, count: int | None) -> Iterator[Part]:
        assert self._run is not None
        run, self._run = self._run, None
        end = end or self._how()
        left = list(run.close(count, end.ended_at))
        if left and end.how == _PROMISED:
            left[-1] = _promised(left[-1], end)
        yield from left
        yield run.told(end, count)

    def _how(self) -> End:
        """Return how a run ended that did not say so itself."""
        begin, following = self._span
        if begin is None:
            return End()
        found = self._history.end(begin, following) or self._logged.end(begin, following)
        if found is not None:
            return found
        return End() if following is None else End("interrupted", _KILLED)


def _promised(one: RecordedIteration, end: End) -> RecordedIteration:
    """Return an iteration with what the loop recognised in it: the promise, for which alone it completes."""
    seen = Evidence("output", 1, 1, 0, 0, end.why, "according to the loop")
    found = Fact(_EMITTED, True, (seen,), note="the loop ended because it saw its promise")
    return one.but(facts={**(one.facts or {}), _EMITTED: found})


# From events to iterations.
#
# Where a log says when iterations began, or the events are numbered, an event belongs to the iteration that
# was under way; else each event is one, as every agent of the loop ends with one. Iterations that left no
# event are there where the log shows them, or if none of the run did; elsewhere it is not known between
# which others they were, and only the end says how many there were.

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
            told = self._tasks_at(ended)
            unknown = {**one.not_known, **told.get("not_known", {})}
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
        told = self._tasks_at(ended)
        unknown = {
            **dict.fromkeys(("response", "tool_results", "prompt"), _NO_TEXT),
            **told.get("not_known", {}),
        }
        one = RecordedIteration(
            self._index,
            Provenance(self.file, events[0].line, events[-1].line),
            output=said,
            record={"fields": {"TOPIC": events[-1].topic}},
            started_at=started,
            ended_at=ended,
        )
        return one.but(**{**told, "not_known": unknown})

    def _tasks_at(self, at: float | None) -> dict[str, Any]:
        """Return the list of tasks when an iteration ended, as counted when the next one began."""
        told = self._tasks.told(at, self._loop, self._logged.counted(at), self._closed)
        if plan := told.get("plan"):
            self._closed = max(boxes_of(plan)[0], self._closed or 0)
        return told
