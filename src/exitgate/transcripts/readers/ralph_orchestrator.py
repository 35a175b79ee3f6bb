"""
ralph-orchestrator 2.x: the folder `.ralph/` with events, history, tasks and diagnostic logs, or one of them.

A loop runs from the event with which it starts to `loop.terminate`; one that another follows without
that was killed. What the agents said is not kept, but the events they emitted are: these are the output.
A loop that ends because it saw its promise tells so: that is the promise of the last iteration. Tasks are
in `tasks.json` as they were when the iteration ended, and are its plan. A file by itself is read for what it
says: a history has the ends of loops and no iterations, notes are texts of a run without any.
"""

from __future__ import annotations

from itertools import count as numbers

from exitgate.model.evidence import Evidence, Fact
from exitgate.transcripts import gives
from exitgate.transcripts.opened import trouble_with
from exitgate.transcripts.readers import ralph_orchestrator_names as names
from exitgate.transcripts.readers.ralph_orchestrator_events import emitted
from exitgate.transcripts.readers.ralph_orchestrator_history import History, read_note
from exitgate.transcripts.readers.ralph_orchestrator_log import Logged, read_log
from exitgate.transcripts.readers.ralph_orchestrator_runs import Iterations, silent
from exitgate.transcripts.readers.ralph_orchestrator_tasks import Tasks
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.readers.ralph_orchestrator_events import Emitted
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Part, Problem

ID = "ralph-orchestrator"
TITLE = "ralph-orchestrator 2.x: events, history, tasks and logs in .ralph/"
FOLDER = True
GIVES = frozenset((gives.OUTPUT, gives.RESULT, gives.PLAN, gives.FILES, gives.TIMES))

_TITLE = 80
_EARLY = 1.0  # seconds that a log may be ahead of the event with which the loop starts
_PROMISED, _EMITTED = "complete", "promise.emitted"
_KILLED = "another loop was started before this one had ended"


def fits(look: Look) -> bool:
    """Return whether it is such a folder or one of its files."""
    if not look.place.is_folder:
        return names.kind_of(look) is not None
    if not any(map(names.is_record, look.names)):
        return False
    from exitgate.transcripts.look import look_at

    try:
        found = names.listed(look.place, look.names)
        first = (*found.get(names.EVENTS, ()), *found.get(names.HISTORY, ()))[:3]
        return any(names.kind_of(look_at(place)) in (names.EVENTS, names.HISTORY) for place in first)
    except OSError:
        return False


def claims(look: Look) -> frozenset[str]:
    """Return the names of its files."""
    return names.claimed(look.names)


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if place.is_folder:
        yield from _folder(place)
        return
    from exitgate.transcripts.look import look_at

    kind = names.kind_of(look_at(place))
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


def _folder(place: Place) -> Iterator[Part]:
    found: dict[str, tuple[Place, ...]] = {}
    for kind, places in names.listed(place, place.names()).items():
        wrong = {one.path: problem for one in places if (problem := trouble_with(one)) is not None}
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

    def read(self, places: tuple[Place, ...]) -> Iterator[Part]:
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

    def _event(self, place: Place, event: Emitted) -> Iterator[Part]:
        if event.starts and self._run is not None:
            yield from self._close(None, None)
        if self._run is None:
            yield self._begin(place, event)
        assert self._run is not None
        if event.ends is not None:
            yield from self._close(event.ends, event.iteration)
        elif not event.starts:
            yield from self._run.take(event)

    def _begin(self, place: Place, event: Emitted) -> Begin:
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
        plan = self._tasks.told(at, self._loop, self._logged.counted(at)).get("plan")
        return plan if isinstance(plan, str) else None

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
