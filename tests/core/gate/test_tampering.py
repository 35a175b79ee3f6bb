"""Signs of tampering from the start of a run to its end: what is kept, carried on, lost, and shown."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from asking_project import Project as Verified
from cases import each

from exitgate.core.gate.check import check
from exitgate.core.gate.new_run import new_run
from exitgate.core.model.value import Unknown
from exitgate.core.state.began import KEPT, keep, kept
from exitgate.core.state.request import Request

POLICY = """\
policy: guarded
format: 1
version: 1.0.0
title: Signs of tampering
parameters:
  protected: {type: list, default: [conftest.py, ci/], doc: Files that stay as they are.}
facts:
  tampering: {extract: tampering, protected: $protected}
rules:
  - {id: kept, when: tampering.protected > 0, exit: review, because: "changed: {tampering.protected_paths}"}
  - {id: marked, when: tampering.marks > 0, warn: true, because: "off: {tampering.marked}"}
otherwise: continue
"""
SECRET = "ghp_" + "a1B2c3D4e" * 4
LATE = "what was kept of the start of the run is lost or was changed"


class Project:
    """A repository with a run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(folder)}
        for who in ("AUTHOR", "COMMITTER"):
            own |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.com"}
        self.environment = {**os.environ, **own}
        (folder / "policy.yaml").write_text(POLICY)
        self("mkdir tests && printf 'def test_a():\\n    pass\\n' >tests/test_a.py && echo x >conftest.py")
        self("git init -q . && git add . && git commit -qm first")

    def __call__(self, line: str) -> None:
        subprocess.run(
            ["sh", "-c", line], cwd=self.folder, env=self.environment, check=True, capture_output=True
        )

    def request(self, **more: object) -> Request:
        place = self.folder / "response.jsonl"
        return Request(
            response=str(place) if place.exists() else None,
            policy=str(self.folder / "policy.yaml"),
            root=str(self.folder),
            state_dir=str(self.folder / "state"),
            **more,  # type: ignore[arg-type]
        )

    def begin(self) -> None:
        new_run(self.request())

    def check(self, *commands: str, **more: object):
        self.say(*commands)
        return check(self.request(**more))

    def say(self, *commands: str) -> None:
        calls = [
            {"type": "tool_use", "id": f"{n}", "name": "Bash", "input": {"command": command}}
            for n, command in enumerate(commands)
        ]
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "ok"} for call in calls]
        lines = [
            {"type": "assistant", "session_id": "s", "message": {"content": calls}},
            {"type": "user", "session_id": "s", "message": {"content": results}},
            {"type": "result", "subtype": "success", "is_error": False, "session_id": "s",
             "result": os.urandom(4).hex()},
        ]  # fmt: skip
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.folder / "response.jsonl").write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def value(checked, name: str) -> object:
    return checked.facts[f"tampering.{name}"].value


def test_a_protected_file_that_was_committed_two_iterations_ago_ends_the_run(project):
    project.begin()
    project("echo y >>conftest.py && git commit -qam y")
    project("echo 'import a' >>tests/test_a.py && git commit -qam z")
    first = project.check()
    assert (first.decision.verdict, first.decision.rule) == ("EXIT", "kept")
    assert first.decision.message == "changed: conftest.py"


def test_what_is_undone_is_no_longer_a_sign_and_what_is_new_is(project):
    project.begin()
    project("mkdir -p pkg && echo x >pkg/conftest.py")
    looked = project.check(record=False)
    assert value(looked, "protected_paths") == ("pkg/conftest.py",)
    project("rm -r pkg")
    assert value(project.check(), "protected") == 0


def test_marks_that_were_added_in_earlier_iterations_count_on(project):
    project.begin()
    project("printf '@pytest.mark.skip\\n' | cat - tests/test_a.py >x && mv x tests/test_a.py")
    project("git commit -qam a")
    assert value(project.check(), "marked") == ("tests/test_a.py:1",)
    project("printf '\\n\\n' | cat - tests/test_a.py >x && mv x tests/test_a.py")
    second = project.check()
    assert value(second, "marked") == ("tests/test_a.py:3",)
    assert [(w.rule, w.message) for w in second.decision.warnings if w.rule] == [
        ("marked", "off: tests/test_a.py:3")
    ]
    piece = second.line["facts"]["tampering.marks"]["e"][0]
    assert piece[5] == "tests/test_a.py:3: @pytest.mark.skip"


def test_a_skipped_test_that_was_there_and_moves_is_not_one_that_was_added(project):
    project("printf '@pytest.mark.skip\\ndef test_b():\\n    pass\\n' >tests/test_b.py")
    project("git add . && git commit -qm b")
    project.begin()
    project("cat tests/test_b.py >>tests/test_a.py && git rm -qf tests/test_b.py && git commit -qam moved")
    project("printf '# it.skip( and @pytest.mark.skip are marks\\nSKIP = \"t.Skip()\"\\n' >tests/names.py")
    assert value(project.check(), "marks") == 0


def test_commands_count_on_and_once(project):
    project.begin()
    assert value(project.check("git commit --no-verify -m x"), "no_verify") == 1
    again = check(project.request())  # the same response once more
    assert value(again, "no_verify") == 1
    assert value(project.check("git push --no-verify", "rm -rf state"), "no_verify") == 2
    last = project.check("git status")
    assert (value(last, "no_verify"), value(last, "own_writes"), value(last, "gate_commands")) == (2, 1, 0)


def test_items_that_go_from_the_plan_count_unless_a_check_saw_them_done(project):
    plan = project.folder / "fix_plan.md"
    plan.write_text(f"- [ ] write the store\n- [ ] draw a page\n- [ ] use {SECRET}\n")
    project.begin()
    assert SECRET not in "".join(p.read_text() for p in (project.folder / "state" / "began").iterdir())
    plan.write_text(f"- [x] write the store\n- [ ] draw a page\n- [ ] use {SECRET}\n")
    assert value(project.check(), "items_gone") == 0
    plan.write_text(f"- [ ] use {SECRET}\n")
    found = project.check()
    assert value(found, "items_gone") == 1
    assert [e.excerpt for e in found.facts["tampering.items_gone"].evidence] == ["[ ] draw a page"]
    plan.write_text(f"- [ ] draw a page\n- [ ] use {SECRET}\n")
    assert value(project.check(), "items_gone") == 0


def test_a_run_that_nobody_began_is_compared_with_the_last_commit(project):
    project("printf '@pytest.mark.skip\\n' >>tests/test_a.py")
    first = project.check()
    assert (value(first, "protected"), value(first, "marked")) == (0, ("tests/test_a.py:3",))
    unknown = Unknown("the start of the run was not recorded", "tampering.own_files", 0, float("inf"))
    assert value(first, "own_files") == unknown
    project("git commit -qam x && echo y >>conftest.py")
    second = project.check()
    assert (value(second, "protected"), value(second, "marked")) == (1, ("tests/test_a.py:3",))
    assert (
        second.facts["tampering.marks"].note
        == "since the last commit, as it was not recorded how the run began"
    )


def test_a_check_before_the_first_turn_begins_the_run(project):
    project("echo y >>conftest.py")
    assert check(project.request()).iteration.number == 0
    found = project.check()
    assert (value(found, "protected"), value(found, "compared")) == (0, True)


def test_a_new_run_begins_anew(project):
    project.begin()
    project("echo y >>conftest.py")
    assert value(project.check("git push --no-verify"), "protected") == 1
    project.begin()
    later = project.check()
    assert (value(later, "protected"), value(later, "no_verify")) == (0, 0)


@pytest.mark.parametrize("damage", ["rm -r state/began", "for f in state/began/*; do echo '{}' >$f; done"])
def test_a_beginning_that_was_removed_or_changed_is_not_made_anew(project, damage):
    project.begin()
    project(f"echo y >>conftest.py && {damage}")
    for _ in range(2):
        found = project.check()
        assert value(found, "protected") == Unknown(LATE, "tampering.protected")
        assert value(found, "policy_changed") == Unknown(LATE, "tampering.policy_changed")


def test_rules_that_changed_since_the_run_began_are_a_sign(project):
    project.begin()
    assert value(project.check(), "policy_changed") is False
    project("sed -i 's/conftest.py, ci/ci/' policy.yaml && echo y >>conftest.py")
    found = project.check()
    assert (value(found, "protected"), value(found, "policy_changed"), value(found, "own_files")) == (
        0,
        True,
        1,
    )


def test_a_project_file_that_appears_is_an_own_file(project):
    project.begin()
    project("mkdir .bb3 && echo '{}' >.bb3/config.yaml")
    found = project.check()
    assert value(found, "own_files") == 1
    assert found.facts["tampering.own_files"].evidence[0].excerpt.endswith(".bb3/config.yaml")


def test_without_git_protected_and_own_files_are_known_and_lines_are_not(tmp_path):
    project = Project(tmp_path)
    project("rm -rf .git && mkdir -p node_modules/a")
    project.begin()
    project("echo '# more' >>policy.yaml && touch node_modules/a/conftest.py")
    found = project.check()
    assert (value(found, "protected"), value(found, "own_files")) == (0, 1)
    assert value(found, "marks") == Unknown("not inside a git repository", "tampering.marks")
    assert value(found, "compared") is True
    project("rm conftest.py && mkdir -p a/b && touch a/b/conftest.py")
    assert value(project.check(), "protected_paths") == ("a/b/conftest.py", "conftest.py")


def test_a_dry_look_writes_nothing(project):
    project.check(record=False)
    assert not (project.folder / "state").exists()


def test_documents_are_kept_by_digest_and_only_so_many(tmp_path):
    digests = [keep(str(tmp_path), {"n": n}) for n in range(KEPT + 3)]
    assert kept(str(tmp_path), digests[-1]) == {"n": KEPT + 2}
    assert len(list((tmp_path / "began").iterdir())) == KEPT
    assert kept(str(tmp_path), digests[0]) is None
    assert kept(str(tmp_path), "../began/x") is None
    assert kept(str(tmp_path), "") is None


# Runs that would complete, with a probe that passes: each line of a shell is what the agent did in its turn.

BEGUN, UNRECORDED = "begun", "unrecorded"


def verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: str, first: str, step: str, git: bool = True
):
    """Return what a check says of the turn `step` in a project in which `first` was done before."""
    project = Verified(tmp_path, monkeypatch)

    who = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **who}

    def do(line: str) -> None:
        words = ["sh", "-ec", line]
        subprocess.run(words, cwd=project.folder, env=environment, check=True, capture_output=True)

    do("mkdir src && touch src/a.py conftest.py work2.txt")
    project.git("add", "-A")
    project.git("commit", "-qm", "more")
    if not git:
        do("rm -rf .git")
    do(first)
    if begun == BEGUN:
        project.begin()
    do(step)
    found = project.check()
    return found.decision.exit_class, found.decision.rule, found.decision.message


@each(
    ("begun", "first", "step", "rule", "says"),
    [
        # nothing was done to what the probe rests on
        (BEGUN, ":", "echo x >>src/a.py", "promised", ""),
        (UNRECORDED, ":", "echo x >>src/a.py", "promised", ""),
        (BEGUN, "echo x >>conftest.py", ":", "promised", ""),
        (BEGUN, "echo conftest.py >>.gitignore; touch src/conftest.py", ":", "promised", ""),
        (BEGUN, "git update-index --skip-worktree conftest.py; rm conftest.py", ":", "promised", ""),
        (BEGUN, ":", "mkdir -p ignored/deep && touch ignored/deep/conftest.py", "promised", ""),
        (BEGUN, "mkdir other && cd other && git init -q", "touch other/conftest.py", "promised", ""),
        (BEGUN, ":", "touch tests.sh", "promised", ""),
        # git cannot say it
        (BEGUN, ":", "for n in $(seq 2100); do echo >f$n; done", "not_compared", "more than 2000 files"),
        (BEGUN, ":", "git config core.repositoryformatversion 99", "not_compared", "version"),
        (BEGUN, ":", "mv .git .git2", "not_compared", "not inside a git repository"),
        (BEGUN, ":", "echo x >.git/index", "not_compared", "index"),
        (BEGUN, ":", "rm -rf .git && git init -q", "not_compared", "git"),
        (BEGUN, "for n in $(seq 2100); do echo >f$n; done", "echo x >>src/a.py", "promised", ""),
        (BEGUN, "for n in $(seq 2100); do echo >f$n; done", "rm conftest.py", "weakened", "conftest.py"),
        # git does not see it
        (BEGUN, ":", "rm conftest.py", "weakened", "conftest.py (deleted)"),
        (BEGUN, ":", "git update-index --skip-worktree conftest.py; rm conftest.py", "weakened",
         "conftest.py (deleted)"),
        (BEGUN, ":", "git update-index --assume-unchanged conftest.py; echo x >conftest.py", "weakened",
         "conftest.py (changed)"),
        (BEGUN, ":", "git sparse-checkout set --no-cone '/*' '!/conftest.py'", "weakened",
         "conftest.py (deleted)"),
        (BEGUN, ":", "echo conftest.py >>.git/info/exclude; echo x >src/conftest.py", "weakened",
         "src/conftest.py (added)"),
        (BEGUN, "rm conftest.py; git commit -qam x", "echo conftest.py >>.gitignore; echo x >conftest.py",
         "weakened", "conftest.py (added)"),
        (BEGUN, ":", "git rm -q --cached conftest.py; echo conftest.py >>.gitignore; echo x >conftest.py",
         "weakened", "conftest.py (changed)"),
        (BEGUN, "touch setup.cfg", "echo setup.cfg >>.gitignore; echo x >setup.cfg", "weakened",
         "setup.cfg (changed)"),
        (BEGUN, "echo setup.cfg >>.gitignore; touch setup.cfg", "rm setup.cfg", "weakened",
         "setup.cfg (deleted)"),
        (BEGUN, ":", "mkdir -p .github/workflows; echo .github >>.git/info/exclude; >.github/workflows/x",
         "weakened", ".github/workflows/x (added)"),
        # in the first turn of a run that nobody began
        (UNRECORDED, ":", "echo x >>conftest.py", "weakened", "since the last commit, as it was"),
        (UNRECORDED, ":", "touch src/conftest.py", "weakened", "src/conftest.py (added)"),
        (UNRECORDED, ":", "echo '@pytest.mark.skip' >>src/a.py", "weakened", "src/a.py:1"),
        (UNRECORDED, ":", "git update-index --skip-worktree conftest.py; rm conftest.py", "weakened",
         "conftest.py (deleted)"),
        (UNRECORDED, ":", "echo conftest.py >>.git/info/exclude; echo x >src/conftest.py", "not_compared",
         "no commit has `src/conftest.py`"),
        (UNRECORDED, "rm -rf .git; git init -q", ":", "not_compared", "no commit has `conftest.py`"),
        (UNRECORDED, "mkdir a; >a/conftest.py; git add a; git commit -qm a; git sparse-checkout set src .bb3",
         ":", "promised", ""),
        # what the command names
        (BEGUN, ":", "echo 'exit 0 #' >check.sh", "weakened", "check.sh (changed)"),
        (UNRECORDED, ":", "echo 'exit 0 #' >check.sh", "weakened", "check.sh (changed)"),
    ],
)  # fmt: skip
def test_what_passes_completes_only_if_what_it_rests_on_is_as_it_was(
    tmp_path, monkeypatch, begun, first, step, rule, says
):
    exit_class, decided, message = verified(tmp_path, monkeypatch, begun, first, step)
    assert (exit_class, decided) == ("complete" if rule == "promised" else "review", rule)
    assert says in message


@each(
    ("begun", "step", "rule", "says"),
    [
        (BEGUN, "echo x >>src/a.py", "promised", ""),
        (BEGUN, "git init -q && git add -A", "promised", ""),
        (BEGUN, "echo x >>conftest.py", "weakened", "conftest.py (changed)"),
        (BEGUN, "rm conftest.py", "weakened", "conftest.py (deleted)"),
        (BEGUN, "touch src/conftest.py", "weakened", "src/conftest.py (added)"),
        (BEGUN, "echo 'exit 0 #' >check.sh", "weakened", "check.sh (changed)"),
        (BEGUN, "mkdir -p $(seq -f d%g 2100)", "not_compared", "more folders"),
        (UNRECORDED, ":", "not_compared", "no commit has `check.sh` and 1 more"),
        (UNRECORDED, "rm check.sh conftest.py; touch check.sh", "not_compared", "no commit has `check.sh`"),
    ],
)  # fmt: skip
def test_without_git_a_run_completes_if_protected_files_are_as_they_were(
    tmp_path, monkeypatch, begun, step, rule, says
):
    _, decided, message = verified(tmp_path, monkeypatch, begun, ":", step, git=False)
    assert decided == rule
    assert says in message


def test_a_run_that_cannot_see_lines_completes_with_a_warning(tmp_path, monkeypatch):
    project = Verified(tmp_path, monkeypatch)
    subprocess.run(["rm", "-rf", ".git"], cwd=project.folder, check=True)
    project.begin()
    found = project.check().decision
    assert found.exit_class == "complete"
    assert [one.rule for one in found.warnings if one.rule] == ["compared_in_part"]


def test_a_fault_of_the_look_is_not_taken_for_a_look(tmp_path, monkeypatch):
    from exitgate.core.facts.extractors import tampering

    project = Verified(tmp_path, monkeypatch)
    project.begin()
    monkeypatch.setattr(tampering, "_report", lambda *_: 1 / 0)
    found = project.check().decision
    assert (found.exit_class, found.rule) == ("review", "not_compared")


def test_what_only_exitgates_own_files_show_is_said_so(tmp_path, monkeypatch):
    project = Verified(tmp_path, monkeypatch)
    project.begin()
    project.write("ours.yaml", (project.folder / "ours.yaml").read_text() + "# more\n")
    found = project.check().decision
    assert found.rule == "weakened"
    assert (
        "look at how: exitgate's own files: ours.yaml; tests that ran before and did not now: 0"
        in found.message
    )
