"""What a client runs for the resident process: the command lines that a check asks of git, and no others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.observe import git, git_command
from exitgate.core.observe.git_line import CONDITIONS, INDEX, LIST, is_question, line_of
from exitgate.core.system import child

ID, OTHER = "a" * 40, "0" * 64
PATH = "/usr/bin:/bin"
QUESTIONS = (
    ("rev-parse", "--show-toplevel", "--git-path", "index"),
    ("rev-parse", "HEAD"),
    LIST,
    (*INDEX, ID),
    (*CONDITIONS, ID, OTHER),
    ("rev-list", "--count", f"{ID}..{OTHER}"),
    ("ls-files", "-z", "--", "--output=x"),
    ("ls-tree", "-r", "-l", "-z", "--full-tree", ID, "--", "a", "-b"),
)
OTHERS = (
    (),
    ("config", "core.fsmonitor", "./evil"),
    ("config", "--type=bool", "core.fileMode", "false"),
    ("symbolic-ref", "HEAD", "refs/heads/other"),
    (*INDEX, "--output=/tmp/x"),
    (*INDEX, "--output=/tmp/x", ID),
    (*INDEX, ID[:-1] + "g"),
    (*CONDITIONS, ID),
    ("rev-list", "--count", f"{ID}...{OTHER}"),
    ("rev-list", "--count", "--output=x"),
    ("ls-files", "-z", "-o", "--", "x"),
    ("ls-files", "-z", "--"),
    ("cat-file", "--batch", "--textconv"),
    ("cat-file", "blob", f"{ID}:x"),
    ("push",),
    ("-c", "alias.x=!sh", "x"),
    ("!sh",),
)


def line(words: tuple[str, ...]) -> list[str]:
    return line_of("/usr/bin/git", ("-C", "/project", *words))


@each("words", QUESTIONS, ids=" ".join)
def test_what_a_check_asks_is_a_question(words: tuple[str, ...]) -> None:
    assert is_question(line(words), PATH)


@each("words", OTHERS, ids=" ".join)
def test_anything_else_is_none(words: tuple[str, ...]) -> None:
    assert not is_question(line(words), PATH)


@each("program", ["git", "./git", "/tmp/git", "/usr/bin/sh", "/usr/bin/../bin/git", "/usr/bin/git-shell", ""])
def test_the_program_is_git_of_the_path(program: str) -> None:
    assert not is_question(line_of(program, ("-C", "/project", "rev-parse", "HEAD")), PATH)


def test_a_relative_folder_of_the_path_has_no_git() -> None:
    assert not is_question(line_of("bin/git", ("-C", "/p", "rev-parse", "HEAD")), "bin")


@given(st.data())
def test_no_setting_can_be_left_out_or_added(data: st.DataObject) -> None:
    whole = line(("rev-parse", "HEAD"))
    at = data.draw(st.integers(0, len(whole) - 1))
    assert not is_question(whole[:at] + whole[at + 1 :], PATH)
    more = data.draw(st.sampled_from(["-c", "core.pager=sh", "--exec-path=/tmp", "--git-dir=/x", "--", "-p"]))
    assert not is_question([*whole[:at], more, *whole[at:]], PATH)
    assert not is_question([*whole, more], PATH)


def test_every_question_of_an_observation_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    spawn = child.Starter.spawn

    def noted(self: child.Starter, words: list[str], *rest: object) -> int:
        asked.append(list(words))
        return spawn(self, words, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(child.Starter, "spawn", noted)
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> None:
        person = ("-c", "user.name=a", "-c", "user.email=a@b")
        child.run(["git", *person, *words], {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})

    run("init", "-q")
    before = git.baseline_of(git.observe(".").record or {})  # type: ignore[arg-type]
    for turn in range(3):
        (tmp_path / "file").write_text(f"{turn}\n")
        run("add", "-A")
        run("commit", "-q", "-m", "turn")
        (tmp_path / "file").write_text("changed\n")
        seen = git.observe(".", baseline=before, dated=True)
        assert seen.record is not None
        before = before if turn else git.baseline_of(seen.record)
    git_command.digest_files(".", ["file"], float("inf"))
    assert len(asked) > 12
    path = os.environ["PATH"]
    assert [words for words in asked if not is_question(words, path)] == []
