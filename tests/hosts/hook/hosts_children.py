"""Hooks in processes of their own: forked, so that many cost little, and stopped where a test wants them."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from patience import PATIENCE

from exitgate.cli.main import main

LIMIT = PATIENCE


class Child:
    """One forked process that answers one payload."""

    def __init__(self, host: str, payload: Mapping[str, object], before: Callable[[Child], None]) -> None:
        self._out, self._err, self.reached = os.pipe(), os.pipe(), os.pipe()
        self._going = os.pipe()
        given = os.pipe()
        os.write(given[1], json.dumps(payload).encode())
        os.close(given[1])
        self.pid = os.fork()
        if self.pid == 0:  # pragma: no cover - the child
            code = 99
            try:
                os.dup2(given[0], 0)
                os.dup2(self._out[1], 1)
                os.dup2(self._err[1], 2)
                code = _answer(host, lambda: before(self))
            finally:
                os._exit(code)
        os.close(given[0])
        for pipe in (self._out, self._err, self.reached):
            os.close(pipe[1])

    def stand(self) -> None:
        """In the child: tell the test that the place is reached, and stand there."""
        os.write(self.reached[1], b"x")
        while True:
            signal.pause()

    def reached_once(self) -> None:
        """In the child: tell the test that the place is reached, and wait until it says to go on."""
        os.write(self.reached[1], b"x")
        os.read(self._going[0], 1)

    def go_on(self) -> None:
        os.write(self._going[1], b"x")

    def wait_until_reached(self) -> None:
        ready, _, _ = select.select([self.reached[0]], [], [], LIMIT)
        assert ready
        assert os.read(self.reached[0], 1) == b"x", self.end()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self) -> tuple[int, bytes, bytes]:
        """Return exit status, standard output and standard error of the ended child."""
        out, err = _all(self._out[0]), _all(self._err[0])
        _, status = os.waitpid(self.pid, 0)
        for descriptor in (self.reached[0], *self._going):
            os.close(descriptor)
        return os.waitstatus_to_exitcode(status), out, err

    def reply(self) -> dict[str, object]:
        """Return the one JSON object that was printed."""
        code, out, err = self.end()
        assert code == 0, err
        assert out.count(b"\n") == 1, (out, err)
        found = json.loads(out)
        assert isinstance(found, dict)
        return found


def _answer(host: str, before: Callable[[], None]) -> int:
    """In the child: answer as the program does, with streams of its own."""
    import sys

    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    before()
    return main(["hook", host])


def _all(descriptor: int) -> bytes:
    found = b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], LIMIT)
        assert ready, "the child says nothing and does not end"
        piece = os.read(descriptor, 1 << 16)
        if not piece:
            os.close(descriptor)
            return found
        found += piece


@contextmanager
def started(children: list[Child]) -> Iterator[list[Child]]:
    """Let no child outlive a test that fails."""
    try:
        yield children
    finally:
        for child in children:
            try:
                os.kill(child.pid, signal.SIGKILL)
                os.waitpid(child.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                continue
