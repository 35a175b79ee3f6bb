"""How far back the shipped policies may look: a number beyond it is refused where it was written."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_program import run

LOOPS = [
    ("bb3", "stagnation_loops"), ("bb3", "circling_loops"), ("bb3-faithful", "stagnation_loops"),
    ("guardrails", "watch_loops"), ("guardrails", "stuck_loops"), ("guardrails", "error_loops"),
]  # fmt: skip


@pytest.mark.parametrize(("policy", "parameter"), LOOPS)
def test_loops_that_no_condition_can_look_back(policy: str, parameter: str, tmp_path: Path) -> None:
    def said(number: int) -> tuple[int, str]:
        words = ["config", "--policy", policy, "--set", f"{parameter}={number}"]
        ran = run(*words, cwd=tmp_path, HOME=str(tmp_path))
        return ran.code, ran.err

    assert said(1000) == (0, "")
    code, err = said(1001)
    assert (code, err.count("error[")) == (65, 1)
    assert f"the value of `{parameter}` is above its `max` 1000\n--> <command line>" in err
