"""
Functions called in processes of their own, several at a time.

`multiprocessing` starts `python -c` in the working folder, so that a `./multiprocessing.py` there would run.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar, cast

from exitgate.core.system.child import PIPE, start
from exitgate.core.system.python import command, environment
from exitgate.core.system.worker import SIZE

R = TypeVar("R")


class DiedError(Exception):
    """The process died over what it was asked; nothing that others were asked is lost with it."""


class Pool:
    """
    Processes that are started as they are needed and do what they are asked, one thing at a time each.

    Functions, what they take and what they return are pickled. The processes end with this one, however it
    ends, and do not notice Ctrl-C: this one ends them.

    Args:
        jobs: How many processes at most.
        begin: Called in each process first.
        words: What `begin` is given.
    """

    def __init__(self, jobs: int, begin: Callable[..., object], *words: object) -> None:
        self._first = pickle.dumps((begin, words))
        self._threads = ThreadPoolExecutor(jobs, "exitgate-process")
        self._lock = Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()
        self._closed = False

    def submit(self, function: Callable[..., R], *words: object) -> Future[R]:
        """
        Return what a function will return, called in the next process that has nothing to do.

        Its result raises what the function raises, and `DiedError`.
        """
        return self._threads.submit(self._call, function, words)

    def close(self, at_once: bool = False) -> None:
        """Wait for what was asked and end the processes; `at_once` ends them over their work."""
        if at_once:
            with self._lock:
                self._closed = True
                for one in self._all:
                    one.kill()
        self._threads.shutdown(wait=True, cancel_futures=True)
        for one in self._all:
            one.end()
        self._all.clear()

    def _call(self, function: Callable[..., R], words: tuple[object, ...]) -> R:
        process = self._taken()
        try:
            answer = process.ask(pickle.dumps((function, words)))
        except DiedError:
            with self._lock:
                self._all.discard(process)
            process.end()
            raise
        except BaseException:
            self._idle.append(process)
            raise
        self._idle.append(process)
        return cast("R", answer)

    def _taken(self) -> _Process:
        """Return a process with nothing to do: as many threads ask as there may be processes."""
        try:
            return self._idle.pop()
        except IndexError:
            process = _Process()
        with self._lock:
            self._all.add(process)
            if self._closed:
                process.kill()
        process.ask(self._first)
        return process


class _Process:
    def __init__(self) -> None:
        words = command("exitgate.core.system.worker", "serve")
        self._child = start(words, environment(), stdin=PIPE, stdout=PIPE, session=False)
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._to = self._child.stdin
        self._from = open(self._child.stdout.fileno(), "rb", closefd=False)  # noqa: SIM115 - closed in `end`

    def ask(self, work: bytes) -> object:
        """Return what came of pickled work. Raises what it raised, and `DiedError`."""
        view = memoryview(len(work).to_bytes(SIZE, "big") + work)
        try:
            while view:
                view = view[self._to.write(view) :]
            size = int.from_bytes(self._from.read(SIZE), "big")
            told = self._from.read(size)
        except OSError as error:
            raise DiedError from error
        if size == 0 or len(told) < size:
            raise DiedError
        raised, answer = pickle.loads(told)  # noqa: S301 - our own process wrote it
        if raised:
            raise answer
        return answer

    def kill(self) -> None:
        """End it over its work."""
        self._child.kill()

    def end(self) -> None:
        """End it: the process exits once its input is closed."""
        self._from.close()
        for stream in (self._to, self._child.stdout):
            assert stream is not None
            stream.close()
        self._child.wait()
