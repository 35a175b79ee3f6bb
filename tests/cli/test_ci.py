"""`exitgate ci`: every step over a project's policies; the hooks and the action that run it elsewhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from patience import PATIENCE

from exitgate.cli.commands.ci import STEPS
from exitgate.cli.main import COMMANDS, answer_to

ROOT = Path(__file__).parents[2]
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one policy that is in order, committed, and the place to be."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "."], check=True)
    assert answer_to(["new", "policy", "nightly", "--in", "policies"]).code == 0
    subprocess.run([*GIT, "add", "."], check=True)
    subprocess.run([*GIT, "commit", "-qm", "a policy"], check=True)
    return tmp_path


def states(text: str) -> dict[str, str]:
    summary = text.partition("\n\n")[0]
    return dict(
        re.findall(
            r"^[●✗○·] (\S+) +(passed|findings|failed|nothing to do|no tests|not run)", summary, re.MULTILINE
        )
    )


def test_a_project_in_order_passes_every_step(project: Path) -> None:
    answer = answer_to(["ci"])
    assert (answer.code, answer.err) == (0, "")
    assert states(answer.out) == dict.fromkeys(STEPS, "passed")


def edit(project: Path, name: str, before: str, after: str) -> None:
    edit_of(project / "policies" / "nightly" / name, before, after)


def edit_of(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


def test_a_failed_case_is_findings_and_is_shown_below_its_name(project: Path) -> None:
    edit(project, "tests.yaml", "verdict: EXIT", "verdict: CONTINUE")
    answer = answer_to(["ci", "--skip", "prove", "--skip", "release-check"])
    assert answer.code == 69
    assert states(answer.out) == {"validate": "passed", "fmt": "passed", "lint": "passed", "test": "findings"}
    _summary, _, shown = answer.out.partition("== test\n")
    assert "expected CONTINUE, got EXIT" in shown


def test_what_is_invalid_keeps_the_rest_from_running(project: Path) -> None:
    edit(project, "policy.yaml", "when: ", "when: nothing_of_the_kind and ")
    answer = answer_to(["ci"])
    assert answer.code == 65
    assert states(answer.out) == {"validate": "failed", **dict.fromkeys(STEPS[1:], "not run")}
    assert "nothing_of_the_kind" in answer.out


def test_a_broken_promise_and_a_version_that_was_not_raised(project: Path) -> None:
    edit(
        project,
        "policy.yaml",
        "invariants:",
        "invariants:\n  - {id: never_ends, given: run.iterations > 3, never: exit}",
    )
    answer = answer_to(["ci", "--only", "prove", "--only", "release-check"])
    assert answer.code == 69
    assert states(answer.out) == {"prove": "findings", "release-check": "findings"}


@pytest.mark.parametrize("option", ["--only", "--skip"])
def test_a_step_that_is_none_is_a_usage_error(project: Path, option: str) -> None:
    ran = run("ci", option, "valdate", cwd=project)
    assert ran.returncode == 64
    assert "did you mean `validate`?" in ran.stderr


def test_nothing_left_and_nothing_there(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    ran = run("ci", *(word for step in STEPS for word in ("--skip", step)), cwd=project)
    assert ran.returncode == 64
    empty = tmp_path_factory.mktemp("empty")
    ran = run("ci", cwd=empty)
    assert ran.returncode == 66
    assert states(ran.stdout) == dict.fromkeys(STEPS, "nothing to do")


def test_json_holds_the_reports_of_the_steps(project: Path) -> None:
    edit(project, "tests.yaml", "verdict: EXIT", "verdict: CONTINUE")
    answer = answer_to(["ci", "--format", "json", "--only", "lint", "--only", "test"])
    found = json.loads(answer.out)
    assert (found["schema"], found["code"], answer.code) == ("exitgate/ci@2", 69, 69)
    lint, test = found["steps"]
    assert (lint["step"], lint["state"], lint["report"]["schema"]) == ("lint", "passed", "exitgate/lint@1")
    assert (test["step"], test["state"], test["report"]["schema"]) == ("test", "findings", "exitgate/tests@1")


def test_a_workflow_gets_annotations_and_a_summary(project: Path) -> None:
    edit(project, "tests.yaml", "verdict: EXIT", "verdict: CONTINUE")
    summary = project / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    answer = answer_to(["ci", "--format", "github", "--summary", str(summary), "--only", "test"])
    assert answer.code == 69
    assert re.search(r"^::error file=policies/nightly/tests\.yaml,line=\d+", answer.out, re.MULTILINE)
    told = summary.read_text(encoding="utf-8")
    assert told.startswith("before\n## exitgate\n")
    assert "| `test` | ✗ findings |" in told


def test_a_summary_that_cannot_be_written_is_told(project: Path) -> None:
    ran = run("ci", "--only", "validate", "--summary", str(project / "no" / "such"), cwd=project)
    assert (ran.returncode, ran.stdout) == (73, "")
    assert "there is no folder" in ran.stderr
    policy = project / "policies" / "nightly" / "policy.yaml"
    before = policy.read_bytes()
    assert run("ci", "--only", "validate", "--summary", str(policy), cwd=project).returncode == 64
    assert policy.read_bytes() == before
    ran = run("ci", "--only", "validate", "--summary", "/dev/full", cwd=project)
    assert ran.returncode == 73
    assert states(ran.stdout) == {"validate": "passed"}
    assert "error[EP805]" in ran.stderr


def run(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "exitgate", *words],
        cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def test_the_action_runs_the_steps_and_writes_the_summary(project: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    install, checked = action["runs"]["steps"]
    assert "[prove]" in install["run"]
    given = {"path": "policies", "against": "HEAD", "skip": "prove lint"}
    assert set(given) == set(action["inputs"])
    env = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], value)
           for name, value in checked["env"].items()}  # fmt: skip
    summary = project / "summary.md"
    program = Path(sys.executable).parent
    env |= {"GITHUB_STEP_SUMMARY": str(summary), "PATH": f"{program}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", checked["run"]],
        cwd=project, env=os.environ | env, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = summary.read_text(encoding="utf-8")
    assert [step for step in STEPS if f"| `{step}` |" in told] == ["validate", "fmt", "test", "release-check"]


def hooks() -> list[dict[str, object]]:
    found: list[dict[str, object]] = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    )
    return found


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: str(hook["id"]))
def test_a_hook_takes_the_files_of_a_project(project: Path, hook: dict[str, object]) -> None:
    program, command = str(hook["entry"]).split()
    assert program == "exitgate"
    assert command in COMMANDS
    files = [str(path.relative_to(project)) for path in sorted(project.rglob("*.yaml"))]
    taken = [file for file in files if re.search(str(hook["files"]), file)]
    assert "policies/nightly/policy.yaml" in taken
    assert answer_to([command, *taken]).code == 0


def test_a_path_that_is_not_there_is_no_success(project: Path) -> None:
    (project / "empty").mkdir()
    ran = run("ci", "policies", "polices", "empty", cwd=project)
    assert (ran.returncode, ran.stdout) == (66, "")
    assert "there is no file `polices`" in ran.stderr
    assert "no YAML file in or below `empty`" in ran.stderr


def test_a_policy_that_is_named_is_looked_at_whatever_its_file_is_called(project: Path) -> None:
    (project / "policies" / "nightly" / "policy.yaml").rename(project / "night.yaml")
    edit_of(project / "night.yaml", "because:", "advice:")
    answer = answer_to(["ci", "night.yaml", "--skip", "prove", "--skip", "release-check"])
    assert answer.code == 69
    assert states(answer.out) == {
        "validate": "passed", "fmt": "passed", "lint": "findings", "test": "no tests",
    }  # fmt: skip
    said = " ".join(answer.out.split())
    assert "== test error[EP501]: there is no `tests.yaml` beside `night.yaml` help: write one" in said
    assert "missing-tests" in said
    answer = answer_to(["ci", ".", "--only", "test", "--only", "lint"])
    assert answer.code == 66
    assert "== lint, test\nno policy.yaml in or below the given paths" in answer.out
    assert "another name, name the file: `exitgate ci " in answer.out
