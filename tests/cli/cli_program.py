"""Running the program as a user does: in this process where that shows the same, else in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import NamedTuple

from compiled import COMPILED
from patience import PATIENCE

#: Variables that colour, width or debugging would read; taken out so that tests decide.
LOUD = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM", "EXITGATE_DEBUG", "EXITGATE_RUN")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(*words: str, cwd: Path | None = None, stdin: str | bytes = "", **environment: str) -> Ran:
    """Run `exitgate WORDS` in this process and return its exit code and what it wrote."""
    from exitgate.cli.main import main

    assert current_thread() is main_thread(), "the environment is that of all threads"
    given = _given(environment)
    payload = stdin.encode() if isinstance(stdin, str) else stdin
    streams = sys.stdin, sys.stdout, sys.stderr
    before, place = dict(os.environ), os.getcwd()
    sys.stdin, out, err = _stream(payload), _stream(), _stream()
    sys.stdout, sys.stderr = out, err
    os.environ.clear()
    os.environ.update(given)
    os.chdir(cwd or place)
    try:
        with _standard_input(payload):
            code = main(list(words))
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        os.environ.clear()
        os.environ.update(before)
        os.chdir(place)
    return Ran(code, _text(out), _text(err))


def _given(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables of a run: compiled policies are shared, where it has no cache of its own."""
    own = "XDG_CACHE_HOME" in environment or "EXITGATE_CACHE_DIR" in os.environ
    shared = {} if own else {"EXITGATE_CACHE_DIR": COMPILED}
    return {k: v for k, v in os.environ.items() if k not in LOUD} | shared | environment


@contextmanager
def _standard_input(payload: bytes) -> Iterator[None]:
    """Have what is to be read where `-` is read, too: that goes past `sys.stdin`."""
    if not payload:
        yield
        return
    with tempfile.TemporaryFile() as file:
        file.write(payload)
        file.seek(0)
        kept = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(kept, 0)
            os.close(kept)


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=None if content else "\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


def run_apart(*words: str, cwd: Path | None = None, stdin: str | bytes = "", **environment: str) -> Ran:
    """Run `exitgate WORDS` in a process of its own."""
    assert current_thread() is main_thread(), "the environment is that of all threads"
    given = _given(environment)
    payload = stdin.encode() if isinstance(stdin, str) else stdin
    ran = subprocess.run(
        [sys.executable, "-m", "exitgate", *words],
        cwd=cwd, input=payload, capture_output=True, env=given, check=False, timeout=PATIENCE,
    )  # fmt: skip
    return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
