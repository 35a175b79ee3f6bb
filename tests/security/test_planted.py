"""
What is planted in the place of a file or folder that others can write: links, pipes, sockets, devices, holes.

Every command ends by itself, without a fault of its own, shows nothing of what lies outside the project, and
writes nothing there.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from cases import each, some
from loops import Loop

SECRET = "hunter2"
STATE = ".ralph/exitgate"
#: Seconds of the clock after which a command hangs; the slowest needs a fraction of one.
HANGS = 100
TERABYTE = 1 << 40

FILES = (
    f"{STATE}/ledger.jsonl", f"{STATE}/ledger.lock", f"{STATE}/incidents.jsonl", f"{STATE}/incidents.jsonl.1",
    f"{STATE}/views/*", f"{STATE}/policies/*", f"{STATE}/earlier/*", f"{STATE}/runs/loop.1.jsonl",
    f"{STATE}/loops/loop.lock", f"{STATE}/hooks/s.json", f"{STATE}/hooks/s.call",
    f"{STATE}/.gitignore", ".ralph/last-response.md", "fix_plan.md", ".ralph/PROMPT.md",
    ".bb3/config.yaml", "preset.yaml", "policy.yaml", "tests.yaml", "words.yaml", "base.yaml",
    "session.jsonl", ".ralph/exit-state.json", ".ralph/logs",
)  # fmt: skip
FOLDERS = (
    ".ralph", STATE, f"{STATE}/views", f"{STATE}/policies", f"{STATE}/earlier", f"{STATE}/runs",
    f"{STATE}/loops", f"{STATE}/hooks", ".bb3",
)  # fmt: skip
KINDS = ("link out", "link to a device", "link to nowhere", "link to itself", "pipe", "socket", "directory",
         "hole")  # fmt: skip
GRID = [(place, kind) for place, kind in itertools.product((*FILES, *FOLDERS), KINDS)]

HOOK = '{"session_id": "s", "cwd": "%s", "hook_event_name": "Stop", "transcript_path": "%s"}'
WORDS = "lexicon: words\nformat: 1\ntitle: W\nentries: [{id: a, phrase: all done, examples: [all done]}]\n"
POLICY = (
    "extends: ./base.yaml\nlexicons: {}\nfacts: {claims: {extract: phrases, lexicon: ./words.yaml}}\n"
    "views: {exit_state: {}}\n"
)
TESTS = (
    "format: 1\npolicy: ./policy.yaml\n"
    "tests: [{name: a, sources: {response: x}, expect: {verdict: CONTINUE}}]\n"
)
SETTINGS = "exit_decision: {preset: ../preset.yaml, policy: ../policy.yaml}\n"
COMMANDS = (
    ("check",),
    ("check", "--policy", "bb3", "--state-dir", STATE),
    ("check", "--policy", "./policy.yaml"),
    ("explain",),
    ("history",),
    ("state",),
    ("ledger", "verify"),
    ("replay",),
    ("doctor",),
    ("config",),
    ("hook", "claude-code"),
    ("circuit", "status"),
    ("transcripts", "."),
    ("dry-run", ".", "--policy", "bb3"),
    ("validate", "."),
    ("test", "."),
    ("report", "."),
    ("run", "--max-iterations", "1", "--", "true"),
    ("reset",),
)


class Hung(BaseException):
    """A command did not end."""


@contextmanager
def bounded(what: object) -> Iterator[None]:
    def hung(_number: int, _frame: FrameType | None) -> None:
        raise Hung(what)

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(HANGS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def laid_out(loop: Loop) -> None:
    """Write a project with every file that is looked at, and let each be used once."""
    loop.write(".ralph/last-response.md", "all done\n")
    loop.write("fix_plan.md", "- [ ] one\n")
    loop.write(".ralph/PROMPT.md", "Go on.\n")
    loop.write("words.yaml", WORDS)
    loop.write("base.yaml", "policy: base\nformat: 1\nversion: 1.0.0\nrules: []\n")
    loop.policy(POLICY)
    loop.write("tests.yaml", TESTS)
    loop.write("preset.yaml", "exit_decision: {}\n")
    loop.write(".bb3/config.yaml", SETTINGS)
    loop.write("session.jsonl", '{"type": "result", "result": "done", "is_error": false}\n')
    assert loop.run("check").code in (0, 10, 11, 12, 13)


def planted(root: Path, outside: Path, place: str, kind: str) -> None:
    """Put something of a kind in a place; `*` stands for the name of the file that is there."""
    path = root / place
    if path.name == "*":
        there = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
        path = there[0] if there else path.with_name("x.json")
    head = path.read_bytes() if path.is_file() else b""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link out":
        path.symlink_to(outside if place in FOLDERS else outside / "secret.txt")
    elif kind == "link to a device":
        path.symlink_to("/dev/zero")
    elif kind == "link to nowhere":
        path.symlink_to(outside / "made")
    elif kind == "link to itself":
        path.symlink_to(path.name)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        at = os.getcwd()
        os.chdir(path.parent)  # the name of a socket is short
        try:
            with socket.socket(socket.AF_UNIX) as end:
                end.bind(path.name)
        finally:
            os.chdir(at)
    elif kind == "directory":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.write(head)  # it begins as it should
            file.truncate(TERABYTE)


def held(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def template(loop: Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EXITGATE_LOOP", "1")
    laid_out(loop)
    (tmp_path / "template").mkdir()
    shutil.copytree(loop.root, tmp_path / "template", dirs_exist_ok=True)
    return tmp_path / "template"


@contextmanager
def told(loop: Loop) -> Iterator[None]:
    """Have standard input hold what a host tells a hook."""
    payload = loop.root.parent / "payload.json"
    payload.write_text(HOOK % (loop.root, loop.root / "session.jsonl"))
    kept = os.dup(0)
    with payload.open("rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)


@each(("place", "kind"), some(GRID, 8))
def test_nothing_planted_hangs_leaks_or_is_written_through(
    loop: Loop, template: Path, tmp_path: Path, place: str, kind: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(f"PASSWORD={SECRET}\n")
    before = held(outside)
    os.chdir(outside)
    shutil.rmtree(loop.root)
    shutil.copytree(template, loop.root)
    planted(loop.root, outside, place, kind)
    for words in COMMANDS:
        with bounded((place, kind, words)), told(loop):
            ran = loop.run(*words)
        assert ran.code != 70, (words, ran.all)
        assert "internal error" not in ran.all, (words, ran.all)
        assert SECRET not in ran.all, (words, ran.all)
        assert ran.all.strip(), words
    assert held(outside) == before


def test_every_command_works_where_nothing_is_planted(loop: Loop, template: Path) -> None:
    for words in COMMANDS:
        with told(loop):
            ran = loop.run(*words)
        assert ran.code == (14 if words[0] == "run" else 0), (words, ran.all)
