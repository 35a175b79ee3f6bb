"""One iteration through the shim: one process, which loads what a warm check loads and nothing heavier."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from exitgate.hosts.shim.bash import shim

WARM_CHECK = runpy.run_path(str(Path(__file__).with_name("test_warm_check.py")))
BANNED, OF_RE2, SCRIPT = (WARM_CHECK[name] for name in ("BANNED", "OF_RE2", "SCRIPT"))
#: An iteration as the loop makes it; what is started is written down.
ITERATION = r"""
set -euo pipefail
program() { echo "started $*" >>started; "$PYTHON" -S script.py "$@"; }
EXITGATE=program
for loop_count in 1 2; do
    init_circuit_breaker
    should_halt_execution && exit 9
    [[ -z "$(should_exit_gracefully)" ]]
    printf 'I am confident of module %s.\n' "$loop_count" >out.log
    analyze_response out.log "$loop_count"
    update_exit_signals
    log_analysis_summary >/dev/null
    record_loop_result "$loop_count" 0 false 9
done
"""


def iterate(folder: Path, policy: str) -> tuple[list[str], set[str], list[str]]:
    """Return the steps started, the modules the last one loaded, and the processes it started."""
    (folder / "script.py").write_text(SCRIPT)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE", "COV"))}
    environment |= {
        "EXITGATE_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHON": sys.executable,
    }
    ran = subprocess.run(
        ["bash", "-c", shim(policy) + ITERATION],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    loaded, _, started = ran.stderr.rpartition("loaded ")[2].partition(" started")
    steps = [line.split(" -- ")[1] for line in (folder / "started").read_text().splitlines()]
    return steps, set(loaded.split()), started.splitlines()[0].split()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    return tmp_path


def test_one_process_an_iteration(project: Path) -> None:
    steps, loaded, started = iterate(project, "bb3-faithful")
    assert steps == ["ask 0", "analyze out.log 1", "analyze out.log 2"]
    assert loaded & set(BANNED) == set()
    assert "exitgate" in loaded
    assert started == []


def test_with_patterns_and_git(project: Path) -> None:
    steps, loaded, _ = iterate(project, "ralph-claude-code")
    assert steps == ["ask 0", "analyze out.log 1", "analyze out.log 2"]
    heavy = {"yaml", "lark", "jsonschema", "simpleeval", "click", "json", "pathlib", "dataclasses", "typing"}
    assert loaded & heavy == set()
    assert loaded >= OF_RE2
