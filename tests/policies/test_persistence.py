"""The scheme's fifth guarantee: what was decided survives the process, and a crash between two iterations."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from compiled import COMPILED

COMMAND = [sys.executable, "-m", "exitgate", "check", "--quiet", "--policy"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    ralph = tmp_path / ".ralph"
    ralph.mkdir()
    (ralph / "circuit-state.json").write_text('{"state": "CLOSED"}')
    (ralph / "@fix_plan.md").write_text("- [x] a\n- [ ] b\n- [ ] c\n")
    return tmp_path


def environment(project: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EXITGATE")}
    return {**kept, "EXITGATE_CACHE_DIR": COMPILED}


def turn(project: Path, policy: str, number: int) -> int:
    (project / ".ralph" / "last-response.md").write_text(f"Turn {number}: I am confident in this step.\n")
    done = subprocess.run([*COMMAND, policy], cwd=project, env=environment(project), check=False)
    return done.returncode


@pytest.mark.parametrize("policy", ["bb3", "bb3-faithful"])
def test_stagnation_is_counted_from_process_to_process(project: Path, policy: str) -> None:
    assert [turn(project, policy, number) for number in range(1, 5)] == [0, 0, 0, 12]


@pytest.mark.parametrize("policy", ["bb3", "bb3-faithful"])
def test_the_exit_state_tells_how_long_nothing_was_finished(project: Path, policy: str) -> None:
    counts = []
    for number in range(1, 5):
        turn(project, policy, number)
        state = json.loads((project / ".ralph" / "exit-state.json").read_text(encoding="utf-8"))
        counts.append(state["stagnation_count"])
    assert counts == [0, 1, 2, 3]


def test_a_killed_check_leaves_the_count_usable(project: Path) -> None:
    assert [turn(project, "bb3", number) for number in (1, 2)] == [0, 0]
    (project / ".ralph" / "last-response.md").write_text("Killed: I am confident.\n")
    killed = subprocess.Popen([*COMMAND, "bb3"], cwd=project, env=environment(project))
    time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    codes = [turn(project, "bb3", number) for number in (3, 4)]
    # the killed one either was recorded, and then the third iteration is the fourth, or it was not
    assert codes in ([0, 12], [12, 0])


@pytest.mark.parametrize(
    ("policy", "ticked", "codes"),
    [
        ("bb3", False, [0, 0, 0, 0, 12]),
        ("bb3-faithful", False, [0, 0, 0, 0, 12]),
        ("guardrails", False, [0, 0, 0, 0, 0, 13]),
        ("bb3", True, [0, 10]),
    ],
)
def test_a_loop_ends_whose_agent_never_writes_its_response(
    project: Path, policy: str, ticked: bool, codes: list[int]
) -> None:
    found = []
    for _ in codes:
        done = subprocess.run([*COMMAND, policy], cwd=project, env=environment(project), check=False)
        found.append(done.returncode)
        if ticked:
            (project / ".ralph" / "@fix_plan.md").write_text("- [x] a\n- [x] b\n")
    assert found == codes
