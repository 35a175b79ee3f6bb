"""The two shell loops of the BB3 scheme, the command's name exchanged, with a scripted agent."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cases import some
from compiled import COMPILED
from patience import PATIENCE

#: What the agent says and how the plan stands after each of its turns.
TURNS = (
    ("I am confident about the parser. First task done.", "- [x] parser\n- [ ] tests\n- [ ] docs\n"),
    ("I am certainly on track: the tests are written now.", "- [x] parser\n- [x] tests\n- [ ] docs\n"),
    ("I am absolutely sure the docs are there too.", "- [x] parser\n- [x] tests\n- [x] docs\n"),
    ("I should never have been asked again.", "- [x] parser\n- [x] tests\n- [x] docs\n"),
)

AGENT = """\
#!{python}
import json, pathlib
turns = json.loads(pathlib.Path("turns.json").read_text())
count = pathlib.Path("count")
number = int(count.read_text()) if count.exists() else 0
count.write_text(str(number + 1))
response, plan = turns[number]
pathlib.Path(".ralph/@fix_plan.md").write_text(plan)
print(response)
"""

#: What `jq -r .decision_reason` does.
REASON = """\
#!{python}
import json, sys
print(json.load(sys.stdin)["decision_reason"])
"""

INTEGRATION = """\
while true; do
    ./agent > .ralph/last-response.md

    # Make exit decision
    if ! exitgate check \\
        .ralph/last-response.md \\
        .ralph/@fix_plan.md; then
        echo "Exiting: $(exitgate state --format json | jq_reason)"
        break
    fi

    # ... continue work ...
done
"""

WORKFLOW = """\
while true; do
    # 1. Get AI response
    ./agent > .ralph/last-response.md

    # 2. Track circuit breaker metrics
    exitgate circuit track > track.txt

    # 3. Make exit decision
    if ! exitgate check; then
        echo "Ralph autonomous work complete"
        exit 0
    fi

    # 4. Continue to next iteration
    loops=$((loops + 1))
done
"""

GUARDED = """\
while exitgate check; do
    ./agent > .ralph/last-response.md
done
"""


#: Policy of the project -> why it says that a finished plan is enough.
COMPLETE = {"bb3": "all_tasks_done", "bb3-faithful": "high_completion", "recommended": "plan_complete"}
#: Policy -> what its view and `exitgate state` say as the reason.
REASONS = {
    "bb3": "All tasks of the plan are done (3 of 3)",
    "bb3-faithful": "3 of 3 tasks done (100%); 80% is enough",
    "recommended": "Every task of the plan that counts is done: 3 of 3",
}
EACH = pytest.mark.parametrize("policy", COMPLETE)


@pytest.fixture(scope="module")
def one_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all projects are, one after the other: a policy is compiled for a folder."""
    return tmp_path_factory.mktemp("projects") / "now"


@pytest.fixture
def project(one_folder: Path) -> Path:
    """The folder, empty."""
    shutil.rmtree(one_folder, ignore_errors=True)
    one_folder.mkdir()
    return one_folder


def place(folder: Path, turns: tuple[tuple[str, str], ...] = TURNS, policy: str = "bb3") -> Path:
    """Make a project with the scripted agent and `exitgate` on the path."""
    (folder / ".ralph").mkdir()
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text(f"exit_decision: {{policy: {policy}}}\n", encoding="utf-8")
    (folder / "turns.json").write_text(json.dumps(turns), encoding="utf-8")
    programs = {
        "agent": AGENT.format(python=sys.executable),
        "exitgate": f'#!/bin/sh\nexec {sys.executable} -m exitgate "$@"\n',
        "jq_reason": REASON.format(python=sys.executable),
    }
    for name, text in programs.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(stat.S_IRWXU)
    return folder


def loop(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a loop in bash until it ends by itself."""
    environment = {k: v for k, v in os.environ.items() if k != "EXITGATE_RUN"}
    environment["EXITGATE_CACHE_DIR"] = COMPILED
    environment["PATH"] = f"{folder}:{environment['PATH']}"
    return subprocess.run(
        ["bash", "-u", "-c", "loops=0\n" + script],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def turns_taken(folder: Path) -> int:
    return int((folder / "count").read_text(encoding="utf-8"))


@EACH
def test_integration_in_the_loop(project: Path, policy: str) -> None:
    ran = loop(place(project, policy=policy), INTEGRATION)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert turns_taken(project) == 3
    assert ran.stdout.count("CONTINUE · ") == 2
    assert f"EXIT complete · {COMPLETE[policy]}\n" in ran.stdout
    assert ran.stdout.endswith(f"Exiting: {REASONS[policy]}\n")


@pytest.mark.parametrize("policy", some(["bb3-faithful", "bb3"], 1))
def test_integration_with_the_scripts_own_state_file(project: Path, policy: str) -> None:
    """The scheme's last line as it is written: `cat .ralph/exit-state.json | jq -r '.decision_reason'`."""
    script = INTEGRATION.replace(
        "exitgate state --format json | jq_reason", "cat .ralph/exit-state.json | jq_reason"
    )
    ran = loop(place(project, policy=policy), script)
    reason = {
        "bb3": "All tasks of the plan are done (3 of 3)",
        "bb3-faithful": "3 of 3 tasks done (100%); 80% is enough",
    }
    assert ran.stdout.endswith(f"Exiting: {reason[policy]}\n")


@pytest.mark.parametrize("policy", some(["bb3-faithful", "recommended", "bb3"], 1))
def test_expected_workflow_with_a_bare_check(project: Path, policy: str) -> None:
    ran = loop(place(project, policy=policy), WORKFLOW)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert turns_taken(project) == 3
    assert ran.stdout.endswith("Ralph autonomous work complete\n")


def test_expected_workflow_counts_an_iteration_once_though_it_is_tracked_first(project: Path) -> None:
    (project / "tracked").mkdir()
    (project / "bare").mkdir()
    loop(place(project / "tracked"), WORKFLOW)
    loop(place(project / "bare"), WORKFLOW.replace("exitgate circuit track > track.txt", "true"))
    counts = []
    for name in ("tracked", "bare"):
        ledger = project / name / ".ralph" / "exitgate" / "ledger.jsonl"
        counts.append([json.loads(line).get("kind") for line in ledger.read_text("utf-8").splitlines()])
    assert counts[0] == counts[1]
    assert counts[0].count("decision") == 3
    assert (project / "tracked" / "track.txt").read_text("utf-8").startswith("CLOSED")


def test_while_check_asks_before_the_first_response_too(project: Path) -> None:
    ran = loop(place(project), GUARDED)
    assert turns_taken(project) == 3
    assert "EXIT complete · all_tasks_done\n" in ran.stdout


def test_an_agent_that_ticks_nothing_is_stopped_as_stuck(project: Path) -> None:
    said = [f"I am confident, working on part {n}." for n in range(9)]
    turns = tuple((text, "- [x] parser\n- [ ] tests\n- [ ] docs\n") for text in said)
    ran = loop(place(project, turns), INTEGRATION)
    assert "EXIT stuck · stagnation\n" in ran.stdout
    assert turns_taken(project) < 9


@pytest.mark.parametrize(
    "script", [INTEGRATION, WORKFLOW, GUARDED], ids=["integration", "workflow", "guarded"]
)
def test_trouble_stops_the_loop(script: str, project: Path) -> None:
    place(project)
    (project / ".ralph" / "exitgate").write_text("a file where the state directory goes", encoding="utf-8")
    loop(project, script)
    count = project / "count"
    assert not count.exists() or turns_taken(project) <= 1
