"""A stranger's repository whose settings, policies and state name commands: none runs without consent."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from loops import Loop
from patience import PATIENCE

from exitgate.core.gate.settings import policy_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.probes import evidence, trust
from exitgate.core.probes.evidence import diff
from exitgate.core.probes.tree import Tree
from exitgate.core.probes.turn import NAME, Turn
from exitgate.core.state.request import Request
from exitgate.core.system.digest import hex_digest

POLICY = """\
policy: theirs
format: 1
version: 1.0.0
extends: verified@^1
facts:
  promise: {extract: promise, from: output, text: DONE}
  always: {extract: probe, name: always, asked: every_iteration}
  given: {extract: probe, name: tests}
rules:
  - {id: promised, when: promise.emitted or always.passed, exit: complete, because: The agent said so}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
"""
SETTINGS = """\
exit_decision:
  policy: ../theirs.yaml
  verify: [tests, line, goal]
  hooks: {{enabled: true}}
  probes:
    tests: {{command: [make, test], reads: {{junit: build/j.xml}}, environment: [CANARY, HOME]}}
    line: {{shell: "touch {canary}", environment: [CANARY]}}
    goal: {{judge: it is met, command: [touch, "{canary}"]}}
    always: {{command: [sh, -c, "touch {canary}"], timeout: 1s}}
"""
DONE = "All is done.\n\n<promise>DONE</promise>\n"
STOP = {"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": False, "cwd": "."}
COMMANDS = (
    "check r.md plan.md", "check r.md plan.md", "check r.md plan.md --format json",
    "check r.md --stage before_iteration", "check --agent-exit 1", "explain r.md plan.md", "explain",
    "facts r.md plan.md", "probe", "probe tests", "probe line goal always", "trust --show",
    "trust --digest", "trust --yes", "trust", "trust --revoke", "config", "doctor", "history", "state",
    "validate", "lint", "ledger verify", "replay", "dry-run .", "new-run",
    "run --max-iterations 1 -- true", "report .", "prove", "test .",
)  # fmt: skip


class Clone(Loop):
    """A repository that wants to run something: a file `canary` beside it would show that it did."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(root, capsys)
        self.canary = root.parent / "canary"
        touch = f"touch {self.canary}"
        self.write("theirs.yaml", POLICY)
        self.write(".bb3/config.yaml", SETTINGS.format(canary=self.canary))
        self.write("Makefile", f"test:\n\t{touch}\nall: test\n")
        self.write("package.json", json.dumps({"scripts": {"test": touch, "prepare": touch}}))
        self.write("conftest.py", f"import os\nos.system({touch!r})\n")
        self.write(".envrc", f"{touch}\nexport EXITGATE_TRUST=x\n")
        self.write("plan.md", "- [x] all\n")
        self.write("r.md", DONE)
        self._record()
        answer = {"status": "answered", "passed": True, "definition": "", "tree": "", "at": time.time()}
        self.write(
            ".ralph/exitgate/ledger.jsonl",
            json.dumps({"format": 1, "sequence": 1, "probes": {"tests": answer}}) + "\n",
        )
        self.write(f".ralph/exitgate/{NAME}", json.dumps({"child": os.getppid(), "began": "x", "since": 0}))
        for words in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "theirs"]):
            who = ["-c", "user.name=n", "-c", "user.email=n@e.org", "-c", "commit.gpgsign=false"]
            subprocess.run(["git", *who, *words], cwd=root, check=True, timeout=PATIENCE)

    def _record(self) -> None:
        """Bring a record of consent to every place at which one of this user's could be."""
        for name in (str(self.root), os.path.realpath(self.root), "."):
            for folder in (
                ".local/state/exitgate/trust",
                "state/exitgate/trust",
                ".bb3/trust",
                ".ralph/exitgate/trust",
            ):
                record = {"format": 1, "root": str(self.root), "digest": "0" * 32, "at": 0, "covered": {}}
                self.write(f"{folder}/{hex_digest(name.encode())}.json", json.dumps(record))


@pytest.fixture
def clone(loop: Loop, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Clone:
    for name in (*trust.AGENTS, trust.VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(loop.root.parent / "state"))
    monkeypatch.setenv("CANARY", str(loop.root.parent / "canary"))
    return Clone(loop.root, capsys)


@pytest.mark.parametrize("tracked", [True, False])
def test_no_command_of_ours_runs_one_of_theirs(tracked: bool, clone: Clone) -> None:
    if not tracked:
        subprocess.run(
            ["git", "rm", "-rq", "--cached", ".ralph"], cwd=clone.root, check=True, timeout=PATIENCE
        )
        subprocess.run(["rm", "-r", ".ralph"], cwd=clone.root, check=True, timeout=PATIENCE)
    outcomes = set()
    for line in COMMANDS:
        ran = clone.run(*line.split())
        assert not clone.canary.exists(), line
        if line.startswith("check") and ran.code not in (0, 1):
            outcomes.add(ran.code)
        assert not ran.out.startswith("EXIT complete"), line
    assert 10 not in outcomes  # nothing completes
    assert not (clone.root.parent / "state" / "exitgate" / "trust").exists()


def test_the_reason_is_shown_and_the_second_time_it_ends_for_review(clone: Clone) -> None:
    subprocess.run(["git", "rm", "-rq", "--cached", ".ralph"], cwd=clone.root, check=True, timeout=PATIENCE)
    subprocess.run(["rm", "-r", ".ralph"], cwd=clone.root, check=True, timeout=PATIENCE)
    first = clone.run("check", "r.md", "plan.md")
    assert "no person allowed the commands of this project" in first.out
    clone.write("r.md", f"Once more.\n{DONE}")
    second = clone.run("check", "r.md", "plan.md")
    assert second.code == 11
    assert "cannot_be_verified" in second.out


def test_a_hook_runs_none_either(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        payload = io.TextIOWrapper(io.BytesIO(json.dumps({**STOP, "cwd": str(clone.root)}).encode()))
        monkeypatch.setattr(sys, "stdin", payload)
        clone.run("hook", "claude-code")
    assert not clone.canary.exists()


def test_a_preset_and_a_policy_define_none(clone: Clone) -> None:
    clone.write("preset.yaml", f'exit_decision: {{probes: {{more: {{shell: "touch {clone.canary}"}}}}}}\n')
    clone.write(".bb3/config.yaml", "exit_decision: {policy: ../theirs.yaml, preset: ../preset.yaml}\n")
    said = clone.run("check", "r.md")
    assert "EP509" in said.err
    clone.write("theirs.yaml", POLICY + f'probes:\n  more: {{shell: "touch {clone.canary}"}}\n')
    clone.write(".bb3/config.yaml", "exit_decision: {policy: ../theirs.yaml}\n")
    assert clone.run("check", "r.md").code == 65
    assert not clone.canary.exists()


@each(
    "definition",
    [
        "reads: {junit: ../outside}",
        "reads: {junit: /etc/passwd}",
        "reads: {junit: a/../../b}",
        "reads: {junit: ~/x}",
        "reads: {junit: -x}",
        "reads: {junit: ''}",
        "reads: {exe: a}",
        "writes: [../..]",
        "writes: [/]",
        "writes: [~]",
        "environment: ['A=B']",
        "environment: ['']",
        "environment: [LD_PRELOAD, '*']",
        "timeout: 0s",
        "timeout: -1",
        "timeout: 1e9",
        "cwd: /",
        "shell: echo",
        "stdin: x",
    ],
)
def test_what_reaches_outside_is_no_definition(
    definition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / "theirs.yaml").write_text(POLICY)
    probe = f"{{always: {{command: ['true'], {definition}}}}}"
    text = f"exit_decision: {{policy: ../theirs.yaml, probes: {probe}}}\n"
    (tmp_path / ".bb3" / "config.yaml").write_text(text)
    with pytest.raises(ExitgateError):
        policy_of(Request(root=str(tmp_path)))


def a_link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def a_broken_link(path: Path) -> None:
    path.symlink_to(path.parents[2] / "made-through-a-link")


@each("plant", [a_link, a_broken_link, os.mkfifo, Path.mkdir], ids=lambda one: one.__name__)
def test_a_planted_lock_hangs_nothing_and_is_not_written_through(
    plant: Callable[[Path], None], tmp_path: Path
) -> None:
    state = tmp_path / "a" / "state"
    state.mkdir(parents=True)
    plant(state / NAME)
    with pytest.raises(OSError):
        Turn(str(state), 0)
    assert not (tmp_path / "made-through-a-link").exists()


def test_a_judge_is_shown_no_file_that_a_link_of_the_tree_leads_to(tmp_path: Path) -> None:
    """A link in the working tree is not followed where the changes are put together for a judge."""
    (tmp_path / "secret").write_text("the words of a private file\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "notes").symlink_to("../secret")
    (tree / "sub").symlink_to("..")
    os.mkfifo(tree / "pipe")
    (tree / "plain").write_text("seen\n")
    (tree / "wide").write_text("x" * 3_000_000)
    dirty = dict.fromkeys(("notes", "pipe", "plain", "wide", "gone", "sub/secret"), "d")
    shown = diff(Tree("d", str(tree), dirty), None)
    assert shown is not None
    assert "+seen" in shown
    assert "private" not in shown
    assert len(shown) < 10_000


def test_changes_made_to_be_slow_to_compare_are_left_out_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("".join(f"{line}\n" for line in range(100)))
    dirty = {f"{number}.txt": "d" for number in range(3)}
    monkeypatch.setattr(evidence, "TIME_LIMIT", -1)
    shown = diff(Tree("d", str(tmp_path), dirty), None)
    assert shown == "--- 0.txt: not shown\n--- 1.txt: not shown\n--- 2.txt: not shown"
