"""Files of a ralph-orchestrator state folder, in their place and flattened into one folder."""

from __future__ import annotations

import json

from exitgate.transcripts.values import text_at, writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.values import Event

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


def kind_of(look: Look) -> str | None:
    """Return which of the files this is by its content, None for another."""
    if look.events and not isinstance(look.value, list):
        event = look.events[0]
        for kind, is_kind in ((EVENTS, is_event), (HISTORY, is_history), (TASKS, is_task)):
            if is_kind(event):
                return kind
    value = look.value
    if isinstance(value, dict):
        if set(value) == {"pid", "started", "prompt"}:
            return LOCK
        if set(value) == {"loops"} and isinstance(value["loops"], list):
            return LOOPS
    return _kind_of_text(look)


def _kind_of_text(look: Look) -> str | None:
    text = look.text
    if any(is_log_line(line) for line in text.split("\n", 3)[:3]):
        return LOG
    head = text.lstrip()
    name = look.place.name
    kept = name in _NOTE_NAMES or (name.endswith(_NOTE_NAMES) and any(part in name for part in _AGENT))
    if head.startswith(_NOTES[:2]) or (head.startswith("# ") and kept):
        return NOTES
    return None


def is_event(event: Event) -> bool:
    """Return whether an object is a line of `events-*.jsonl`."""
    return isinstance(event.get("topic"), str) and isinstance(event.get("ts"), str) and "type" not in event


def is_history(event: Event) -> bool:
    """Return whether an object is a line of `history.jsonl`."""
    kind = event.get("type")
    return isinstance(event.get("ts"), str) and isinstance(kind, dict) and isinstance(kind.get("kind"), str)


def is_task(event: Event) -> bool:
    """Return whether an object is a line of `tasks.jsonl`."""
    return (
        (text_at(event, "id") or "").startswith("task-")
        and isinstance(event.get("title"), str)
        and isinstance(event.get("status"), str)
        and isinstance(event.get("created"), str)
    )


def is_log_line(line: str) -> bool:
    """Return whether a line is one of the log: instant, level, module."""
    words = plain(line).split(None, 2)
    return (
        len(words) == 3
        and words[0][4:5] == "-"
        and words[0][10:11] == "T"
        and words[1] in _LEVELS
        and words[2].startswith(_MODULES)
    )


def object_of(raw: bytes) -> dict[str, object] | None:
    """Return the JSON object that a line is, its texts such as can be written; None for another line."""
    try:
        value = writable(json.loads(raw.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def plain(line: str) -> str:
    """Return a line without the escapes that colour it."""
    if "\x1b" not in line:
        return line
    pieces = line.split("\x1b[")
    return pieces[0] + "".join(piece.partition("m")[2] for piece in pieces[1:])


def listed(folder: Place, names: tuple[str, ...]) -> Mapping[str, tuple[Place, ...]]:
    """Return the files of a state folder by kind, each kind in the order of names. Raises OSError."""
    below = {"": names}
    for name in ("agent/", "diagnostics/"):
        if name in names:
            below[name] = folder.at(name.rstrip("/"), True).names()
    if "logs/" in below.get("diagnostics/", ()):
        below["diagnostics/logs/"] = folder.at("diagnostics/logs", True).names()
    found: dict[str, list[Place]] = {}
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
