"""The example `verified`: its cases, and the loop that is sent back until a test passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exitgate.testing.cases.load import load_file
from exitgate.testing.runner import failure_text, run_case

EXAMPLE = Path(__file__).parents[2] / "examples" / "verified"


def test_cases() -> None:
    suite = load_file(str(EXAMPLE / "tests.yaml"), "examples/verified/tests.yaml")
    results = [run_case(case, suite.program(case)) for case in suite.cases]
    failed = [failure_text(result) for result in results if result.failures]
    assert len(results) == 36
    assert not failed, "\n" + "\n".join(failed)


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_an_agent_is_sent_back_with_the_name_of_the_test_until_it_passes(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "NO_COLOR": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["bash", str(EXAMPLE / "run.sh")], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Turns of the agent: 6. Times that `make test` ran: 2." in done.stdout
    lines = [line for line in done.stderr.splitlines() if line.startswith("iteration ")]
    assert [line.split(" · ")[1:3] for line in lines] == [
        *[["CONTINUE", "work_goes_on"]] * 3,
        *[["CONTINUE", "not_verified"]] * 2,
        ["EXIT complete", "plan_complete"],
    ]
    assert done.stderr.count("`tests`: 1 failed: leap.divisible_by_100") == 4
