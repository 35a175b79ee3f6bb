"""Loops that ask the world: what a person sees of it, and how it is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from loop_project import Project
from patience import wait_for

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request
from exitgate.core.system import process_group

AGENT = 'echo x >> turns; echo "<promise>COMPLETE</promise>"'


def defined(project: Project, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    section = {"policy": "recommended", "verify": ["tests"], "probes": {"tests": {"shell": line}}}
    project.write(".bb3/config.yaml", json.dumps({"exit_decision": section}))
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request()))))


def words(*options: str) -> list[str]:
    return ["run", "--policy", "recommended", *options, "--", "sh", "-c", AGENT]


def test_a_loop_that_is_ended_while_it_asks_asks_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The probe and its tree are ended at once; the next loop decides on what the agent did."""
    defined(project, monkeypatch, "test -e quick || { echo $$ > pid; sleep 600; }")
    project.write("PROMPT.md", "work")
    policy_of(Request(policy="recommended"))
    loop = subprocess.Popen([sys.executable, "-m", "exitgate", *words()], stderr=subprocess.PIPE)
    pid = project.folder / "pid"
    wait_for(lambda: loop.poll() is not None or (pid.exists() and pid.read_text().strip()))
    loop.send_signal(signal.SIGINT)
    _, err = loop.communicate()
    assert loop.returncode == 130, err
    assert not process_group.members(int(pid.read_text()))
    assert [line["kind"] for line in project.ledger() if line.get("probes")] == []
    project.write("quick", "")
    ran = project.main(*words())
    assert ran.code == 0, ran.err
    assert project.read("turns") == "x\n"
    assert "complete" in ran.err


def test_a_failing_probe_sends_the_agent_back(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    defined(project, monkeypatch, 'test "$(wc -l < turns)" -ge 2 || { echo test_two broke; exit 1; }')
    project.write("PROMPT.md", "work")
    ran = project.main(*words("--max-iterations", "4"))
    assert ran.code == 0, ran.err
    assert project.read("turns") == "x\nx\n"
    assert "test_two broke" in ran.err
    assert os.environ.get("EXITGATE_PROBE") is None


def test_what_a_loop_keeps_shows_what_its_probes_said(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run of it decides as the loop did; nothing runs again."""
    line = 'echo x >> ran; test "$(wc -l < turns)" -ge 2 || { echo test_two broke; exit 1; }'
    defined(project, monkeypatch, line)
    project.write("PROMPT.md", "work")
    assert project.main(*words("--max-iterations", "4")).code == 0
    kept = project.folder / ".ralph" / "exitgate" / "runs" / "default.1.jsonl"
    told = [line for line in project.transcript() if line["kind"] == "decided"]
    assert [line["probes"]["tests"]["passed"] for line in told] == [False, True]
    ran = project.main("dry-run", str(kept), "--detail", "--no-cache", "--format", "json")
    assert ran.code == 0, ran.err
    assert not [note for note in json.loads(ran.out)["notes"] if "verified" in note]
    rows = json.loads(ran.out)["decisions"]
    assert [row["outcome"] for row in rows] == [line["outcome"] for line in told]
    page = project.main("report", str(kept), "-o", "-").out
    assert page.count("<h4>Probes</h4>") == 2
    assert "test_two broke" in page
    assert project.read("ran") == "x\nx\n"
