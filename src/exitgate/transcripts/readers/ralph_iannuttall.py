"""
iannuttall/ralph: the folder `.ralph/` with `activity.log`, `runs/` and prompts, or one of its files.

An iteration is a process of the agent, which works on one story; its promise means that this story is
done. The loop then chooses the next open one: what it chose after an iteration is the plan's open item
there, be its name known or not, the stories before are the ticked ones. Status `success` is exit status 0
and no more. A start without an end is not an iteration where nothing else was kept of it; the end of the run
tells it. Instants are of the loop's local clock, taken as UTC.
"""

from __future__ import annotations

from exitgate.transcripts import gives
from exitgate.transcripts.look import in_fence, look_at
from exitgate.transcripts.readers import ralph_iannuttall_files as files
from exitgate.transcripts.readers.ralph_iannuttall_launches import launches
from exitgate.transcripts.readers.ralph_iannuttall_log import told, told_in
from exitgate.transcripts.readers.ralph_iannuttall_runs import folder_runs, log_runs
from exitgate.transcripts.readers.ralph_iannuttall_single import (
    error_runs,
    part_run,
    progress_runs,
    state_run,
)
from exitgate.transcripts.readers.ralph_iannuttall_text import is_tui

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.run import Part

ID = "ralph-iannuttall"
TITLE = "iannuttall/ralph: activity.log, runs/ and prompts in .ralph/"
FOLDER = True
GIVES = frozenset(
    (
        gives.RESPONSE, gives.OUTPUT, gives.TOOL_RESULTS, gives.RESULT, gives.PLAN, gives.TASK, gives.GIT,
        gives.TIMES, gives.EXIT_STATUS, gives.TOOL_CALLS, gives.FILES_CHANGED,
    )
)  # fmt: skip

_ACTIVITY, _ERRORS, _PROGRESS, _SIGNS, _PART = "activity", "errors", "progress", "signs", "part"
_LINES = 400
_RUNS = "runs/"


def fits(look: Look) -> bool:
    """Return whether it is such a folder or one of its files."""
    if not look.place.is_folder:
        return _kind(look) is not None
    names = look.names
    if _RUNS in names and not any(map(files.part_of, names)):
        names = (*names, *_names_in(look))
    if any((part := files.part_of(name)) is not None and part[1] != files.PROMPT for name in names):
        return True
    if "activity.log" not in look.names:
        return False
    try:
        return _kind(look_at(look.place.at("activity.log"))) == _ACTIVITY
    except OSError:
        return False


def _names_in(look: Look) -> tuple[str, ...]:
    try:
        return look.place.at(_RUNS.rstrip("/"), True).names()
    except OSError:
        return ()


def claims(look: Look) -> frozenset[str]:
    """Return the names of its files."""
    own = {"activity.log", "errors.log", "guardrails.md", "progress.md", "runs/", ".tmp/", "tmp/"}
    return frozenset(name for name in look.names if name in own or files.part_of(name) is not None)


def _kind(look: Look) -> str | None:
    text = look.text
    if files.is_summary(text):
        return _PART
    part = files.part_of(look.place.name)
    if part is not None and (part[1] != files.LOG or look.place.name.find("-iter-") > 0):
        return _PART
    lines = text.split("\n", _LINES)[:_LINES]
    told_at = [
        (n, one) for n, line in enumerate(lines) if (one := told(line, 1)) is not None and one.at is not None
    ]
    found = [one for _, one in told_at]
    if found and not in_fence(lines, told_at[0][0]):
        return _ACTIVITY if any(one.what in ("start", "end", "summary") for one in found) else _ERRORS
    head = text.lstrip()
    if head.startswith("# Guardrails (Signs)"):
        return _SIGNS
    if head.startswith("# Progress Log") and any(_names_run(line) for line in lines):
        return _PROGRESS
    return _PART if is_tui(text) else None


def _names_run(line: str) -> bool:
    return line.startswith("Run: ") and "(iteration " in line


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if place.is_folder:
        yield from folder_runs(place)
        return
    kind = _kind(look_at(place))
    if kind == _ACTIVITY:
        yield from log_runs(place, launches(told_in(place)), {})
    elif kind == _ERRORS:
        yield from error_runs(place)
    elif kind == _PROGRESS:
        yield from progress_runs(place)
    elif kind == _SIGNS:
        yield from state_run(place)
    else:
        yield from part_run(place)
