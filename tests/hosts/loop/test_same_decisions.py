"""A dry run of what a loop kept decides as the loop did, whatever its agent does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from compiled import COMPILED, shipped_policy
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from loop_project import Project, skipping
from patience import PATIENCE

from exitgate.recordings.replay.dry_run import dry_run

BLOCK = "---RALPH_STATUS---\nSTATUS: {}\nEXIT_SIGNAL: {}\nWORK_TYPE: TESTING\n---END_RALPH_STATUS---\n"
RESULT = {"type": "result", "subtype": "success", "session_id": "s", "result": "Working on it."}
SAID = st.sampled_from(
    [
        "Working on it.\n", "", "Error: it broke\n",
        "Everything is done. All tests pass.\n5 passed in 0.1s\n",
        "Nothing left to do.\n", "Shall I go on?\n", "<promise>COMPLETE</promise>\n",
        BLOCK.format("IN_PROGRESS", "false"), BLOCK.format("COMPLETE", "true"),
        BLOCK.format("BLOCKED", "false"), "I cannot go on: permission denied.\n",
    ]
)  # fmt: skip
MOVES = st.fixed_dictionaries(
    {
        "said": SAID,
        "cost": st.none() | st.sampled_from([0.5, 60.0]),
        "exit": st.sampled_from([0, 0, 0, 1, 143]),
        "tick": st.booleans(),
        "edit": st.booleans(),
    }
)
#: Plays the move of its iteration, the last one again and again.
AGENT = """
moves=$1; n=$EXITGATE_ITERATION; while ! test -e "$moves/$n"; do n=$((n - 1)); done; . "$moves/$n"
"""


def script(move: dict[str, Any], number: int) -> str:
    said = move["said"]
    if move["cost"] is not None:
        said = json.dumps(
            {**RESULT, "result": said, "session_id": f"s{number}", "total_cost_usd": move["cost"]}
        )
    lines = [f"cat <<'END_OF_IT'\n{said}\nEND_OF_IT" if said else ":"]
    lines += ["sed -i '0,/\\[ \\]/s//[x]/' fix_plan.md"] if move["tick"] else []
    lines += [f"echo {number} >> work.txt"] if move["edit"] else []
    return "\n".join([*lines, f"exit {move['exit']}"]) + "\n"


def decided(project: Project, name: str) -> list[tuple[str | None, str]]:
    return [
        (line["class"], line["outcome"]) for line in project.transcript(name) if line["kind"] == "decided"
    ]


@pytest.mark.parametrize("policy", ["recommended", "ralph-claude-code"])
def test_the_same_decisions(project: Project, monkeypatch: pytest.MonkeyPatch, policy: str) -> None:
    skipping(monkeypatch)
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)
    git = ("git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    project.write("fix_plan.md", "- [ ] a\n- [ ] b\n- [ ] c\n")
    project.write("PROMPT.md", "Do all of it. Say <promise>COMPLETE</promise> when all is done.\n")
    project.write("agent", AGENT)
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "begin")):
        subprocess.run([*git, *words], check=True, timeout=PATIENCE)
    number, path = 0, ".ralph/exitgate/runs/default.1.jsonl"
    bound = {"max_iterations": "4"} if "max_iterations" in shipped_policy(policy).parameters else {}

    @settings(
        max_examples=2,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(st.lists(MOVES, min_size=2, max_size=4))
    def play(moves: list[dict[str, Any]]) -> None:
        nonlocal number
        number += 1
        folder = Path(f"../moves{number}").resolve()
        folder.mkdir()
        for nth, move in enumerate(moves, 1):
            (folder / str(nth)).write_text(script(move, nth), encoding="utf-8")
        subprocess.run(["git", "checkout", "-q", "."], check=True, timeout=PATIENCE)
        Path("work.txt").unlink(missing_ok=True)
        shutil.rmtree(".ralph", ignore_errors=True)
        bounds = ["--policy", policy, "--max-iterations", "4", "--quiet"]
        words = ["run", *bounds, "--", "sh", "agent", str(folder)]
        ran = project.main(*words)
        while ran.code == 130:  # the next loop goes on with the same run
            ran = project.main(*words)
        assert ran.code < 64, ran.err
        (found,) = dry_run([path], [policy], settings=bound, to_the_end=True).results
        assert [(row.exit_class, row.outcome) for row in found.rows] == decided(project, "default.1")

    play()
    assert os.getcwd() == str(project.folder)
