"""Session files of Claude Code's shape: a run each, a turn for each response, as long as they must be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path


def session(folder: Path, name: str, responses: Sequence[str], padding: int = 0) -> Path:
    """Write a session with a turn for each response, and `padding` characters of a tool's in each."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, response in enumerate(responses, 1):
            for line in _turn(name, number, response, padding):
                file.write(json.dumps(line) + "\n")
    return path


def _turn(name: str, number: int, response: str, padding: int) -> list[dict[str, object]]:
    call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": "a"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * padding}
    answer = {"type": "text", "text": response}
    said = [
        ("user", {"role": "user", "content": f"go on ({number})"}),
        ("assistant", {"id": f"m{number}a", "role": "assistant", "content": [call]}),
        ("user", {"role": "user", "content": [result]}),
        ("assistant", {"id": f"m{number}b", "role": "assistant", "content": [answer]}),
    ]
    before = f"{name}-{number - 1}-{len(said) - 1}" if number > 1 else None
    return [
        {
            "type": kind, "message": message, "sessionId": name, "uuid": f"{name}-{number}-{at}",
            "parentUuid": f"{name}-{number}-{at - 1}" if at else before, "isSidechain": False,
            "userType": "external", "cwd": "/home/user/app", "version": "2.1.5", "gitBranch": "main",
            "timestamp": f"2026-01-01T{number // 60 % 24:02}:{number % 60:02}:{at * 5:02}.000Z",
        }
        for at, (kind, message) in enumerate(said)
    ]  # fmt: skip
