"""A warm `exitgate hook` as hosts run it: what it loads, and that it starts no other process."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

WARM_CHECK = runpy.run_path(str(Path(__file__).with_name("test_warm_check.py")))
BANNED, OF_RE2, SCRIPT, RESPONSE = (WARM_CHECK[name] for name in ("BANNED", "OF_RE2", "SCRIPT", "RESPONSE"))
HOSTS = {
    "claude-code": {"session_id": "s", "hook_event_name": "Stop", "last_assistant_message": RESPONSE},
    "codex": {"session_id": "s", "turn_id": "t", "last_assistant_message": RESPONSE, "transcript_path": None},
    "gemini": {"session_id": "s", "prompt": "Go on.", "prompt_response": RESPONSE, "timestamp": "t"},
    "copilot": {"sessionId": "s", "timestamp": 1, "transcriptPath": "transcript.jsonl"},
    "cursor": {"conversation_id": "s", "status": "completed", "transcript_path": "transcript.jsonl"},
}
LINES = (
    {"type": "user.message", "data": {"content": "Go on."}},
    {"role": "user", "message": {"content": [{"type": "text", "text": "Go on."}]}},
    *(
        line
        for stamp in (1, 2)
        for line in (
            {"type": "assistant.message", "data": {"content": RESPONSE}},
            {"type": "hook.start", "data": {"hookType": "agentStop", "input": {"timestamp": stamp}}},
        )
    ),
    {"role": "assistant", "message": {"content": [{"type": "text", "text": RESPONSE}]}},
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "fix_plan.md").write_text("# Plan\n\n- [x] one\n- [ ] two\n")
    (tmp_path / "transcript.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


def hook(
    project: Path, host: str, policy: str, count: int, loop: str = "1"
) -> tuple[set[str], list[str], object]:
    """Return the modules a hook loads, the processes it starts, and its reply."""
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE", "COV", "CLAUDE"))
    }
    environment |= {"EXITGATE_CACHE_DIR": str(project / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {"EXITGATE_LOOP": loop}
    payload = {**HOSTS[host], "cwd": str(project)}
    if "timestamp" in payload:
        payload["timestamp"] = count
    if payload.get("last_assistant_message"):
        payload["last_assistant_message"] = f"{RESPONSE}{count}"
    words = [sys.executable, "-S", "script.py", "hook", host, "--policy", policy]
    ran = subprocess.run(
        words,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        input=json.dumps(payload),
    )
    assert ran.returncode == 0, ran.stderr
    loaded, _, started = ran.stderr.rpartition("loaded ")[2].partition(" started")
    return set(loaded.split()), started.split(), json.loads(ran.stdout)


@pytest.mark.parametrize("host", HOSTS)
def test_a_warm_hook_loads_nothing_heavy(project: Path, host: str) -> None:
    cold, _, _ = hook(project, host, "bb3-faithful", 1)
    assert {"yaml", "lark"} <= cold  # the probe sees what is there
    loaded, started, reply = hook(project, host, "bb3-faithful", 2)  # with history and memory
    assert isinstance(reply, dict)
    assert {"reason", "followup_message"} & set(reply)
    assert loaded & set(BANNED) == set()
    assert "re2" not in loaded
    assert started == []


def test_patterns_load_re2_and_nothing_else(project: Path) -> None:
    hook(project, "claude-code", "bb3", 1)
    loaded, started, _ = hook(project, "claude-code", "bb3", 2)
    assert loaded & set(BANNED) <= OF_RE2
    assert started == []


def test_a_session_that_is_no_loop_is_left_alone_cheaply(project: Path) -> None:
    hook(project, "claude-code", "bb3", 1)
    loaded, started, reply = hook(project, "claude-code", "bb3", 2, loop="")
    assert reply == {}
    assert loaded & set(BANNED) == set()
    assert "re2" not in loaded
    assert started == []
    hook(project, "claude-code", "bb3", 3, loop="0")
