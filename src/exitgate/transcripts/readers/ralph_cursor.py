"""
The Cursor dialect of Ralph loops: `activity.log`, `progress.md`, `tasks.yaml`, `RALPH_TASK.md` and their kin.

A session (banner to banner) is an iteration; one that rotates its context ends without any claim. The log
keeps calls of tools and no text. `progress.md` numbers the sessions of each launch: where it is there, a
launch is a run, and the loop's own words at the end of its last session tell how it ended; without it all
sessions are one run. `tasks.yaml` is the plan as it was when the last session ended. Instants are of the
local clock, taken as UTC.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.look import in_fence, look_at
from exitgate.transcripts.readers import ralph_cursor_stories as stories
from exitgate.transcripts.readers.ralph_cursor_log import BANNER, sessions
from exitgate.transcripts.readers.ralph_cursor_progress import noted, tasks_plan
from exitgate.transcripts.readers.ralph_cursor_runs import progress_runs, session_runs
from exitgate.transcripts.run import PROCESS, Begin, End

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "ralph-cursor"
TITLE = "Ralph loops in Cursor: activity.log with session banners, progress.md, tasks.yaml"
FOLDER = True
GIVES = frozenset(
    (gives.RESULT, gives.PLAN, gives.TIMES, gives.TOOL_CALLS, gives.FILES_CHANGED, gives.TOKENS, gives.FILES)
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


def fits(look: Look) -> bool:
    """Return whether it is such a folder or one of its files."""
    if not look.place.is_folder:
        return _kind(look) is not None
    if "activity.log" not in look.names:
        return False
    try:
        return _kind(look_at(look.place.at("activity.log"))) in (_LOG, _STORIES)
    except OSError:
        return False


def claims(look: Look) -> frozenset[str]:
    """Return the names of its files."""
    return frozenset(n for n in look.names if n in _FILES or n.startswith(_RUNS))


def _kind(look: Look) -> str | None:
    text = look.text
    lines = text.split("\n", _LINES)[:_LINES]
    begun = next((n for n, line in enumerate(lines) if line.startswith(BANNER)), None)
    if begun is not None and not in_fence(lines, begun):
        return _LOG
    if stories.is_summary(text):
        return _STORY
    if any(stories.story_of(line) is not None for line in lines[:2]):
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


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    log = place.at("activity.log") if place.is_folder else place
    kind = _kind(look_at(log))
    if kind == _LOG:
        yield from _sessions(place, log)
    elif kind == _STORIES:
        yield from stories.story_run(log, _summaries(place) if place.is_folder else {})
    elif kind == _STORY:
        yield from stories.summary_run(place)
    elif kind == _PROGRESS:
        yield from progress_runs(place)
    else:
        text = place.text(_LIMIT) if not place.is_folder else ""
        plan = tasks_plan(text) if kind == _TASKS else text if place.name.endswith("RALPH_TASK.md") else None
        yield Begin(place.name, PROCESS, place.path, plan=plan, files={place.path: text})
        yield End()


def _sessions(place: Place, log: Place) -> Iterator[Part]:
    marks = []
    plan = None
    if place.is_folder:
        progress, tasks = place.at("progress.md"), place.at("tasks.yaml")
        marks = list(noted(progress.lines())) if progress.exists() else []
        plan = tasks_plan(tasks.text(_LIMIT)) if tasks.exists() else None
    yield from session_runs(log.path, place.name, sessions(log), marks, plan)


def _summaries(place: Place) -> dict[str, Place]:
    """Return the summaries of stories by the instant in their names."""
    names = [name for name in place.names() if name.startswith("runs__")]
    if "runs/" in place.names():
        names += [f"runs/{name}" for name in place.at("runs", True).names()]
    return {name.rpartition("__")[2].rpartition("/")[2].removesuffix(".md"): place.at(name) for name in names}
