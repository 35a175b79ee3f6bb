"""A whole check in a hostile repository starts no program of it, and the environment does not steer git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from loops import Loop

from exitgate.core.observe.git_command import environment

WATCHING = (
    "rules: [{id: moved, when: git.changed or git.files_changed > 0, continue: true}]\notherwise: continue\n"
)
TRAPS = {
    "fsmonitor": ["config core.fsmonitor '{trap}'"],
    "hooks path": ["config core.hooksPath hooks"],
    "filter": ["config filter.bad.clean '{trap}'", "config filter.bad.smudge '{trap}'"],
    "required process": ["config filter.bad.process '{trap}'", "config filter.bad.required true"],
    "text conversion": ["config diff.bad.textconv '{trap}'", "config diff.bad.command '{trap}'"],
    "external diff": ["config diff.external '{trap}'"],
    "pager": ["config core.pager '{trap}'", "config pager.status '{trap}'", "config pager.diff '{trap}'"],
    "alias": ["config alias.status '!{trap}'", "config alias.rev-parse '!{trap}'"],
    "ssh": ["config core.sshCommand '{trap}'", "config remote.origin.url ssh://x/y"],
    "editor": ["config core.editor '{trap}'", "config core.askPass '{trap}'"],
    "credential": ["config credential.helper '!{trap}'"],
    "included": ["config include.path more.config"],
    "included if": ["config includeIf.gitdir:/**.path more.config"],
    "worktree": ["config extensions.worktreeConfig true", "config --worktree core.fsmonitor '{trap}'"],
    "signature": ["config gpg.program '{trap}'", "config log.showSignature true"],
    "partial clone": ["config extensions.partialClone origin", "config remote.origin.promisor true",
                      "config remote.origin.uploadpack '{trap}'"],
}  # fmt: skip
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
}  # fmt: skip


def git(folder: Path, words: str) -> None:
    command = f"git {words}"
    subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, **QUIET}, check=True, capture_output=True
    )


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS.keys())
def test_no_program_of_the_repository_runs(loop: Loop, trap: list[str], tmp_path: Path) -> None:
    mark, program = tmp_path / "mark", tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    git(loop.root, "init -q -b main")
    for name in ("post-index-change", "fsmonitor-watchman", "pre-commit", "reference-transaction"):
        loop.write(f"hooks/{name}", f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
        loop.write(f".git/hooks/{name}", f"#!/bin/sh\ntouch {mark}\n").chmod(0o755)
    loop.write(".git/more.config", f'[filter "bad"]\n clean = {program}\n[core]\n fsmonitor = {program}\n')
    loop.write("one", "1\n")
    loop.write("two", "2\n")
    git(loop.root, "-c core.hooksPath=/dev/null add -A")
    git(loop.root, "-c core.hooksPath=/dev/null commit -qm one")
    loop.write(".gitattributes", "* filter=bad diff=bad\n")
    loop.policy(WATCHING)
    loop.write(".ralph/last-response.md", "x")
    for words in trap:
        git(loop.root, words.format(trap=program))
    for text in ("3\n", "4\n", "5\n"):  # same size, other content: git has to look inside
        loop.write("one", text)
        mark.unlink(missing_ok=True)
        ran = loop.run("check", "--policy", "./policy.yaml", "--format", "json")
        assert ran.code == 0, ran
        assert not mark.exists()


STEERING_WORDS = (
    "DIR WORK_TREE INDEX_FILE OBJECT_DIRECTORY CONFIG_PARAMETERS CONFIG_COUNT EXTERNAL_DIFF SSH_COMMAND "
    "PROXY_COMMAND ASKPASS EDITOR EXEC_PATH TRACE CEILING_DIRECTORIES ATTR_SOURCE NAMESPACE TEMPLATE_DIR"
)
STEERING = [f"GIT_{word}" for word in STEERING_WORDS.split()]


def test_the_environment_of_git_is_scrubbed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in STEERING:
        monkeypatch.setenv(name, "/nowhere")
    given = environment()
    assert not set(STEERING) & set(given)
    assert given["GIT_TERMINAL_PROMPT"] == "0"
    assert given["GIT_NO_LAZY_FETCH"] == "1"


def test_a_program_in_the_variables_of_git_does_not_run(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(loop.root, "init -q -b main")
    loop.write("one", "1\n")
    git(loop.root, "add -A")
    git(loop.root, "commit -qm one")
    loop.write("one", "2\n")
    loop.policy(WATCHING)
    loop.write("r.md", "x")
    program = tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    program.chmod(0o755)
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    monkeypatch.setenv("GIT_PAGER", str(program))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(program))
    monkeypatch.setenv("GIT_TRACE", f"{tmp_path}/trace")
    assert loop.run("check", "r.md", "--policy", "./policy.yaml").code == 0
    assert not (tmp_path / "mark").exists()
    assert not (tmp_path / "trace").exists()


def test_names_of_files_in_the_repository_reach_nothing(loop: Loop) -> None:
    git(loop.root, "init -q -b main")
    for name in ("a\x1b[31m", "b\nc", "-x", "--output=ran", ":(glob)**", "$(touch ran)", "\u202eü"):
        loop.write(name, "1\n")
    loop.policy(WATCHING)
    loop.write(".ralph/last-response.md", "x")
    for form in ("text", "json", "github"):
        ran = loop.run("check", "--policy", "./policy.yaml", "--format", form)
        assert ran.code == 0
        assert not {"\x1b", "\u202e"} & set(ran.all)
    assert not (loop.root / "ran").exists()


def test_a_git_in_the_repository_is_not_started(
    loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(loop.root, "init -q -b main")
    loop.policy(WATCHING)
    loop.write("r.md", "x")
    loop.write("git", f"#!/bin/sh\ntouch {tmp_path}/mark\n").chmod(0o755)
    for path in (f":{os.environ['PATH']}", f".:{os.environ['PATH']}", "", ":", "."):
        monkeypatch.setenv("PATH", path)
        assert loop.run("check", "r.md", "--policy", "./policy.yaml").code == 0
        loop.run("transcripts", ".")
        assert not (tmp_path / "mark").exists(), path
