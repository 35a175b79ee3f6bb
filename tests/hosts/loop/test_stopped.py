"""Ctrl-Z: who stops a loop stops its agent, and nobody's time runs on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from loop_project import DONE_IN, Project, wait_for_file
from patience import PATIENCE, wait_for

from exitgate.hosts.loop.signals import Signals

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def wait_for_state(pid: int, wanted: str) -> None:
    wait_for(lambda: state_of(pid) in wanted, f"state {wanted}")


def test_an_agent_stands_still_while_its_loop_does(project: Project) -> None:
    # no process of its own: one that is stopped before it begins holds up its parent in another state
    script = f"echo $$ > pid; while ! test -e go; do :; done; {DONE_IN.format(1)}"
    project.compile()
    loop = subprocess.Popen(
        [sys.executable, "-m", "exitgate", *project.words(script)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,  # as a shell does: a group that nobody could continue would not be stopped
    )
    try:
        agent = int(wait_for_file("pid"))
        loop.send_signal(signal.SIGTSTP)
        wait_for_state(loop.pid, "T")
        wait_for_state(agent, "T")
        project.write("go", "")
        loop.send_signal(signal.SIGCONT)
        assert loop.wait(timeout=PATIENCE) == 0
    finally:
        loop.kill()
        loop.wait()
    assert project.decisions()[-1] == (1, "complete", "promised")


def test_the_time_that_a_loop_stood_still_counts_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    with Signals() as signals:
        signals.starts()
        signal.raise_signal(signal.SIGTSTP)
        assert not told  # an agent that is being started could not be stopped yet
        now = 1000.0
        # what the system does between the two lines of the handler that look at the clock
        monkeypatch.setattr(os, "kill", lambda *_: monkeypatch.setattr(time, "monotonic", lambda: now + 3600))
        monkeypatch.setattr(time, "monotonic", lambda: now)
        signals.follows(told.append)
        monkeypatch.undo()
        assert (signals.stood, told) == (3600, [signal.SIGSTOP, signal.SIGCONT])
        assert not signals.asked
