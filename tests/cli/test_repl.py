"""`exitgate repl`: piped line by line, typed in a terminal, and never with a trace left behind."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path

import pytest
from cli_program import run
from patience import PATIENCE

from exitgate.cli.commands.repl import completer
from exitgate.surfaces.repl.session import Session

SAID = """\
tasks.done = 2x4
tasks.total = 4
# a comment
tasks.done unchanged for 3 iterations
tasks.don > 1
stagnation
:quit
errors.count > 1
"""


def test_piped(tmp_path: Path) -> None:
    ran = run("repl", "bb3", cwd=tmp_path, stdin=SAID)
    assert ran.code == 65
    assert ran.out == (
        "true\n  true    tasks.done (2) unchanged for 3 iterations\nrests on\n  tasks.done  2x4\n"
        "stagnation  EXIT stuck, after_iteration\ntrue\n"
        "  true    tasks.done (2) unchanged for $stagnation_loops (3) iterations\n"
        "rests on\n  tasks.done  2x4\n"
    )
    assert ran.err == (
        "error[EP401]: there is no fact `tasks.don`\n --> <repl>:5:1\n  │\n5 │ tasks.don > 1\n  │ ^^^^^^^^^\n"
        " help: did you mean `tasks.done`?\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_without_a_problem_the_code_is_0(tmp_path: Path) -> None:
    ran = run("repl", "bb3", "--set", "max_errors=2", cwd=tmp_path, stdin="$max_errors\r\n")
    assert ran == (0, "2\n  $max_errors (2)\n", "")
    assert run("repl", "bb3", cwd=tmp_path).code == 0


def test_a_policy_that_does_not_exist(tmp_path: Path) -> None:
    ran = run("repl", "nosuch", cwd=tmp_path, stdin="true\n")
    assert (ran.code, ran.out) == (66, "")


def test_completion() -> None:
    propose = completer(Session("bb3", {}))
    assert [propose("tasks.d", number) for number in (0, 1)] == ["tasks.done", None]
    assert propose("$max_er", 0) == "$max_errors"
    assert propose(":ru", 0) == ":rules"


def read_until(file: int, end: bytes) -> bytes:
    """Return what a terminal shows up to and with `end`."""
    seen = b""
    while end not in seen:
        assert select.select([file], [], [], PATIENCE)[0], seen
        seen += os.read(file, 4096)
    return seen


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pty")
def test_typed_in_a_terminal(tmp_path: Path) -> None:
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "exitgate", "repl", "bb3", "--color", "never"],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, close_fds=True,
        env={**os.environ, "TERM": "dumb", "HOME": str(tmp_path)},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    for typed in (b"tasks.done = 3\n", b"tasks.do\t * 2\n", b"tasks.don\n", b"\x04"):
        seen += read_until(ours, b"exitgate> ")
        os.write(ours, typed)
    assert process.wait(PATIENCE) == 0, seen
    assert b"exitgate> " in seen
    assert b"6\r\n  tasks.done (3) * 2" in seen, seen
    assert b"error[EP401]: there is no fact `tasks.don`" in seen
    assert [one.name for one in tmp_path.iterdir() if one.name != ".cache"] == []
