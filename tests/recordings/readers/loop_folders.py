"""Folders of loops as ralph-claude-code and codeharness leave them, small."""

from __future__ import annotations

import json
from pathlib import Path

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem, Run, collect
from exitgate.recordings.probe import probe_of

DAY = "2026-01-31"


def log(*lines: str) -> str:
    """Return a log; a line is `12:00:00 LEVEL text`, one without a clock stands for itself."""
    return "".join(f"{stamped(line)}\n" for line in lines)


def stamped(line: str) -> str:
    clock, _, rest = line.partition(" ")
    if clock.count(":") != 2:
        return line
    level, _, text = rest.partition(" ")
    return f"[{DAY} {clock}] [{level}] {text}"


def launch(clock: str) -> list[str]:
    return [
        f"{clock} SUCCESS \U0001f680 Ralph loop starting with Claude Code",
        f"{clock} INFO Starting main loop...",
    ]


def loop(number: int, begins: str, ends: str | None, *more: str, minutes: int = 15) -> list[str]:
    """Return the lines of one turn; without `ends` it is cut off."""
    lines = [
        f"{begins} LOOP === Starting Loop #{number} ===",
        f"{begins} LOOP Executing Claude Code (Call {number}/100)",
        f"{begins} INFO \u23f3 Starting Claude Code execution... (timeout: {minutes}m)",
        *more,
    ]
    if ends is not None:
        lines += [
            f"{ends} SUCCESS \u2705 Claude Code execution completed successfully",
            f"{ends} LOOP === Completed Loop #{number} ===",
        ]
    return lines


def output(clock: str, *, stream: bool = False) -> str:
    """Return the name of an output."""
    return f"claude_output_{DAY}_{clock.replace(':', '-')}{'_stream' if stream else ''}.log"


def result(said: str, cost: float = 0.5, session: str = "s-1", **more: object) -> str:
    told = {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 30_000}
    return json.dumps({**told, "result": said, "session_id": session, "total_cost_usd": cost, **more})


def folder(root: Path, files: dict[str, str], name: str = "demo") -> Path:
    place = root / name
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text, encoding="utf-8")
    return place


def at(path: Path) -> Location:
    return Location(str(path), path.is_dir())


def reader(path: Path) -> str | None:
    return registry.sniff(probe_of(at(path)))


def read(path: Path, id: str | None = None) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    """Return the runs by the reader that fits, or by `id`."""
    found = id or reader(path)
    assert found is not None, "no reader fits"
    return collect(registry.load(found).read(at(path), ALL), found)
