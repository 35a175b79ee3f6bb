"""A check asks the world: the working tree, what is recorded, other checks, and one that was killed."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from asking_project import Project
from patience import PATIENCE, wait_for

from exitgate.core.probes.turn import NAME
from exitgate.core.system import process_group

#: Notes each run, and whether another one was at it.
SCRIPT = """\
mkdir "$NOTES/inside" 2>/dev/null || touch "$NOTES/two-at-once"
touch "$NOTES/ran-$(ls "$NOTES" | wc -l)-$$"
{}
rmdir "$NOTES/inside"
{}
"""


def script(line: str = ":", end: str = "exit 0") -> str:
    return SCRIPT.format(line, end)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path, monkeypatch, script=script())


def rescript(project: Project, text: str) -> None:
    project.write("check.sh", text)
    project.git("commit", "-qam", "script")


def told(project: Project) -> dict[str, object]:
    """Return what the newest line of the ledger has of the probe."""
    return project.lines()[-1]["probes"]["tests"]


def test_nothing_is_asked_while_nothing_would_complete(project: Project) -> None:
    found = project.check("not yet")
    assert found.decision.verdict == "CONTINUE"
    assert project.asked() == 0
    assert "probes" not in project.lines()[-1]


def test_the_same_tree_is_asked_once(project: Project) -> None:
    rescript(project, script(end="exit 1"))
    project.write("more.txt", "of the agent\n")
    assert [project.check().decision.rule for _ in range(2)] == ["not_verified", "not_verified"]
    assert project.asked() == 1
    assert told(project)["reused"] == project.lines()[1]["sequence"]
    project.git("add", "-A")
    project.git("commit", "-qm", "the same content, committed")
    assert project.check().decision.rule == "fails_without_end"
    assert project.asked() == 1


def test_a_tree_that_is_as_it_was_asks_again_where_another_answer_came_between(project: Project) -> None:
    """Only the newest answer counts: what passed once does not count after a failure."""
    assert project.check().decision.exit_class == "complete"
    project.write("work.txt", "2\n")
    rescript(project, script(end="grep -q 1 work.txt"))
    assert project.check().decision.rule == "not_verified"
    project.write("work.txt", "1\n")
    assert project.check().decision.exit_class == "complete"
    assert project.asked() == 3


def test_a_probe_that_changes_what_git_tracks_says_nothing(project: Project) -> None:
    rescript(project, script("echo 2 > work.txt; echo 3 > ours2.txt"))
    found = project.check()
    assert found.decision.rule == "not_verified"
    answer = told(project)
    assert (answer["status"], answer.get("passed")) == ("changed", None)
    assert answer["reason"] == "it changed files that git tracks: `work.txt`"


def test_a_probe_that_commits_says_nothing(project: Project) -> None:
    line = "echo 2 > work.txt; git -c user.name=n -c user.email=n@e commit -qam sneaky"
    rescript(project, script(line))
    assert project.check().decision.rule == "not_verified"
    assert told(project)["status"] == "changed"


def test_what_it_writes_beside_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(
        tmp_path, monkeypatch, script=script("mkdir -p ignored out; date > ignored/a; date > out/b")
    )
    found = project.check()
    assert found.decision.exit_class == "complete"
    assert [
        one.message for one in found.decision.warnings if "`tests` wrote `out/b`: ignore that" in one.message
    ]
    project.define("writes: [out/]")
    project.allow()
    rescript(project, script("mkdir -p ignored out; date > ignored/a; date > out/b"))
    assert project.check(run="another").decision.warnings == ()


def test_two_checks_never_run_a_probe_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, monkeypatch, script=script("sleep 0.3", "exit 1"))
    started = [project.start(f"r{number}.md") for number in range(3)]
    for one in started:
        out, err = one.communicate(timeout=PATIENCE)
        assert json.loads(out)["rule"] in ("not_verified", "fails_without_end"), err
    assert 1 <= project.asked() <= 3
    assert not (project.notes / "two-at-once").exists()


def test_a_check_that_is_killed_records_nothing_and_leaves_nothing(project: Project) -> None:
    rescript(project, script(f'echo $$ > "$NOTES/child"; test -e "$NOTES/go" || sleep {int(PATIENCE) * 5}'))
    child = project.notes / "child"
    first = project.start()
    lock = project.folder / "state" / NAME
    wait_for(lambda: child.exists() and child.read_text().strip() and b'"tests"' in lock.read_bytes())
    before = len(project.lines())
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=PATIENCE)
    left = int(child.read_text())
    assert process_group.members(left)
    assert len(project.lines()) == before
    (project.notes / "go").touch()
    os.rmdir(project.notes / "inside")
    assert project.check().decision.exit_class == "complete"
    assert project.asked() == 2
    wait_for(lambda: not process_group.members(left))


def test_a_check_whose_time_is_up_waits_for_no_other_and_says_since_when(project: Project) -> None:
    rescript(
        project, script(f'test -e "$NOTES/go" || {{ touch "$NOTES/waits"; sleep {int(PATIENCE) * 5}; }}')
    )
    first = project.start()
    wait_for((project.notes / "waits").exists)
    found = project.check(until=time.monotonic() + 0.3, run="default")
    assert found.decision.rule == "not_verified"
    assert "another check is verifying `tests`, for " in str(told(project)["reason"])
    assert told(project)["status"] == "broken"
    first.terminate()
    first.communicate(timeout=PATIENCE)


def test_a_look_asks_nothing(project: Project) -> None:
    found = project.check(record=False)
    assert found.decision.rule == "not_verified"
    assert project.asked() == 0
    assert not (project.folder / "state").exists()


def test_a_check_within_a_probe_asks_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_PROBE", "1")
    assert project.check().decision.rule == "not_verified"
    assert project.asked() == 0


def test_what_guards_a_run_and_changed_ends_it_for_review(project: Project) -> None:
    """The agent takes the probe out of `verify` as it works: nothing runs, and nothing completes."""
    project.check("working")
    path = project.folder / ".bb3" / "config.yaml"
    path.write_text(path.read_text().replace("verify: [tests]", "verify: []"))
    found = project.check()
    assert (found.decision.exit_class, found.decision.outcome) == ("review", "gate_changed")
    assert project.asked() == 0


def test_nor_does_a_consent_that_was_made_unreadable(project: Project) -> None:
    """Before the run begins, the agent opens the folder of the consent to all and empties `verify`."""
    path = project.folder / ".bb3" / "config.yaml"
    path.write_text(path.read_text().replace("verify: [tests]", "verify: []"))
    (project.folder.parent / "state" / "exitgate" / "trust").chmod(0o777)
    found = project.check()
    assert (found.decision.exit_class, found.decision.outcome) == ("review", "gate_changed")
    assert "other users can write" in found.decision.message


def test_a_rule_that_weakens_the_gate_ends_the_run_for_review(project: Project) -> None:
    project.check("working")
    path = project.folder / "ours.yaml"
    path.write_text(
        path.read_text().replace("when: promise.emitted", "when: promise.emitted or git.uncommitted >= 0")
    )
    found = project.check()
    assert (found.decision.exit_class, found.decision.outcome) == ("review", "gate_changed")
    assert project.asked() == 0


@pytest.mark.parametrize(
    ("valid_for", "asked"),
    [("tree", [1, 1, 2]), ("iteration", [1, 2, 3]), ("1h", [1, 1, 1]), ("0.000001", [1, 2, 3])],
)
def test_how_long_an_answer_counts(
    valid_for: str, asked: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second check sees the same tree, the third one another."""
    project = Project(tmp_path, monkeypatch, f"valid_for: {valid_for}", script(end="exit 1"))
    found = []
    for text in ("1\n", "1\n", "2\n"):
        project.write("work.txt", text)
        project.check()
        found.append(project.asked())
    assert found == asked


def test_without_git_no_tree_is_the_same(project: Project) -> None:
    rescript(project, script(end="exit 1"))
    (project.folder / ".git").rename(project.notes / "git")
    assert [project.check().decision.rule for _ in range(2)] == ["not_verified", "not_verified"]
    assert project.asked() == 2


SEVERAL = """\
exit_decision:
  policy: ../ours.yaml
  verify: [goal, long, tests]
  probes:
    goal: {judge: it is met, command: [sh, "FOLDER/judge.sh"], environment: [NOTES], timeout: 1s}
    long: {shell: 'touch "$NOTES/long"', environment: [NOTES], timeout: 30m}
    tests: {command: [sh, check.sh], environment: [NOTES], timeout: 10m}
"""
JUDGE = """cat > "$NOTES/question"; echo '{"met": true, "reason": "seen"}'\n"""


def test_the_cheapest_is_asked_first_a_judge_last_and_the_rest_not_after_a_failure(project: Project) -> None:
    (project.folder / ".bb3" / "config.yaml").write_text(SEVERAL.replace("FOLDER", str(project.folder)))
    project.write("judge.sh", JUDGE)
    project.allow()
    rescript(project, script("test -e work.txt || true", "grep -q 2 work.txt"))
    project.check()
    assert list(project.lines()[-1]["probes"]) == ["tests"]
    assert not (project.notes / "long").exists()
    project.write("work.txt", "2\n")
    assert project.check().decision.exit_class == "complete"
    assert list(project.lines()[-1]["probes"]) == ["tests", "long", "goal"]
    question = (project.notes / "question").read_text()
    assert "tests: passed\nlong: passed" in question
    assert "-1\n+2" in question
    assert "<promise>DONE</promise>" in question
