"""
Transcripts walked by several processes, in batches of about equal size; results in the order of transcripts.

A process that dies takes nothing with it: its batches are given out once more, transcript by transcript, and
one that kills its process again is a failure of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from exitgate.dryrun.transcript import Walked, walk
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from exitgate.dryrun.facts_cache import FactsCache
    from exitgate.dryrun.players import Player
    from exitgate.dryrun.transcript import Wanted
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.transcripts.discover import Found

    Batch = tuple[Found, ...]

#: Bytes of the transcripts that one process is given at a time.
BATCH = 10_000_000
#: Batches that are given out ahead, for each process: enough to keep it busy, little to wait for at the end.
_AHEAD = 3

DIED = "the process that read it died"


class Task(Value):
    """What every process needs: policies by name, what is wanted, and the cache."""

    __slots__ = ("cache", "policies", "wanted")

    def __init__(
        self, policies: tuple[tuple[str, CompiledPolicy], ...], wanted: Wanted, cache: FactsCache | None
    ) -> None:
        self.policies = policies
        self.wanted = wanted
        self.cache = cache


class Workers:
    """
    Processes that walk transcripts. Use as a context; leaving it early ends them at once.

    Args:
        task: What to do.
        jobs: How many processes.
    """

    def __init__(self, task: Task, jobs: int) -> None:
        self._task = task
        self._jobs = jobs
        self._pool = self._new(jobs)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._close(at_once=kind is not None)

    def run(self, batches: Iterable[Batch]) -> Iterator[Walked]:
        """Yield what came of every transcript, in order; batches are taken as they are needed."""
        waiting = iter(batches)
        under_way: deque[tuple[Batch, Future[tuple[Walked, ...]] | None]] = deque()
        while True:
            while len(under_way) < self._jobs * _AHEAD and (batch := next(waiting, None)) is not None:
                under_way.append((batch, None if _is_remote(batch[0]) else self._submit(batch)))
            if not under_way:
                return
            batch, future = under_way.popleft()
            if future is None:
                yield from self._here(batch)
                continue
            try:
                found = future.result()
            except BrokenProcessPool:
                lost = [batch, *(one for one, _ in under_way)]
                under_way.clear()
                yield from self._again([found for one in lost for found in one])
                continue
            yield from found

    def _here(self, batch: Batch) -> Iterator[Walked]:
        """Walk what only this process may reach, such as a file system in its memory."""
        players = players_of(self._task.policies)
        for found in batch:
            yield walk(found, players, self._task.wanted, self._task.cache)

    def _submit(self, batch: Batch) -> Future[tuple[Walked, ...]]:
        try:
            return self._pool.submit(_walk_all, batch)
        except BrokenProcessPool:
            self._renew()
            return self._pool.submit(_walk_all, batch)

    def _again(self, lost: Sequence[Found]) -> Iterator[Walked]:
        """Walk transcripts one by one: a process died, and nobody knows over which of them."""
        self._renew()
        for found in lost:
            if _is_remote(found):
                yield from self._here((found,))
                continue
            try:
                yield from self._pool.submit(_walk_all, (found,)).result()
            except BrokenProcessPool:
                self._renew()
                yield Walked(found.place.path, failed=DIED)

    def _renew(self) -> None:
        self._close(at_once=True)
        self._pool = self._new(self._jobs)

    def _new(self, jobs: int) -> ProcessPoolExecutor:
        self._before = set(multiprocessing.active_children())
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        return ProcessPoolExecutor(jobs, context, _begin, (self._task,))

    def _close(self, at_once: bool) -> None:
        if at_once:
            for process in set(multiprocessing.active_children()) - self._before:
                process.terminate()
        self._pool.shutdown(wait=not at_once, cancel_futures=True)


def batches(found: Iterable[tuple[Found, int]], limit: int = BATCH) -> Iterator[Batch]:
    """
    Yield transcripts with their sizes (bytes) as batches of about `limit` bytes, in order.

    Those on other machines are batches of their own.
    """
    batch: list[Found] = []
    size = 0
    for one, bytes_ in found:
        if batch and (size >= limit or _is_remote(one) != _is_remote(batch[0])):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(one)
        size += bytes_
    if batch:
        yield tuple(batch)


def _is_remote(found: Found) -> bool:
    return found.place.system is not None


def players_of(policies: Sequence[tuple[str, CompiledPolicy]]) -> tuple[Player, ...]:
    """Return the policies ready to decide."""
    from exitgate.dryrun.players import Player

    return tuple(Player(name, policy) for name, policy in policies)


_task: Task | None = None
_players: tuple[Player, ...] = ()


def _begin(task: Task) -> None:
    """Make a new process ready. Ctrl-C is for the process that gives out the work: it ends this one."""
    global _task, _players
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _task, _players = task, players_of(task.policies)


def _end_with_parent() -> None:
    """
    End this process once the one that gives out the work is gone, however it went.

    Killed, it can tell nobody: its processes would wait for work for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _walk_all(batch: Batch) -> tuple[Walked, ...]:
    assert _task is not None
    return tuple(walk(found, _players, _task.wanted, _task.cache) for found in batch)
