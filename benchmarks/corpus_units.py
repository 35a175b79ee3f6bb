"""
What an index of transcripts counts as turns, by format, and how to count that again.

An index may count lines or answers of the model where a reader gives processes or prompts. The count in the
index's own unit shows that a file was read whole although the two numbers differ.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    #: From the bytes of a file, the iterations read and the turns that their records tell to a number.
    Count = Callable[[bytes, int, int], int]


def _iterations(_: bytes, iterations: int, __: int) -> int:
    return iterations


def _turns(_: bytes, __: int, turns: int) -> int:
    return turns


def _lines(content: bytes, _: int, __: int) -> int:
    return sum(1 for line in content.split(b"\n") if line.strip())


def _prompt_lines(content: bytes, _: int, __: int) -> int:
    return sum(line.startswith(b"#### ") for line in content.split(b"\n"))


def _entries(content: bytes, _: int, __: int) -> int:
    return len(json.loads(content)["history"])


def _of_type(kind: str) -> Count:
    def count(content: bytes, _: int, __: int) -> int:
        return sum(event.get("type") == kind for event in _events(content))

    return count


def _model_messages(content: bytes, _: int, __: int) -> int:
    return sum(message.get("role") == "model" for message in json.loads(content))


def _events(content: bytes) -> Iterator[dict[str, object]]:
    for line in content.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


ITERATIONS = ("iterations", _iterations)
TURNS = ("turns that the record tells", _turns)
LINES = ("lines", _lines)
#: Format in the index -> what it counts there.
UNITS: dict[str, tuple[str, Count]] = {
    "aider-history": ("lines of prompts", _prompt_lines),
    "autoresearch-ledger": LINES,
    "claude-result-json": TURNS,
    "claude-session-jsonl": ("`assistant` lines, in 4 files with those of sub-agents", _of_type("assistant")),
    "claude-stream-json": TURNS,
    "cline-session-v2": TURNS,
    "codex-exec-json": ("completed items", _of_type("item.completed")),
    "copilot-events": ("answers of the model", _of_type("assistant.turn_start")),
    "gemini-contents-array": ("answers of the model", _model_messages),
    "gemini-session": TURNS,
    "git-history-jsonl": LINES,
    "opencode-export": TURNS,
    "openhands-output-v0": ("entries of the history", _entries),
    "openhands-sdk-events": LINES,
    "pi-session": TURNS,
    "ralph-orchestrator": LINES,
    "ralph-orchestrator-recording": LINES,
    "roo-log": LINES,
    "roo-task": TURNS,
}
