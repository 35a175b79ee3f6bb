"""The example loops run once more for real, in a repository, through `exitgate check`: the same decisions."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cases import EVERY
from compiled import COMPILED, shipped_policy
from patience import PATIENCE

from exitgate.cli.main import main
from exitgate.core.policy import shipped
from exitgate.recordings.replay.dry_run import dry_run

EXAMPLES = Path(__file__).parents[3] / "examples" / "transcripts"
LOOPS = ("csv-export", "login-session", "search-index")
#: Its points rest on git, of which these transcripts tell nothing.
ON_GIT = {"doyaken"}
POLICIES = [name for name in shipped.policies() if name not in ON_GIT]
#: Each policy on one loop, the loops by turns; the soak takes each policy on each loop.
CASES = [
    (loop, policy)
    for number, policy in enumerate(POLICIES)
    for nth, loop in enumerate(LOOPS)
    if EVERY or policy == "recommended" or nth == number % len(LOOPS)
]


@pytest.fixture(scope="module")
def walked() -> dict[tuple[str, str], Any]:
    paths = [str(EXAMPLES / loop) for loop in LOOPS]
    found = dry_run(paths, {name: shipped_policy(name) for name in POLICIES}, to_the_end=True, keep=True)
    return {(result.run.id, result.policy): result for result in found.results}


@pytest.mark.parametrize(("loop", "policy"), CASES)
def test_a_loop_run_for_real_is_decided_as_in_the_dry_run(
    walked: dict[tuple[str, str], Any],
    loop: str,
    policy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = walked[loop, policy]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    subprocess.run(["git", "init", "-q"], check=True, timeout=PATIENCE)
    Path(".gitignore").write_text("*.log\n", encoding="utf-8")
    Path(".ralph").mkdir()
    decided = []
    for recorded, row in zip(result.recorded, result.rows, strict=True):
        if recorded.plan is not None:
            Path(".ralph/@fix_plan.md").write_text(recorded.plan, encoding="utf-8")
        words = ["check", "said.log", "-p", policy, "--format", "json"]
        if recorded.prompt is not None:
            Path(".ralph/PROMPT.md").write_text(recorded.prompt, encoding="utf-8")
            words += ["--task", ".ralph/PROMPT.md"]
        if recorded.exit_status is not None:
            words += ["--agent-exit", str(recorded.exit_status)]
        shutil.copy(recorded.provenance.file, "said.log")
        main(words)
        decision = json.loads(capsys.readouterr().out)
        decision = decision.get("decision", decision)
        asked = ("verdict", "class", "outcome", "rule", "message", "firm")
        decided.append(tuple(decision.get(name) for name in asked))
        expected = (row.verdict, row.exit_class, row.outcome, row.rule, row.message, row.firm)
        assert decided[-1] == expected, row.iteration
        if row.verdict == "EXIT":
            break
    assert len(decided) == (result.run.iterations if result.stop is None else result.stop.iteration)
