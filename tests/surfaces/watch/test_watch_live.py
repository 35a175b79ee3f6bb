"""The live view on a terminal of its own, while another process decides."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Self

import pytest
from cli_program import LOUD
from patience import PATIENCE, wait_for
from watched_loops import Loop


class Screen:
    """`exitgate watch` on a pseudo-terminal."""

    def __init__(self, folder: Path, *words: str, columns: int = 80, **environment: str) -> None:
        self.ours, self.theirs = pty.openpty()
        self.size(columns, 30)
        given = {k: v for k, v in os.environ.items() if k not in LOUD} | {"TERM": "xterm"} | environment
        self.before = termios.tcgetattr(self.theirs)
        self.child = subprocess.Popen(
            [sys.executable, "-m", "exitgate", "watch", "--interval", "0.05", *words],
            cwd=folder, stdin=self.theirs, stdout=self.theirs, stderr=self.theirs, env=given,
            start_new_session=True,
        )  # fmt: skip
        self.shown = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, text: str) -> str:
        """Read until `text` was shown since the last call, and return all that was."""

        def seen() -> bool:
            self._read(0.1)
            return text.encode() in self.shown

        if text.encode() not in self.shown:
            wait_for(seen, text)
        at = self.shown.index(text.encode()) + len(text.encode())
        found, self.shown = self.shown[:at], self.shown[at:]
        return found.decode()

    def press(self, keys: bytes) -> None:
        os.write(self.ours, keys)

    def end(self) -> tuple[int, str]:
        """Read on until the program has ended; return its code and all that it showed."""
        wait_for(lambda: (self._read(0.1), self.child.poll())[1] is not None, "its end")
        while self._read(0):
            pass
        return self.child.returncode, self.shown.decode()

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.ours], [], [], seconds)
        piece = os.read(self.ours, 65536) if ready else b""
        self.shown += piece
        return bool(piece)


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    loop = Loop(tmp_path, "bb3")
    loop.time = time.time() - 90
    loop.step("Wrote one.", 1)
    return loop


ON, OFF, SHOW = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"


def test_it_is_drawn_when_the_ledger_grows_and_left_by_a_key(loop: Loop) -> None:
    with Screen(loop.folder) as screen:
        assert ON in screen.until("iteration 1")
        decided = subprocess.run(
            [sys.executable, "-m", "exitgate", "check", "-", "--policy", "bb3"],
            cwd=loop.folder, input=b"Wrote two.", capture_output=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert decided.returncode == 0, decided.stderr
        screen.until("iteration 2")
        screen.size(40, 30)
        os.kill(screen.child.pid, signal.SIGWINCH)
        screen.until("\x1b[1;34mused\x1b[0m" + " " * 36)  # the label stands alone on a line of 40 columns
        screen.press(b"q")
        code, shown = screen.end()
        assert code == 0
        assert OFF in shown
        assert SHOW in shown
        assert "iteration 2" in shown[shown.index(OFF) :], "the last view stays"
        assert termios.tcgetattr(screen.theirs) == screen.before


def test_it_ends_with_the_run(loop: Loop) -> None:
    with Screen(loop.folder, "--notify", "false", NO_COLOR="1") as screen:
        screen.until("iteration 1")
        loop.step("All is done.", 6)
        code, shown = screen.end()
        assert code == 10
        left = shown[shown.index(OFF) + len(OFF) :]
        assert "EXIT complete · all_tasks_done" in left
        assert "\x1b[1" not in left, "NO_COLOR counts"
        assert "failed with 1" in " ".join(left.split()), "what became of the command is in the last view"


def test_a_command_that_hangs_is_waited_for_until_ctrl_c(loop: Loop) -> None:
    with Screen(loop.folder, "--notify", "sleep 600", NO_COLOR="1") as screen:
        screen.until("iteration 1")
        loop.step("All is done.", 6)
        screen.until("Ctrl-C ends it")
        screen.child.send_signal(signal.SIGINT)
        code, shown = screen.end()
        assert code == 10, "the run has ended, whatever becomes of the command"
        left = " ".join(shown[shown.index(OFF) :].split())
        assert "was ended because the wait for it was interrupted" in left


@pytest.mark.parametrize("twice", [False, True])
def test_a_signal_lets_a_command_end_and_a_second_one_does_not(twice: bool, loop: Loop) -> None:
    telling = "sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo done > told'"
    with Screen(loop.folder, "--follow", "--notify", telling) as screen:
        screen.until("iteration 1")
        loop.step("All is done.", 6)
        screen.until("EXIT complete")
        screen.child.send_signal(signal.SIGTERM)
        screen.until("Ctrl-C ends it")
        if twice:
            screen.child.send_signal(signal.SIGTERM)
        else:
            (loop.folder / "go").touch()
        assert screen.end()[0] == 143
    assert (loop.folder / "told").exists() != twice


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)])
def test_a_signal_leaves_the_terminal_as_it_was(number: signal.Signals, code: int, loop: Loop) -> None:
    with Screen(loop.folder, "--follow") as screen:
        screen.until("iteration 1")
        screen.child.send_signal(number)
        ended, shown = screen.end()
        assert ended == code
        assert OFF in shown
        assert ("iteration 1" in shown[shown.index(OFF) :]) == (code == 0), "Ctrl-C leaves the last view"
        assert SHOW in shown
        assert termios.tcgetattr(screen.theirs) == screen.before


def test_while_it_is_stopped_the_terminal_is_as_it_was(loop: Loop) -> None:
    """Nobody could let this process group go on, so the system does not stop it: it comes back at once."""
    with Screen(loop.folder) as screen:
        screen.until("iteration 1")
        screen.child.send_signal(signal.SIGTSTP)
        screen.until(OFF)
        screen.until(ON)
        screen.until("iteration 1")
        screen.press(b"q")
        assert screen.end()[0] == 0
        assert termios.tcgetattr(screen.theirs) == screen.before


FRONT = """
import os, sys, termios, fcntl
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.tcsetpgrp(0, os.getpgrp())
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.execv(sys.executable, [sys.executable, "-m", "exitgate", "watch", "--interval", "0.05"])
_, status = os.waitpid(child, os.WUNTRACED)
print("stopped" if os.WIFSTOPPED(status) else f"ended {os.waitstatus_to_exitcode(status)}")
if os.WIFSTOPPED(status):
    os.kill(child, 9)
"""


def test_behind_another_program_it_is_not_stopped_by_the_terminal(loop: Loop) -> None:
    """As `timeout 60 exitgate watch` starts it: in a process group that the terminal does not listen to."""
    loop.step("All is done.", 6)
    ours, theirs = pty.openpty()
    try:
        given = {k: v for k, v in os.environ.items() if k not in LOUD} | {"TERM": "xterm"}
        with subprocess.Popen(
            [sys.executable, "-c", FRONT],
            cwd=loop.folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=given,
        ) as front:
            os.close(theirs)
            theirs = -1
            shown = b""
            try:
                while piece := os.read(ours, 65536):
                    shown += piece
            except OSError:
                pass  # everybody has gone from the terminal
            assert front.wait(PATIENCE) == 0
        assert b"ended 10" in shown
    finally:
        os.close(ours)
        if theirs >= 0:
            os.close(theirs)
