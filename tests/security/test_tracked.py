"""A state directory that git tracks: no run begins on a history that came with a repository."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from loops import Loop

from exitgate.core.ledger.append import Ledger
from exitgate.core.observe import git_command
from exitgate.core.state import tracked
from exitgate.core.state.tracked import is_tracked
from exitgate.recordings.ledger.replay import replay

STATE = ".ralph/exitgate"
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@b")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *IDENTITY, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.setenv("EXITGATE_HEAD_DIR", str(tmp_path / "heads"))
    git(loop.root, "init", "-q")
    loop.policy(
        "rules:\n  - {id: spent, stage: before_iteration, when: run.cost > 5 USD, exit: exhausted,"
        " because: spent}\n"
    )
    return loop


def check(loop: Loop, *words: str, cost: str = "1") -> tuple[int, str]:
    loop.write("r.md", f"word {len(list(loop.root.rglob('*')))} {os.urandom(4).hex()}")
    ran = loop.run("check", "r.md", "--policy", "./policy.yaml", "--cost", cost, *words)
    return ran.code, ran.all


def add_state(loop: Loop) -> None:
    git(loop.root, "add", "-A", "-f", STATE)


def test_no_run_begins_where_git_tracks_it(repository: Loop) -> None:
    assert check(repository)[0] == 0
    repository.run("reset")
    add_state(repository)
    for words in ((), ("--no-record",)):
        code, said = check(repository, *words)
        assert (code, "EP819" in said, "git rm -r -f -q --cached" in said) == (73, True, True)
    assert repository.run("new-run", "--policy", "./policy.yaml").code == 73
    # all of a project must not be removed for it
    code, said = check(repository, "--state-dir", ".")
    assert (code, "EP819" in said, "git rm" in said, "holds nothing else" in said) == (73, True, False, True)
    # the way on
    git(repository.root, "rm", "-r", "-f", "-q", "--cached", "--", STATE)
    assert check(repository)[0] == 0
    assert repository.ledger


def test_a_history_that_a_clone_brings_is_refused(
    repository: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(repository)[0] == 0
    add_state(repository)
    git(repository.root, "add", "-A")
    git(repository.root, "commit", "-qm", "x")
    git(tmp_path, "clone", "-q", "project", "victim")
    victim = Loop(tmp_path / "victim", repository._capsys)
    for heads in (str(tmp_path / "other"), ""):  # another user; one without heads
        monkeypatch.setenv("EXITGATE_HEAD_DIR", heads)
        assert check(victim)[0] == 73


def test_one_that_comes_to_be_tracked_ends_the_run_for_review(repository: Loop) -> None:
    assert check(repository)[0] == 0
    add_state(repository)
    code, said = check(repository)
    assert code == 11
    assert "Git tracks the state directory" in said
    assert "git rm -r -f -q --cached" in said
    line = json.loads(repository.ledger.splitlines()[-1])
    assert (line["decision"]["class"], line["decision"]["outcome"]) == ("review", "state_tracked")
    assert all(one.same for one in replay(STATE))
    ran = repository.run("explain")
    assert (ran.code, "review" in ran.out) == (0, True)
    assert check(repository)[0] == 73
    git(repository.root, "rm", "-r", "-f", "-q", "--cached", "--", STATE)
    assert check(repository)[0] == 0


def test_an_exit_of_the_policy_stays(repository: Loop) -> None:
    assert check(repository)[0] == 0
    add_state(repository)
    assert check(repository, cost="9")[0] == 14


def test_its_own_gitignore_may_be_in_git(repository: Loop) -> None:
    assert check(repository)[0] == 0
    git(repository.root, "add", "-f", f"{STATE}/.gitignore")
    assert check(repository)[0] == 0
    assert not is_tracked(STATE)


def in_a_folder(root: Path) -> None:
    git(root, "init", "-q")


def version_4(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "config", "index.version", "4")


def split(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "config", "core.splitIndex", "true")


def of_sha256(root: Path) -> None:
    git(root, "init", "-q", "--object-format=sha256")


def worktree(root: Path) -> None:
    main = root.parent / f"main{os.urandom(4).hex()}"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-qm", "x", "--allow-empty")
    root.rmdir()
    git(main, "worktree", "add", "-q", str(root))


@each("make", [in_a_folder, version_4, split, of_sha256, worktree])
def test_it_is_found_in_every_kind_of_index(make: Callable[[Path], None], tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    make(root)
    state = root / "sub" / STATE
    state.mkdir(parents=True)
    (root / STATE).mkdir(parents=True)
    (root / STATE / "x").write_text("x")
    (root / "sub" / ".ralph/exitgate2").write_text("x")
    (root / "a").write_text("x")
    assert not is_tracked(str(state))
    git(root, "add", "-A")
    assert not is_tracked(str(state))
    assert is_tracked(str(root / STATE))
    (state / ("long" * 50)).write_text("x")
    git(root, "add", "-N", "-A")
    assert is_tracked(str(state))
    for file in state.iterdir():
        file.unlink()
    assert is_tracked(str(state))  # whatever is there now
    git(root, "rm", "-r", "-q", "--cached", "sub")
    assert not is_tracked(str(state))


def test_a_sparse_index_is_asked_about(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in (f"{STATE}/x", "a/y"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("x")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    git(tmp_path, "sparse-checkout", "set", "--sparse-index", "a")
    assert b".ralph/exitgate" not in (tmp_path / ".git/index").read_bytes()
    assert is_tracked(str(tmp_path / STATE))


def test_git_is_not_started_where_nothing_is_tracked(
    repository: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object) -> bytes:
        raise AssertionError("git was started")

    git(repository.root, "add", "-A")
    monkeypatch.setattr(git_command, "ask", started)
    assert check(repository)[0] == 0
    assert check(repository)[0] == 0
    monkeypatch.setattr(tracked, "repository_of", lambda path: None)
    with Ledger(STATE):
        assert not is_tracked(STATE)


def test_without_git_what_the_index_says_counts(repository: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(repository)[0] == 0
    add_state(repository)
    monkeypatch.setenv("PATH", "/nowhere")
    assert is_tracked(STATE)


@each("raw", [b"", b"DIRC", b"DIRC\0\0\0\2", b"\xff" * 100, b"DIRC\0\0\0\2" + b".ralph/exitgate/x" * 9])
def test_an_index_that_is_damaged_stops_nothing(raw: bytes, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git/index").write_bytes(raw)
    assert not is_tracked(str(tmp_path / STATE))
