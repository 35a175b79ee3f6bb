"""
Where transcripts are read: in this process, in several of this machine, or in a cluster.

All do the same work and give its results in the order of the transcripts, so what comes out does not depend
on where it was done. A process that dies takes nothing with it: what it had is given out once more, one
transcript after the other, and one that kills its process again is a failure of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from typing import Protocol, TypeVar, cast

from exitgate.core.system.pool import DiedError, Pool
from exitgate.recordings.discovery import Found

R = TypeVar("R")
#: A transcript and its bytes.
Sized = tuple[Found, int]
Batch = tuple[Found, ...]
#: What is done with a transcript. For other processes it has to be a value that can be pickled.
Work = Callable[[Found], R]

#: Bytes of the transcripts that one process is given at a time.
BATCH = 10_000_000
#: Batches that are given out ahead, for each process: enough to keep it busy, little to wait for at the end.
AHEAD = 3

DIED = "the process that read it died"


class Executor(Protocol):
    """Does work on transcripts."""

    def each(
        self, work: Work[R], found: Iterable[Sized], died: Callable[[Found], R]
    ) -> Generator[R, None, None]:
        """
        Yield what came of every transcript, in order; they are taken as they are needed.

        Args:
            work: What to do.
            found: The transcripts and their bytes.
            died: What to give for one over which its process died.
        """

    @property
    def remarks(self) -> tuple[str, ...]:
        """What happened that changes no result: a process that died and was replaced."""


class InProcess:
    """Reads all transcripts in this process."""

    remarks: tuple[str, ...] = ()

    def each(
        self,
        work: Work[R],
        found: Iterable[Sized],
        died: Callable[[Found], R],  # noqa: ARG002 - this process would be the one
    ) -> Generator[R, None, None]:
        """Yield what came of every transcript, in order."""
        for one, _ in found:
            yield work(one)


class Processes:
    """
    Processes of this machine, started for each piece of work and ended behind it.

    Args:
        jobs: How many.
    """

    remarks: tuple[str, ...] = ()

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def each(
        self, work: Work[R], found: Iterable[Sized], died: Callable[[Found], R]
    ) -> Generator[R, None, None]:
        """Yield what came of every transcript, in order; leaving it early ends the processes at once."""
        pool = Pool(self._jobs, _begin, work)
        over = False
        try:
            yield from self._results(pool, work, batches(found), died)
            over = True
        finally:
            pool.close(at_once=not over)

    def _results(
        self, pool: Pool, work: Work[R], waiting: Iterator[Batch], died: Callable[[Found], R]
    ) -> Iterator[R]:
        under_way: deque[tuple[Batch, Future[tuple[object, ...]] | None]] = deque()
        while True:
            while len(under_way) < self._jobs * AHEAD and (batch := next(waiting, None)) is not None:
                under_way.append((batch, None if is_remote(batch[0]) else pool.submit(_do_all, batch)))
            if not under_way:
                return
            batch, future = under_way.popleft()
            if future is None:
                yield from map(work, batch)  # what only this process may reach, such as its memory
                continue
            try:
                done = future.result()
            except DiedError:
                yield from _one_by_one(pool, batch, died)
                continue
            yield from cast("tuple[R, ...]", done)


def _one_by_one(pool: Pool, lost: Batch, died: Callable[[Found], R]) -> Iterator[R]:
    """Do the work one by one: a process died, and any of the transcripts may be the cause."""
    for found in lost:
        try:
            yield cast("R", pool.submit(_do_all, (found,)).result()[0])
        except DiedError:
            yield died(found)


def batches(
    found: Iterable[Sized], limit: int = BATCH, apart: Callable[[Found], bool] | None = None
) -> Iterator[Batch]:
    """
    Yield transcripts with their sizes (bytes) as batches of about `limit` bytes, in order.

    Those for which `apart` holds, by default those on other machines, are batches of their own.
    """
    apart = is_remote if apart is None else apart
    batch: list[Found] = []
    size = 0
    for one, bytes_ in found:
        if batch and (size >= limit or apart(one) != apart(batch[0])):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(one)
        size += bytes_
    if batch:
        yield tuple(batch)


def is_remote(found: Found) -> bool:
    """Return whether a transcript is not among this machine's files."""
    return found.place.system is not None


#: What this process does, where it is one of several.
_own: list[Work[object]] = []


def _begin(work: Work[object]) -> None:
    """Make a new process ready."""
    _own[:] = [work]


def _do_all(batch: Batch) -> tuple[object, ...]:
    return tuple(map(_own[0], batch))
