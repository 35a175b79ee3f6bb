"""The process that waits between a loop's steps: it answers, can be done without, and ends with the loop."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE, wait_for
from shim_rows import environment

from exitgate.core.ledger import read as ledger
from exitgate.hosts.shim.bash import shim
from exitgate.hosts.shim.server import AGAIN, StepRequest, answer_request, read_request

#: Every process that is started for a step is written down.
LOOP = r"""
set -euo pipefail
log_status() { printf '%s %s\n' "$1" "$2" >>log; }
_exitgate_program[0]=./python
listens() { until [[ "$_exitgate_waiter" == none || -s "$_exitgate_waiter/pid" ]]; do sleep 0.02; done; }
waiter() { local pid; IFS= read -r pid <"$_exitgate_waiter/pid"; echo "$pid"; }
iterate() {
    loop_count=$1
    init_circuit_breaker
    listens
    printf '%s\n' "Read module $1 of ${SECRET:-the parser}." >out.log
    analyze_response out.log "$1" || echo "no decision on $1" >>log
    update_exit_signals
    [[ -z "$(should_exit_gracefully)" ]]
    record_loop_result "$1" 1 false 9
}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "tmp").mkdir()
    python = tmp_path / "python"
    python.write_text(f'#!/bin/bash\necho "${{@: -3}}" >>started\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return tmp_path


def play(project: Path, script: str, policy: str = "bb3-faithful") -> subprocess.CompletedProcess[str]:
    """Run a script behind the shim; the folder of the waiting process lies in `tmp`."""
    inside = {k: v for k, v in environment(project).items() if k != "EXITGATE"}
    inside["TMPDIR"] = str(project / "tmp")
    words = ["bash", "-c", shim(policy) + LOOP + script]
    return subprocess.run(
        words, cwd=project, env=inside, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def by_their_own(project: Path) -> list[str]:
    """Return the iterations that were analysed by a process of their own."""
    started = (line.split() for line in (project / "started").read_text().splitlines())
    return [words[2] for words in started if words[0] == "analyze"]


def ended(project: Path) -> None:
    """Return once the process whose id stands in `pid` is gone."""
    process = int((project / "pid").read_text())
    wait_for(lambda: not os.path.exists(f"/proc/{process}"), "its end")


def decided(project: Path) -> list[int]:
    lines = ledger.lines(str(project / ".ralph" / "exitgate"))
    return [line["iteration"] for line in lines if line["kind"] == "decision" and line["iteration"]]


POLICY = """
policy: plain
format: 1
version: 1.0.0
rules:
  - {id: many, when: run.iterations > 90, exit: exhausted, stage: before_iteration}
otherwise: continue
"""


def test_it_answers_and_ends_with_the_loop(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    ran = play(project, "for n in 1 2 3; do iterate $n; done; waiter >pid", "plain.yaml")
    assert ran.returncode == 0, ran.stderr
    assert decided(project) == [1, 2, 3]
    assert by_their_own(project) == []
    ended(project)
    assert list((project / "tmp").iterdir()) == []


def test_one_that_hangs_is_ended_and_done_without(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    script = r"""
    iterate 1
    waiter >pid; kill -STOP "$(waiter)"; _exitgate_patience=1
    iterate 2; _exitgate_patience=60; listens() { :; }
    iterate 3
    """
    ran = play(project, script, "plain.yaml")
    assert ran.returncode == 0, ran.stderr
    assert decided(project) == [1, 2, 3]
    assert by_their_own(project) == ["2", "3"]
    ended(project)
    assert list((project / "tmp").iterdir()) == []


def test_a_killed_one_is_done_without(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    ran = play(project, 'iterate 1; kill -KILL "$(waiter)"; iterate 2; iterate 3', "plain.yaml")
    assert ran.returncode == 0, ran.stderr
    assert decided(project) == [1, 2, 3]
    assert by_their_own(project) == ["2", "3"]
    assert list((project / "tmp").iterdir()) == []


def test_folders_of_those_that_were_killed_are_removed(project: Path, tmp_path: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    killed = play(project, 'iterate 1; kill -KILL "$(waiter)"', "plain.yaml")
    assert killed.returncode == 0, killed.stderr
    (left,) = (project / "tmp").iterdir()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "pid").write_text("999999999")
    (project / "tmp" / "exitgate-shim-link").symlink_to(outside)
    begun = project / "tmp" / "exitgate-shim-begun"
    begun.mkdir()
    assert play(project, "iterate 2; waiter >pid", "plain.yaml").returncode == 0
    ended(project)
    assert not left.exists()
    assert begun.exists(), "nobody listens there yet"
    assert (outside / "pid").exists()


def test_what_is_wrong_is_told_by_a_process_of_its_own(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    script = "iterate 1; echo 'policy: [' >plain.yaml; analyze_response out.log 2 || echo 'no decision' >>log"
    ran = play(project, script, "plain.yaml")
    assert by_their_own(project)[0] == "2"
    assert "plain.yaml:" in ran.stderr
    assert "no decision" in (project / "log").read_text()
    assert decided(project) == [1]


def test_settings_of_the_loop_go_with_each_step(project: Path) -> None:
    script = r"""
    iterate 1
    CB_NO_PROGRESS_THRESHOLD=1
    iterate 2 || echo "breaker"
    """
    ran = play(project, script, "ralph-claude-code")
    assert by_their_own(project) == []
    lines = list(ledger.lines(str(project / ".ralph" / "exitgate")))
    parameters = [
        json.dumps(line.get("parameters", line["policy"])) for line in lines if line["kind"] == "decision"
    ]
    assert parameters[0] != parameters[-1], ran.stderr


def test_a_loop_can_do_without(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    script = "EXITGATE_SHIM_WAITS=0; listens() { :; }; iterate 1; iterate 2"
    ran = play(project, script, "plain.yaml")
    assert ran.returncode == 0, ran.stderr
    assert decided(project) == [1, 2]
    assert list((project / "tmp").iterdir()) == []


def test_a_request_is_taken_apart() -> None:
    raw = b"\0".join([b"i7", b"d/a b", b"p", b"wanalyze", b"wout.log", b"w3", b"vA=1=2", b"uB"])
    asked = read_request(raw)
    assert asked == StepRequest("7", "/a b", "", ("analyze", "out.log", "3"), {"A": "1=2"}, ("B",))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_request_or_none(raw: bytes) -> None:
    asked = read_request(raw)
    assert asked is None or asked.words


def test_trouble_is_left_to_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    for folder, words in ((str(tmp_path), ("nothing",)), (str(tmp_path / "gone"), ("ask", "1"))):
        assert answer_request(StepRequest("1", folder, "", words, {}), {}) == AGAIN


def test_hooks_of_the_agents_host_leave_its_sessions_to_this_loop(project: Path) -> None:
    (project / "shim.sh").write_text(shim("plain.yaml"))
    script = "printenv EXITGATE_LOOP; EXITGATE_LOOP=1; source ./shim.sh; printenv EXITGATE_LOOP"
    assert play(project, script).stdout.split() == ["0", "1"]


def test_variables_of_the_script_may_be_readonly(project: Path) -> None:
    (project / "plain.yaml").write_text(POLICY)
    script = "RALPH_DIR=.ralph; readonly RALPH_DIR; EXITGATE_SHIM_WAITS=0; listens() { :; }; iterate 1"
    ran = play(project, script, "plain.yaml")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert decided(project) == [1]
