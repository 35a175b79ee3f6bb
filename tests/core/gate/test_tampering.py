"""Signs of tampering from the start of a run to its end: what is kept, carried on, lost, and shown."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

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


def test_the_first_check_of_a_run_that_nobody_began_is_its_beginning(project):
    first = project.check()
    assert value(first, "protected") == Unknown(
        "the start of the run was not recorded", "tampering.protected"
    )
    project("echo y >>conftest.py")
    second = project.check()
    assert value(second, "protected") == 1
    assert second.facts["tampering.protected"].note == "since iteration 1, the first check of the run"


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


def test_without_git_files_are_unknown_and_own_files_are_known(tmp_path):
    project = Project(tmp_path)
    project("rm -rf .git")
    project.begin()
    project("echo '# more' >>policy.yaml")
    found = project.check()
    assert value(found, "protected") == Unknown("not inside a git repository", "tampering.protected")
    assert value(found, "own_files") == 1


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
