"""Running the program on a terminal of its own: a pseudo-terminal for all three streams."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from pathlib import Path

from cli_program import LOUD, Ran
from compiled import COMPILED
from patience import PATIENCE


def run_on_terminal(*words: str, cwd: Path, typed: str = "", **environment: str) -> Ran:
    """Run `exitgate WORDS`, type `typed` when it asks, and return its code and all it showed as `out`."""
    ours, theirs = pty.openpty()
    given = {k: v for k, v in os.environ.items() if k not in LOUD}
    given |= {"TERM": "xterm", "EXITGATE_CACHE_DIR": COMPILED} | environment
    child = subprocess.Popen(
        [sys.executable, "-m", "exitgate", *words],
        cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=given, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    if typed:
        os.write(ours, typed.encode())
    shown = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 0.2)
        try:
            piece = os.read(ours, 65536) if ready else b""
        except OSError:
            break  # Linux says so when the other end was closed
        shown += piece
        if not piece and child.poll() is not None:
            break
    os.close(ours)
    return Ran(child.wait(timeout=PATIENCE), shown.decode().replace("\r\n", "\n"), "")
