"""Files that git is told to take for unchanged: their changes count, though `git status` is silent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from exitgate.core.observe.git import baseline_of, observe


def git(root: Path, *words: str) -> str:
    named = ("-c", "user.name=a", "-c", "user.email=a@b.invalid")
    return subprocess.run(
        ["git", *named, *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for name in ("a", "b"):
        (tmp_path / name).write_text("1\n", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    return tmp_path


@pytest.mark.parametrize("mark", ["assume-unchanged", "skip-worktree"])
@pytest.mark.parametrize("marked", ["before", "within"])
def test_a_hidden_change_is_a_change(tree: Path, mark: str, marked: str) -> None:
    """Whether the agent hides the file in this iteration or it was hidden before."""
    if marked == "before":
        git(tree, "update-index", f"--{mark}", "a")
    before = observe(str(tree)).record
    assert before is not None
    baseline = baseline_of(before)
    git(tree, "update-index", f"--{mark}", "a")
    record = observe(str(tree), baseline=baseline).record
    assert record is not None
    assert (record["changed"], record["listed"], record["content"]) == (False, [], before["content"])
    (tree / "a").write_text("2\n", encoding="utf-8")
    assert git(tree, "status", "--porcelain") == ""
    record = observe(str(tree), baseline=baseline).record
    assert record is not None
    assert (record["changed"], record["files_changed"], record["listed"]) == (True, 1, ["a"])
    assert (record["uncommitted"], record["untracked"]) == (0, 0), "as git counts them"
    assert record["content"] != before["content"]
    again = observe(str(tree), baseline=baseline_of(record)).record
    assert again is not None
    assert again["changed"] is False


def test_a_file_that_is_not_checked_out_did_not_change(tree: Path) -> None:
    git(tree, "update-index", "--skip-worktree", "a")
    (tree / "a").unlink()
    before = observe(str(tree)).record
    assert before is not None
    assert before["dirty"] == {}
    record = observe(str(tree), baseline=baseline_of(before)).record
    assert record is not None
    assert record["changed"] is False
