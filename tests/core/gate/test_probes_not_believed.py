"""Answers that are not taken again, and guards of a run that cannot be taken away behind its back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from asking_project import Project
from cases import each
from patience import PATIENCE

from exitgate.core.gate.new_run import new_run
from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust

#: Notes each run; passes where `sub/state` says so.
SCRIPT = 'touch "$NOTES/ran-$(ls "$NOTES" | wc -l)-$$"; grep -q good sub/state'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(tmp_path, monkeypatch, script=SCRIPT)
    (made.folder / "sub").mkdir()
    made.write("sub/state", "bad\n")
    return made


def rule(project: Project) -> str | None:
    return project.check().decision.rule


def test_an_edited_ledger_is_no_answer(project: Project) -> None:
    project.git("add", "-A")
    assert rule(project) == "not_verified"
    path = project.folder / "state" / "ledger.jsonl"
    path.write_text(path.read_text().replace('"passed":false', '"passed":true'))
    assert rule(project) == "not_verified"
    assert project.asked() == 2


@each(
    ("inside", "whole"),
    [
        ("mkdir -p sub; git init -q sub", False),
        (
            "git init -q sub && git -C sub add -A && git -C sub commit -qm a",
            False,
        ),
        ("git add -A && git update-index --skip-worktree work.txt && git commit -qm a", True),
    ],
)
def test_a_tree_of_which_not_all_is_seen_is_asked_again(
    inside: str, whole: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path, monkeypatch, script=SCRIPT)
    (project.folder / "sub").mkdir()
    project.write("sub/state", "bad\n")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b")
    subprocess.run(["sh", "-c", inside], check=True, capture_output=True, timeout=PATIENCE)
    assert rule(project) == "not_verified"
    if whole:
        (project.folder / "work.txt").unlink()  # git takes it for unchanged
        assert rule(project) == "not_verified"
        assert project.asked() == 2
    project.write("sub/state", "good\n")
    assert rule(project) == "promised"


def test_a_probe_that_takes_the_repository_away_says_nothing(project: Project) -> None:
    project.write("sub/state", "good\n")
    project.write("check.sh", f"{SCRIPT} && mv .git .git2")
    project.git("add", "-A")
    project.git("commit", "-qm", "script")
    assert rule(project) == "not_verified"
    assert project.lines()[-1]["probes"]["tests"]["status"] == "changed"


def test_a_review_is_not_over_because_it_is_asked_again(project: Project) -> None:
    project.write("sub/state", "good\n")
    project.check("working")
    path = project.folder / "ours.yaml"
    path.write_text(path.read_text().replace("when: promise.emitted", "when: promise.emitted or true"))
    outcomes = [project.check().decision.outcome for _ in range(3)]
    assert outcomes == ["gate_changed"] * 3
    assert project.asked() == 0
    new_run(project.request())
    assert project.check().decision.exit_class == "complete"


def test_what_is_protected_belongs_to_the_guard_of_a_run(project: Project) -> None:
    project.write("sub/state", "good\n")
    project.check("working")
    settings = project.folder / ".bb3" / "config.yaml"
    settings.write_text(f"{settings.read_text()}  protected: []\n")
    assert project.check().decision.outcome == "gate_changed"


@each("left", ["  verify: []\n", "  policy: ../free.yaml\n", ""])
def test_a_digest_of_the_environment_that_does_not_fit_completes_nothing(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone whose settings verify nothing, in a job that was given the digest of what was looked at."""
    project = Project(tmp_path, monkeypatch)
    digest = trust.digest_of(trust.covered(policy_of(project.request())))
    assert trust.revoke(str(project.folder), os.environ)
    monkeypatch.setenv(trust.VARIABLE, digest)
    settings = project.folder / ".bb3" / "config.yaml"
    before = settings.read_text()
    ours = (project.folder / "ours.yaml").read_text()
    project.write(
        "free.yaml", ours.replace("policy: ours", "policy: free").replace("extends: verified@^1\n", "")
    )
    if left:
        key = left.split(":", maxsplit=1)[0]
        settings.write_text(
            "".join(f"{line}\n" if not line.startswith(key) else left for line in before.splitlines())
        )
    else:
        assert project.check().decision.exit_class == "complete"
        return
    assert [project.check().decision.outcome for _ in range(2)] == ["gate_changed"] * 2


def test_a_subfolder_is_part_of_the_project(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("sub/state", "good\n")
    monkeypatch.chdir(project.folder / "sub")
    project.write("r.md", "<promise>DONE</promise>\n")
    found = project.checked(root=str(project.folder / "sub"))
    assert found.decision.exit_class == "complete"
    assert project.asked() == 1


JUDGED = """\
exit_decision:
  policy: ../ours.yaml
  verify: [goal]
  probes:
    goal: {judge: it is met, command: [sh, "FOLDER/judge.sh"], environment: [NOTES], sees: [SEES]}
"""
JUDGE = """\
touch "$NOTES/ran-$(ls "$NOTES" | wc -l)-$$"
cat >/dev/null
echo '{"met": false, "reason": "no"}'
"""


@each(("sees", "asked"), [("response", 3), ("plan", 2), ("diff", 1)])
def test_a_judge_is_asked_again_when_what_it_sees_is_another(
    sees: str, asked: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(tmp_path, monkeypatch)
    text = JUDGED.replace("FOLDER", str(project.folder)).replace("SEES", sees)
    project.write(".bb3/config.yaml", text)
    project.write("judge.sh", JUDGE)
    project.write(".gitignore", "state/\nr*.md\nfix_plan.md\n")
    project.allow()
    for number in range(3):
        project.write("fix_plan.md", f"- [x] step {number // 2}\n")
        project.check()
    assert project.asked() == asked


@each("report", ["fix_plan.md", "state/ledger.jsonl", "r.md"])
def test_what_a_check_reads_is_no_report_of_a_probe(
    report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that is there is removed before the command runs: the plan and the ledger never are."""
    project = Project(tmp_path, monkeypatch, f"reads: {{lines: {report}}}")
    project.write("fix_plan.md", "- [x] one\n")
    assert rule(project) == "not_verified"
    assert (project.folder / "fix_plan.md").read_text() == "- [x] one\n"
    assert project.asked() == 0
    assert "is not a report" in str(project.lines()[-1]["probes"]["tests"]["reason"])
