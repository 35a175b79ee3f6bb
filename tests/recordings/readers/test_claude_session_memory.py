"""A session of any length is read in the memory of one iteration, and in time that grows with it alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from claude_sessions import Session
from patience import PATIENCE

MEGABYTE = 1_000_000
#: Reads a file, everything wanted; prints iterations, characters of results and the most memory in MB.
CHILD = """
import sys
from exitgate.recordings import registry
from exitgate.core.model.capabilities import ALL
from exitgate.recordings.location import Location
from exitgate.recordings.model import RecordedIteration
count = size = 0
for part in registry.load(sys.argv[1]).read(Location(sys.argv[2]), ALL):
    if isinstance(part, RecordedIteration):
        count, size = count + 1, size + len(part.tool_results or "")
# The kernel's ru_maxrss would count the process that started this one as well.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(count, size, int(peak.split()[1]) // 1024)
"""


def long_session(path: Path, size: int, turns_apart: int = 1) -> int:
    """Write a session of so many bytes, with a prompt for each `turns_apart` calls; return its prompts."""
    session = Session()
    session.user("PROMPT")
    session.says("I look.", "MESSAGE")
    session.calls(
        "MESSAGE", "CALL", "Edit", file_path="/w/fix_plan.md", old_string="- [ ] a", new_string="x" * 900
    )
    session.gave("CALL", "result " * 1_000)
    lines = [json.dumps(line, separators=(",", ":")) for line in session.lines]
    prompt, rest = lines[0] + "\n", "\n".join(lines[1:]) + "\n"
    written = turn = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            mark = f"{turn:07}"
            text = rest if turn % turns_apart else prompt + rest
            for name in ("u001", "u002", "u003", "u004", "MESSAGE", "CALL"):
                text = text.replace(f'"{name}', f'"{name}-{mark}')
            if turn:
                text = text.replace(
                    '"parentUuid":null', f'"parentUuid":"u004-{turn - 1:07}-{session.session[-4:]}"'
                )
            written += file.write(text)
            turn += 1
    return -(-turn // turns_apart)


def read(reader: str, path: Path) -> tuple[int, int, int]:
    """Read in a process of its own; return iterations, characters of results, megabytes of memory."""
    found = subprocess.run(
        [sys.executable, "-c", CHILD, reader, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    count, size, memory = map(int, found.stdout.split())
    return count, size, memory


def test_a_long_session_in_little_memory(tmp_path):
    path = tmp_path / "s.jsonl"
    turns = long_session(path, 64 * MEGABYTE)
    count, size, memory = read("claude-session", path)
    assert count == turns
    assert size == turns * 7_000
    assert memory <= 120
    half = tmp_path / "half.jsonl"
    long_session(half, 32 * MEGABYTE)
    assert memory <= read("claude-session", half)[2] + 16


def test_one_turn_of_many_steps_in_little_memory(tmp_path):
    path = tmp_path / "s.jsonl"
    long_session(path, 32 * MEGABYTE, turns_apart=1_000_000)
    count, size, memory = read("claude-session-steps", path)
    assert (count, size) == (size // 7_000, count * 7_000)
    assert memory <= 120
