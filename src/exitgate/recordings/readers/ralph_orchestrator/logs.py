"""What the diagnostic logs of ralph-orchestrator say: when iterations began, and how a loop ended."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from exitgate.core.envelopes.members import as_object
from exitgate.core.system.lenient import Amount, read_as
from exitgate.recordings.formats.json_files import uncoloured
from exitgate.recordings.formats.timestamps import instant
from exitgate.recordings.location import Location
from exitgate.recordings.model import PROCESS, Begin, End, Part, Provenance, RecordedIteration
from exitgate.recordings.probe import Probe

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

    def add(self, place: Location) -> None:
        """Read one log. Raises OSError."""
        for number, raw in enumerate(place.lines(), 1):
            line = uncoloured(raw[:_LINE_LIMIT].decode("utf-8", "replace"))
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


def read_log(place: Location, empty: Iterable[RecordedIteration]) -> Iterator[Part]:
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
        yield one.but(started_at=at, ended_at=following, provenance=Provenance(path, line, line))
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


# Files of a ralph-orchestrator state folder, in their place and flattened into one folder.

EVENTS, HISTORY, TASKS, LOG, LOCK, LOOPS, NOTES = (
    "events",
    "history",
    "tasks",
    "log",
    "lock",
    "loops",
    "notes",
)

#: First words of the Markdown files that the loop or its agent keeps.
_NOTES = ("# Loop Summary", "# Session Handoff", "# Scratchpad", "# Memories")
_NOTE_NAMES = ("summary.md", "handoff.md", "scratchpad.md", "memories.md")
_MODULES = ("ralph::", "ralph_core::", "ralph_tui::", "ralph:", "ralph_cli::", "ralph_adapters::")
_LEVELS = ("INFO", "WARN", "ERROR", "DEBUG", "TRACE")
_AGENT = ("agent/", "agent__", "agent_")
_LOGS = ("diagnostics/logs/", "diagnostics__logs__")


def kind_of(look: Probe) -> str | None:
    """Return which of the files this is by its content, None for another."""
    if look.events and not isinstance(look.value, list):
        event = look.events[0]
        for kind, is_kind in ((EVENTS, is_event), (HISTORY, is_history), (TASKS, is_task)):
            if is_kind(event):
                return kind
    value = as_object(look.value)
    if value.keys() == {"pid", "started", "prompt"}:
        return LOCK
    if value.keys() == {"loops"} and isinstance(value["loops"], list):
        return LOOPS
    return _kind_of_text(look)


def _kind_of_text(look: Probe) -> str | None:
    text = look.text
    if any(is_log_line(line) for line in text.split("\n", 3)[:3]):
        return LOG
    head = text.lstrip()
    name = look.place.name
    kept = name in _NOTE_NAMES or (name.endswith(_NOTE_NAMES) and any(part in name for part in _AGENT))
    if head.startswith(_NOTES[:2]) or (head.startswith("# ") and kept):
        return NOTES
    return None


class EventLine(Struct, frozen=True):
    """A line of `events-*.jsonl`."""

    topic: str | None = None
    ts: str | None = None
    hat: Any = None
    iteration: Amount = None
    payload: Any = None


class _What(Struct, frozen=True):
    kind: str | None = None
    prompt: str | None = None
    reason: str | None = None


class HistoryLine(Struct, frozen=True, rename={"what": "type"}):
    """A line of `history.jsonl`."""

    ts: str | None = None
    what: _What = _What()


class TaskLine(Struct, frozen=True):
    """A line of `tasks.jsonl`."""

    id: str | None = None
    title: str | None = None
    status: str | None = None
    created: str | None = None
    closed: Any = None
    loop_id: str | None = None


def is_event(plain: dict[str, Any]) -> bool:
    """Return whether an object is a line of `events-*.jsonl`."""
    line = read_as(EventLine, plain)
    return line.topic is not None and line.ts is not None and "type" not in plain


def is_history(plain: dict[str, Any]) -> bool:
    """Return whether an object is a line of `history.jsonl`."""
    line = read_as(HistoryLine, plain)
    return line.ts is not None and line.what.kind is not None


def is_task(plain: dict[str, Any]) -> bool:
    """Return whether an object is a line of `tasks.jsonl`."""
    line = read_as(TaskLine, plain)
    return (line.id or "").startswith("task-") and None not in (line.title, line.status, line.created)


def is_log_line(line: str) -> bool:
    """Return whether a line is one of the log: instant, level, module."""
    words = uncoloured(line).split(None, 2)
    return (
        len(words) == 3
        and words[0][4:5] == "-"
        and words[0][10:11] == "T"
        and words[1] in _LEVELS
        and words[2].startswith(_MODULES)
    )


def listed(folder: Location, names: tuple[str, ...]) -> Mapping[str, tuple[Location, ...]]:
    """Return the files of a state folder by kind, each kind in the order of names. Raises OSError."""
    below = {"": names}
    for name in ("agent/", "diagnostics/"):
        if name in names:
            below[name] = folder.at(name.rstrip("/"), True).names()
    if "logs/" in below.get("diagnostics/", ()):
        below["diagnostics/logs/"] = folder.at("diagnostics/logs", True).names()
    found: dict[str, list[Location]] = {}
    for prefix, there in below.items():
        for name in there:
            kind = _kind_of_name(prefix + name)
            if kind is not None:
                found.setdefault(kind, []).append(folder.at(prefix + name))
    return {kind: tuple(places) for kind, places in found.items()}


def _kind_of_name(path: str) -> str | None:
    if path.startswith(_AGENT) and path.endswith("tasks.jsonl"):
        return TASKS
    if path.endswith(".jsonl") and "/" not in path:
        base = path.removeprefix("ralph_")
        if base.startswith("events"):
            return EVENTS
        return HISTORY if base == "history.jsonl" else None
    return LOG if path.startswith(_LOGS) and path.endswith(".log") else None


def is_record(name: str) -> bool:
    """Return whether a name in a state folder is that of its events or its history."""
    return _kind_of_name(name) in (EVENTS, HISTORY)


def claimed(names: tuple[str, ...]) -> frozenset[str]:
    """Return the names in a state folder that are ralph-orchestrator's."""
    own = {"loop.lock", "loops.json", "current-events", "current-loop-id"}
    found = {n for n in names if n in own or _kind_of_name(n) is not None or n.startswith((*_AGENT, *_LOGS))}
    return frozenset(found | {n for n in names if n in ("agent/", "diagnostics/")})
