"""The loop that README shows: 0 before the first turn is not an iteration."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from compiled import COMPILED

from exitgate.core.gate.check import check
from exitgate.core.state.request import Request

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
LOOP = "s=0; while exitgate check --agent-exit $s; do agent > .ralph/last-response.md; s=$?; done"


@pytest.mark.parametrize("policy", ["recommended", "bb3", "ralph", "doyaken"])
def test_nothing_ran_before_the_first_check(
    policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = check(Request(policy=policy, agent_exit=0))
    plain = check(Request(policy=policy, state_dir=str(tmp_path / "other")))
    assert (first.iteration.number, first.decision.verdict) == (0, "CONTINUE")
    assert (first.decision.stage, first.decision.outcome) == (plain.decision.stage, plain.decision.outcome)


def test_the_status_counts_once_an_agent_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check(Request(agent_exit=0))
    assert check(Request(agent_exit=0)).iteration.number == 1
    other = str(tmp_path / "other")
    assert check(Request(agent_exit=1, state_dir=other)).iteration.number == 1


def test_the_loop_as_it_is_written(tmp_path: Path) -> None:
    assert LOOP in README
    turn = "n=$(cat n 2>/dev/null || echo 0); n=$((n + 1)); echo $n > n\n"
    turn += 'echo "Part $n is built."\n'
    box = 'if [ $n -ge 2 ]; then echo "- [x] all" > fix_plan.md; else echo "- [ ] all" > fix_plan.md; fi\n'
    programs = {"agent": turn + box, "exitgate": f'exec "{sys.executable}" -m exitgate "$@"\n'}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{text}", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    script = f"{LOOP}; cat n"
    environment = {**os.environ, "PATH": path, "EXITGATE_CACHE_DIR": COMPILED}
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[-1] == "2"
    assert "EXIT complete" in ran.stdout
