"""Doyaken's scheme in a real project: git, task files, phase logs, confidence.log, a loop over tasks."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from cli_program import run
from compiled import COMPILED

ROOT = Path(__file__).parents[2]
BOTH = pytest.mark.parametrize("name", ["doyaken", "doyaken-faithful"])
BLOCK = (
    "DOYAKEN_STATUS:\n  PHASE_COMPLETE: {}\n  TESTS_STATUS: {}\n  CONFIDENCE: high\n  REMAINING_WORK: none\n"
)
SAYS_DONE = "All tasks complete.\n\n" + BLOCK.format("true", "pass")


class Project:
    """A project in a git repository, and commands in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("EXITGATE", "RUN_LOG"))},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "EXITGATE_CACHE_DIR": COMPILED,
            "HOME": str(root.parent),
            "NO_COLOR": "1",
        }
        root.mkdir()
        self.shell("git init -q . && git config user.name a && git config user.email a@example.org")
        self.write("code.txt", "one\n")
        self.shell("git add code.txt && git commit -q -m one")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def shell(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", command], cwd=self.root, env={**self.environment, **environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def check(self, name: str, response: str, *options: str, **environment: str) -> tuple[int, str]:
        """Return exit code and first line of a check on `response`."""
        self.write(".ralph/last-response.md", response)
        mine = {**self.environment, **environment}
        ran = run("check", "--policy", name, *shlex.split(" ".join(options)), cwd=self.root, **mine)
        assert ran.err == ""
        return ran.code, ran.out.splitlines()[0]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@BOTH
def test_changes_that_are_not_committed_count_in_both(project: Project, name: str) -> None:
    assert project.shell(f"exitgate check --policy {name}").returncode == 0
    project.write("code.txt", "two\n")
    assert project.check(name, SAYS_DONE) == (10, "EXIT complete · task_complete")


@pytest.mark.parametrize(("name", "code"), [("doyaken", 10), ("doyaken-faithful", 0)])
def test_committed_work_counts_in_the_repaired_one(project: Project, name: str, code: int) -> None:
    assert project.shell(f"exitgate check --policy {name}").returncode == 0
    project.write("code.txt", "two\n")
    project.shell("git commit -q -a -m two")
    assert project.check(name, SAYS_DONE)[0] == code


@pytest.mark.parametrize(("name", "code"), [("doyaken", 0), ("doyaken-faithful", 10)])
def test_a_tree_that_was_dirty_before_is_no_work_of_the_agent(project: Project, name: str, code: int) -> None:
    project.write("code.txt", "somebody's own edit\n")
    assert project.shell(f"exitgate check --policy {name}").returncode == 0
    assert project.check(name, SAYS_DONE)[0] == code


@BOTH
def test_the_tasks_file_moves_to_the_done_folder(project: Project, name: str) -> None:
    project.write("tasks/doing/add-reader.md", "Add the reader.\n")
    project.shell("git add tasks && git commit -q -m task")
    assert project.check(name, "Looked around.\n")[0] == 0
    project.shell("mkdir tasks/done && mv tasks/doing/add-reader.md tasks/done/")
    project.shell("git add tasks && git commit -q -m moved")
    code, line = project.check(name, "Wrote it.\n\n" + BLOCK.format("true", "skip"))
    assert (code, line) == (10, "EXIT complete · task_complete")


@BOTH
def test_confidence_log_has_score_and_reasons(project: Project, name: str, tmp_path: Path) -> None:
    project.check(name, "Task done.\n")
    project.write("code.txt", "two\n")
    project.check(name, SAYS_DONE)
    first, last = (project.root / ".ralph/logs/confidence.log").read_text().splitlines()
    assert ' iteration=1 confidence=10 decision=CONTINUE outcome="otherwise"' in first
    assert "+10 completion keywords in the output" in first
    assert ' iteration=2 confidence=80 decision=EXIT outcome="task_complete"' in last
    reasons = last.partition('reasons=["')[2]
    assert reasons.startswith("+30 structured status block present, +20 PHASE_COMPLETE: true, +15 ")
    assert "+10 completion keywords in the output, +5 TESTS_STATUS: pass" in reasons
    assert "not known: +20 task file" in reasons
    elsewhere = tmp_path / "logs of the run"
    project.check(name, "Task done again.\n", RUN_LOG_DIR=str(elsewhere))
    assert "confidence=" in (elsewhere / "confidence.log").read_text()
    told = project.shell("exitgate explain --all").stdout
    assert "completion_confidence" in told
    assert "+10 completion keywords" in " ".join(told.replace("│", " ").split())


@BOTH
def test_phase_logs_are_joined_in_order(project: Project, name: str) -> None:
    assert project.shell(f"exitgate check --policy {name}").returncode == 0
    project.write("code.txt", "two\n")
    project.write("logs/3-implement.log", "Wrote the reader.\n" + BLOCK.format("false", "fail"))
    project.write(
        "logs/7-verify.log", "All tests passing, implementation finished.\n" + BLOCK.format("true", "pass")
    )
    project.write(".gitignore", "logs\n")
    forwards = project.shell(f"cat logs/*.log | exitgate check - --policy {name} --no-record")
    assert forwards.stdout.startswith("EXIT complete")
    backwards = project.shell(f"cat $(ls -r logs/*.log) | exitgate facts - --policy {name} --format json")
    assert '"status.phase_complete"' in backwards.stdout
    twice = "--source output=logs/3-implement.log --source output=logs/7-verify.log"
    assert project.shell(f"exitgate check --policy {name} {twice}").returncode == 64


def test_the_loop_over_tasks_in_the_readme(project: Project, tmp_path: Path) -> None:
    """Two tasks, a run each: the second begins when the first is complete, and both files end in done."""
    readme = (ROOT / "policies/doyaken-faithful/README.md").read_text(encoding="utf-8")
    loop = readme.partition("```sh\n")[2].partition("```")[0]
    assert "exitgate check" in loop
    agent = tmp_path / "bin" / "agent"
    agent.parent.mkdir()
    count = "n=$(($(cat ../count 2>/dev/null || echo 0) + 1)); echo $n > ../count; echo $n >> code.txt\n"
    says = "[ $((n % 2)) = 0 ] && cat ../says || echo 'Half of it.'\n"
    agent.write_text(f"#!/bin/bash\n{count}{says}")
    agent.chmod(0o755)
    (tmp_path / "says").write_text(SAYS_DONE)
    for task in ("a.md", "b.md"):
        project.write(f"tasks/doing/{task}", "work\n")
    (project.root / "tasks/done").mkdir()
    ran = project.shell(loop, PATH=f"{agent.parent}{os.pathsep}{project.environment['PATH']}")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "count").read_text() == "4\n"
    assert ran.stdout.count("EXIT complete · task_complete") == 2
    assert sorted(p.name for p in (project.root / "tasks/done").iterdir()) == ["a.md", "b.md"]


@BOTH
def test_the_instructions_ask_for_the_block_that_is_read(project: Project, name: str) -> None:
    told = project.shell(f"exitgate prompt {name}").stdout
    block = told.partition("```text\n")[2].partition("```")[0]
    assert block.splitlines() == [
        "DOYAKEN_STATUS:",
        "  PHASE_COMPLETE: true | false",
        "  FILES_MODIFIED: <number>",
        "  TESTS_STATUS: pass | fail | skip | unknown",
        "  CONFIDENCE: high | medium | low",
        "  REMAINING_WORK: <one line>",
    ]
    # What the instructions print is no signal when the agent repeats it.
    assert project.check(name, told)[1] == "CONTINUE · otherwise"
