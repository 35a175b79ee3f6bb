"""Running the program as a user does: a process of its own, with its streams and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from patience import PATIENCE

#: Variables that colour, width or debugging would read; taken out so that tests decide.
LOUD = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "EXITGATE_DEBUG", "EXITGATE_RUN")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(*words: str, cwd: Path | None = None, stdin: str | bytes = "", **environment: str) -> Ran:
    """Run `exitgate WORDS` and return its exit code and what it wrote."""
    given = {k: v for k, v in os.environ.items() if k not in LOUD} | environment
    payload = stdin.encode() if isinstance(stdin, str) else stdin
    ran = subprocess.run(
        [sys.executable, "-m", "exitgate", *words],
        cwd=cwd, input=payload, capture_output=True, env=given, check=False, timeout=PATIENCE,
    )  # fmt: skip
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
