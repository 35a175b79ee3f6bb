"""
The Cursor dialect of Ralph loops: `activity.log`, `progress.md`, `tasks.yaml`, `RALPH_TASK.md` and their kin.

A session (banner to banner) is an iteration; one that rotates its context ends without any claim. The log
keeps calls of tools and no text. `progress.md` numbers the sessions of each launch: where it is there, a
launch is a run, and the loop's own words at the end of its last session tell how it ended; without it all
sessions are one run. `tasks.yaml` is the plan as it was when the last session ended. Instants are of the
local clock, taken as UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from exitgate.core.model import capabilities
from exitgate.recordings.formats.ralph.progress import NO_MOMENT, boxes_of
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Problem, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe, in_fence, probe_of
from exitgate.recordings.readers.ralph_cursor.log import BANNER, Noted, noted, sessions, tasks_plan

ID = "ralph-cursor"
TITLE = "Ralph loops in Cursor: activity.log with session banners, progress.md, tasks.yaml"
FOLDER = True
GIVES = frozenset(
    (
        capabilities.RESULT,
        capabilities.PLAN,
        capabilities.TIMES,
        capabilities.TOOL_CALLS,
        capabilities.FILES_CHANGED,
        capabilities.TOKENS,
        capabilities.FILES,
    )
)

_LOG, _STORIES, _STORY, _PROGRESS, _TASKS, _STATE = "log", "stories", "story", "progress", "tasks", "state"
_LINES = 40
_LIMIT = 4_000_000
_HEADS = ("# Ralph Guardrails (Signs)", "# Error Log", "# Guardrails", "# Activity Log")
_FILES = (
    "activity.log",
    "errors.log",
    "guardrails.md",
    "progress.md",
    "tasks.yaml",
    ".iteration",
    "RALPH_TASK.md",
)
_RUNS = ("runs/", "runs__")


def fits(look: Probe) -> bool:
    """Return whether it is such a folder or one of its files."""
    if not look.place.is_folder:
        return _kind(look) is not None
    if "activity.log" not in look.names:
        return False
    try:
        return _kind(probe_of(look.place.at("activity.log"))) in (_LOG, _STORIES)
    except OSError:
        return False


def claims(look: Probe) -> frozenset[str]:
    """Return the names of its files."""
    return frozenset(n for n in look.names if n in _FILES or n.startswith(_RUNS))


def _kind(look: Probe) -> str | None:
    text = look.text
    lines = text.split("\n", _LINES)[:_LINES]
    begun = next((n for n, line in enumerate(lines) if line.startswith(BANNER)), None)
    if begun is not None and not in_fence(lines, begun):
        return _LOG
    if is_summary(text):
        return _STORY
    if any(story_of(line) is not None for line in lines[:2]):
        return _STORIES
    head = text.lstrip()
    name = look.place.name
    if head.startswith("# Ralph Task Cache"):
        return _TASKS
    if head.startswith("# Progress Log") and name.endswith("progress.md"):
        return _PROGRESS
    if head.startswith(_HEADS) and name.endswith(_FILES):
        return _STATE
    return _STATE if name.endswith("RALPH_TASK.md") and ("[ ]" in text or "[x]" in text) else None


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    log = place.at("activity.log") if place.is_folder else place
    kind = _kind(probe_of(log))
    if kind == _LOG:
        yield from _sessions(place, log)
    elif kind == _STORIES:
        yield from story_run(log, _summaries(place) if place.is_folder else {})
    elif kind == _STORY:
        yield from summary_run(place)
    elif kind == _PROGRESS:
        yield from progress_runs(place)
    else:
        text = place.text(_LIMIT) if not place.is_folder else ""
        plan = tasks_plan(text) if kind == _TASKS else text if place.name.endswith("RALPH_TASK.md") else None
        yield Begin(place.name, PROCESS, place.path, plan=plan, files={place.path: text})
        yield End()


def _sessions(place: Location, log: Location) -> Iterator[Part]:
    marks = []
    plan = None
    if place.is_folder:
        progress, tasks = place.at("progress.md"), place.at("tasks.yaml")
        marks = list(noted(progress.lines())) if progress.exists() else []
        plan = tasks_plan(tasks.text(_LIMIT)) if tasks.exists() else None
    yield from session_runs(log.path, place.name, sessions(log), marks, plan)


def _summaries(place: Location) -> dict[str, Location]:
    """Return the summaries of stories by the instant in their names."""
    names = [name for name in place.names() if name.startswith("runs__")]
    if "runs/" in place.names():
        names += [f"runs/{name}" for name in place.at("runs", True).names()]
    return {name.rpartition("__")[2].rpartition("/")[2].removesuffix(".md"): place.at(name) for name in names}


# A form of the dialect that logs a line a story: `2026-01-02T03:04:05Z S7 what was done`.

_SUMMARY = "# Run Summary "
_STORY_WITHOUT_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt"), "the log keeps one line per story"
)
_STORIES_LIMIT = 1_000_000


def story_of(line: str) -> tuple[float, str] | None:
    """Return instant and story of a line, None where it is not one."""
    words = line[:400].split(" ", 2)
    if len(words) < 3 or len(words[0]) != 20 or words[0][-1] != "Z":
        return None
    at = instant(words[0])
    story = words[1]
    return (at, story) if at is not None and story[:1] == "S" and story[1:].isdigit() else None


def is_summary(text: str) -> bool:
    """Return whether a text is the summary of a story."""
    head = text.lstrip()
    return head.startswith(_SUMMARY) and instant(head.split("\n", 1)[0].removeprefix(_SUMMARY)) is not None


def story_run(place: Location, summaries: Mapping[str, Location]) -> Iterator[Part]:
    """
    Yield the run whose iterations are the lines of a log, in their order. Raises OSError.

    Args:
        place: The log.
        summaries: Instant as names write it -> the summary of the story that was logged then.
    """
    yield Begin(place.name, PROCESS, place.path, title="one line per iteration")
    index = 0
    at: float | None = None
    for number, raw in enumerate(place.lines(), 1):
        line = raw.decode("utf-8", "replace")
        found = story_of(line)
        if found is None:
            if line.strip() and not line.startswith("#"):
                yield Problem(place.path, "this line is not a story", number)
            continue
        index += 1
        at, story = found
        summary = summaries.get(line[:20].replace(":", "-"))
        fields = (
            {"STORY": story}
            if summary is None
            else {"STORY": story, **fields_of(summary.text(_STORIES_LIMIT))}
        )
        yield _iteration(index, Provenance(place.path, number, number), at, fields)
    yield End(ended_at=at)


def summary_run(place: Location) -> Iterator[Part]:
    """Yield the run of one iteration that a summary shows. Raises OSError."""
    text = place.text(_STORIES_LIMIT)
    at = instant(text.lstrip().split("\n", 1)[0].removeprefix(_SUMMARY))
    yield Begin(place.name, PROCESS, place.path)
    lines = text.count("\n") + 1
    yield _iteration(1, Provenance(place.path, 1, lines), at, fields_of(text))
    yield End(ended_at=at)


def fields_of(text: str) -> dict[str, str]:
    """Return the list of a summary as fields in upper case."""
    found = (line[2:].partition(":") for line in text.splitlines() if line.startswith("- "))
    return {name.strip().upper(): value.strip() for name, colon, value in found if colon}


def _iteration(
    index: int, where: Provenance, at: float | None, fields: Mapping[str, str]
) -> RecordedIteration:
    return RecordedIteration(
        index, where, record={"fields": fields}, ended_at=at, not_known=_STORY_WITHOUT_TEXT
    )


# From sessions of the Cursor dialect to runs.

#: Seconds by which banner and note of the same session may differ.
_SAME = 2.0
_SESSION_WITHOUT_TEXT = dict.fromkeys(
    ("response", "output", "tool_results", "prompt"), "the loop records sessions, not text"
)


def session_runs(
    file: str, name: str, found: Iterable[RecordedIteration], marks: Sequence[Noted], plan: str | None
) -> Iterator[Part]:
    """
    Yield the sessions of a log as runs.

    Args:
        file: The log.
        name: Of the runs.
        found: The sessions.
        marks: What `progress.md` notes of them; a session's number that does not grow begins another run.
        plan: The list in the folder: that after the last session where as many tasks are open in it as were
            counted then, and else of a time that nothing tells.
    """
    notes = _Notes(marks)
    number = index = last = 0
    held: RecordedIteration | None = None
    ended = End()
    note: Noted | None = None
    for one in found:
        if held is not None:
            yield held
        session = notes.number(one.started_at)
        if not number or (session is not None and session <= last):
            if number:
                yield ended
            number += 1
            index = 0
            yield Begin(f"{name}#{number}", PROCESS, file, one.started_at)
        last = session if session is not None else last
        index += 1
        note = notes.end(one.started_at)
        held = _with_note(one.but(index=index), note)
        ended = End(note.how if note else None, (note.said or "") if note else "", held.ended_at)
    if held is not None:
        yield _with_plan(held, plan, note)
        yield ended


def _with_plan(one: RecordedIteration, plan: str | None, note: Noted | None) -> RecordedIteration:
    """Return the last session with the list in the folder where that agrees with what was counted then."""
    if plan is None:
        return one
    done, total = boxes_of(plan)
    if note is not None and note.left == total - done:
        return one.but(plan=plan)
    return one.but(not_known={**one.not_known, "plan": NO_MOMENT})


def _with_note(one: RecordedIteration, note: Noted | None) -> RecordedIteration:
    if note is None or note.remaining is None:
        return one
    return one.but(record={**one.record, "fields": {"CRITERIA_REMAINING": note.remaining}})


class _Notes:
    """Notes by the instant at which a session started."""

    def __init__(self, marks: Sequence[Noted]) -> None:
        self._starts: dict[float, tuple[int, Noted | None]] = {}
        for nth, mark in enumerate(marks):
            if mark.said is None and mark.at is not None:
                after = marks[nth + 1] if nth + 1 < len(marks) else None
                own = after is not None and after.said is not None and after.number == mark.number
                self._starts.setdefault(mark.at, (mark.number, after if own else None))

    def _of(self, at: float | None) -> tuple[int, Noted | None] | None:
        if at is None:
            return None
        return next(
            (self._starts[at + d] for d in (0.0, 1.0, -1.0, _SAME, -_SAME) if at + d in self._starts), None
        )

    def number(self, at: float | None) -> int | None:
        """Return the loop's number of the session that started then."""
        found = self._of(at)
        return None if found is None else found[0]

    def end(self, at: float | None) -> Noted | None:
        """Return what was noted when the session that started then ended."""
        found = self._of(at)
        return None if found is None else found[1]


def progress_runs(place: Location) -> Iterator[Part]:
    """Yield the runs that `progress.md` by itself shows. Raises OSError."""
    number = index = last = 0
    held: RecordedIteration | None = None
    ended = End()
    for mark in noted(place.lines()):
        if mark.said is not None:
            if held is not None and held.ended_at is None and mark.number == last:
                fields = {} if mark.remaining is None else {"CRITERIA_REMAINING": mark.remaining}
                held = held.but(ended_at=mark.at, record={"fields": fields} if fields else {})
                ended = End(mark.how, mark.said, mark.at)
            continue
        if held is not None:
            yield held
        if not number or mark.number <= last:
            if number:
                yield ended
            number += 1
            index = 0
            yield Begin(f"{place.name}#{number}", PROCESS, place.path, mark.at)
        index += 1
        last = mark.number
        where = Provenance(place.path, mark.line, mark.line)
        held = RecordedIteration(index, where, started_at=mark.at, not_known=_SESSION_WITHOUT_TEXT)
        ended = End()
    if held is not None:
        yield held
        yield ended
    else:
        yield Begin(place.name, PROCESS, place.path, files={place.path: place.text(4_000_000)})
        yield End()
