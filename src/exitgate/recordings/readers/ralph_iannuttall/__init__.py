"""
iannuttall/ralph: the folder `.ralph/` with `activity.log`, `runs/` and prompts, or one of its files.

An iteration is a process of the agent, which works on one story; its promise means that this story is
done. The loop then chooses the next open one: what it chose after an iteration is the plan's open item
there, be its name known or not, the stories before are the ticked ones. Status `success` is exit status 0
and no more. A start without an end is not an iteration where nothing else was kept of it; the end of the run
tells it. Instants are of the loop's local clock, taken as UTC.
"""

from __future__ import annotations

from collections.abc import Iterator

from exitgate.core.model import capabilities
from exitgate.recordings.formats.ralph.progress import instant as heading_instant
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe, in_fence, probe_of
from exitgate.recordings.readers.ralph_iannuttall import runs as files
from exitgate.recordings.readers.ralph_iannuttall.activity import SUCCESS, event_in, events_in, launches
from exitgate.recordings.readers.ralph_iannuttall.runs import folder_runs, is_tui, log_runs, parts_of

ID = "ralph-iannuttall"
TITLE = "iannuttall/ralph: activity.log, runs/ and prompts in .ralph/"
FOLDER = True
GIVES = frozenset(
    (
        capabilities.RESPONSE, capabilities.OUTPUT, capabilities.TOOL_RESULTS, capabilities.RESULT,
        capabilities.PLAN, capabilities.TASK, capabilities.GIT, capabilities.TIMES, capabilities.EXIT_STATUS,
        capabilities.TOOL_CALLS, capabilities.FILES_CHANGED,
    )
)  # fmt: skip

_ACTIVITY, _ERRORS, _PROGRESS, _SIGNS, _PART = "activity", "errors", "progress", "signs", "part"
_LINES = 400
_RUNS = "runs/"


def fits(look: Probe) -> bool:
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
        return _kind(probe_of(look.place.at("activity.log"))) == _ACTIVITY
    except OSError:
        return False


def _names_in(look: Probe) -> tuple[str, ...]:
    try:
        return look.place.at(_RUNS.rstrip("/"), True).names()
    except OSError:
        return ()


def claims(look: Probe) -> frozenset[str]:
    """Return the names of its files."""
    own = {"activity.log", "errors.log", "guardrails.md", "progress.md", "runs/", ".tmp/", "tmp/"}
    return frozenset(name for name in look.names if name in own or files.part_of(name) is not None)


def _kind(look: Probe) -> str | None:
    text = look.text
    if files.is_summary(text):
        return _PART
    part = files.part_of(look.place.name)
    if part is not None and (part[1] != files.LOG or look.place.name.find("-iter-") > 0):
        return _PART
    lines = text.split("\n", _LINES)[:_LINES]
    told_at = [
        (n, one)
        for n, line in enumerate(lines)
        if (one := event_in(line, 1)) is not None and one.at is not None
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


def read(place: Location, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when a file cannot be read."""
    if place.is_folder:
        yield from folder_runs(place)
        return
    kind = _kind(probe_of(place))
    if kind == _ACTIVITY:
        yield from log_runs(place, launches(events_in(place)), {})
    elif kind == _ERRORS:
        yield from error_runs(place)
    elif kind == _PROGRESS:
        yield from progress_runs(place)
    elif kind == _SIGNS:
        yield from state_run(place)
    else:
        yield from part_run(place)


# One file of iannuttall/ralph by itself.

_LIMIT = 16_000_000
_NO_TEXT = dict.fromkeys(
    ("response", "output", "tool_results"), "the file does not contain the agent's response"
)
_RUN, _ITERATION = "Run: ", "(iteration "


def part_run(place: Location) -> Iterator[Part]:
    """Yield the run of one iteration that a log, a summary or a prompt shows. Raises OSError."""
    text = place.text(_LIMIT)
    part = files.part_of(place.name)
    kind = files.SUMMARY if files.is_summary(text) else part[1] if part is not None else files.LOG
    one = RecordedIteration(1, Provenance(place.path, 1, text.count("\n") + 1))
    title = "" if part is None else f"iteration {part[2]} of {part[0]}"
    if kind == files.SUMMARY:
        summary = files.summary_of(place)
        one = one.but(
            started_at=instant(summary.fields.get("started")),
            ended_at=instant(summary.fields.get("ended")),
            exit_status=0 if summary.fields.get("status") == SUCCESS else None,
            files_changed=summary.changes,
            git=summary.git,
            not_known=_NO_TEXT,
        )
        title = (
            title or f"iteration {summary.fields.get('iteration', '')} of {summary.fields.get('run id', '')}"
        )
    elif kind == files.PROMPT:
        one = one.but(prompt=text, not_known=_NO_TEXT)
    else:
        one = one.but(**parts_of(text))
    yield Begin(place.name, PROCESS, place.path, one.started_at, title)
    yield one
    yield End(ended_at=one.ended_at)


def error_runs(place: Location) -> Iterator[Part]:
    """Yield a run with an iteration for each that the log of errors names. Raises OSError."""
    number = index = last = 0
    at: float | None = None
    for line, raw in enumerate(place.lines(), 1):
        one = event_in(raw.decode("utf-8", "replace"), line)
        if one is None or (number and one.number == last):
            continue
        if not number or one.number < last:
            if number:
                yield End(ended_at=at)
            number += 1
            index = 0
            yield Begin(f"launch-{number}", PROCESS, place.path, title="iterations with recorded errors")
        index += 1
        last, at = one.number, one.at
        yield RecordedIteration(index, Provenance(place.path, line, line), ended_at=at, not_known=_NO_TEXT)
    if number:
        yield End(ended_at=at)


def progress_runs(place: Location) -> Iterator[Part]:
    """Yield the runs whose iterations the agent's log of progress names. Raises OSError."""
    found: dict[str, dict[int, tuple[int, float | None]]] = {}
    heading, at = 0, None
    for line, raw in enumerate(place.lines(), 1):
        text = raw[:_LIMIT].decode("utf-8", "replace")
        if text.startswith("## "):
            heading, at = line, heading_instant(text)
        elif text.startswith(_RUN) and _ITERATION in text:
            run, _, rest = text.removeprefix(_RUN).partition(_ITERATION)
            digits = rest.partition(")")[0].strip()
            if digits.isdigit() and len(digits) < 7:
                found.setdefault(run.strip(), {}).setdefault(int(digits), (heading or line, at))
    for run, iterations in reversed(found.items()):
        yield Begin(run, PROCESS, place.path, title="sections of the agent's own log")
        for index, number in enumerate(sorted(iterations), 1):
            line, at = iterations[number]
            yield RecordedIteration(
                index, Provenance(place.path, line, line), ended_at=at, not_known=_NO_TEXT
            )
        yield End()


def state_run(place: Location) -> Iterator[Part]:
    """Yield a run without iterations that holds a file as it is. Raises OSError."""
    yield Begin(place.name, PROCESS, place.path, files={place.path: place.text(_LIMIT)})
    yield End()
