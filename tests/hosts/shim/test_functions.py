"""The functions for BB3's and Doyaken's scripts, read and called as those scripts call theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from compiled import COMPILED, compile_for

from exitgate.hosts.shim.bash import POLICIES, bash_functions

PLAN = "- [x] read it\n- [x] split it\n- [ ] test it\n- [ ] ship it\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    (tmp_path / ".ralph/@fix_plan.md").write_text(PLAN, encoding="utf-8")
    (tmp_path / ".ralph/last-response.md").write_text(
        "I am confident about the split.\nerror: cannot open the port\n", encoding="utf-8"
    )
    program = tmp_path / "bin/exitgate"
    program.parent.mkdir()
    program.write_text(f'#!/bin/bash\nexec "{sys.executable}" -m exitgate "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    for name in POLICIES:
        (tmp_path / f"{name}.sh").write_text(bash_functions(name, None), encoding="utf-8")
    return tmp_path


def bash(project: Path, script: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{project}/bin:{os.environ['PATH']}",
        "RUN_LOG_DIR": str(project / "logs"),
    }
    environment["EXITGATE_CACHE_DIR"] = COMPILED
    for policy in POLICIES.values():
        compile_for(project, environment, policy)
    return subprocess.run(
        ["bash", "-c", script], cwd=project, env=environment, capture_output=True, text=True, check=False
    )


def test_the_four_functions_of_bb3(project: Path) -> None:
    ran = bash(project, "source bb3.sh; extract_completion_score; extract_confidence; extract_errors")
    assert ran.stdout.split() == ["50", "90", "1"]
    found = json.loads(bash(project, "source bb3.sh; analyze_response").stdout)
    assert found == {"completion_score": 50, "confidence": 90, "error_count": 1}


def test_the_engine_of_bb3_as_a_script(project: Path) -> None:
    check = "bash bb3.sh check .ralph/last-response.md .ralph/@fix_plan.md"
    assert bash(project, check).returncode == 0
    (project / ".ralph/@fix_plan.md").write_text(PLAN.replace("[ ]", "[x]"), encoding="utf-8")
    ran = bash(project, f"if ! {check}; then echo stopped; fi; bash bb3.sh state; bash bb3.sh history")
    assert "stopped" in ran.stdout
    assert "all_tasks_done" in ran.stdout
    assert bash(project, "bash bb3.sh reset").returncode == 0
    assert bash(project, "bash bb3.sh wrong").returncode == 64


def test_the_functions_for_doyaken(project: Path) -> None:
    log = "Split it.\n\nDOYAKEN_STATUS:\n  PHASE_COMPLETE: false\n  TESTS_STATUS: pass\n  CONFIDENCE: high\n"
    (project / "phase.log").write_text(log, encoding="utf-8")
    ran = bash(project, "source doyaken.sh; exit_detection phase.log tasks/doing/split.md; echo code $?")
    assert ran.stdout.splitlines()[-1] == "code 0"
    said = bash(project, "source doyaken.sh; exit_detection_status phase.log").stdout.splitlines()
    assert {"phase_complete=false", 'tests_status="PASS"', 'confidence="HIGH"'} <= set(said)
    assert (project / "logs/confidence.log").exists()
