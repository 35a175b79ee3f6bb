"""
Work on transcripts, given to the workers of a Dask cluster a batch at a time.

Dask decides who does what. What is not received is asked for again: a batch whose worker died more than once
is given out transcript by transcript, and everything under way once more where the scheduler was lost.
"""

from __future__ import annotations

import os
import pickle
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar, cast

from exitgate import __version__
from exitgate.core.model.decision import CANNOT_READ
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.fleet.cluster.connection import Connection, connected
from exitgate.recordings.discovery import Found
from exitgate.recordings.replay.executors import AHEAD, BATCH, Batch, Sized, Work, batches

R = TypeVar("R")
#: How often in a row a scheduler may be lost before anything more is received.
LOSSES = 3
#: File systems that only this process can reach.
_HERE = ("memory",)


class Cluster:
    """
    An executor that Dask works for. Use as a context.

    Args:
        connection: How to reach a cluster.
        limit: Bytes of the transcripts in a batch.
    """

    def __init__(self, connection: Connection, limit: int = BATCH) -> None:
        self._connection = connection
        self._limit = limit
        self._client: Any = None
        self._leave: Callable[[], None] = lambda: None
        self._remarks: list[str] = []
        self._deaths: set[tuple[float, str]] = set()
        #: The most batches that were under way at once.
        self.most = 0

    def __enter__(self) -> Cluster:
        self._enter()
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What happened that changes no result: workers that died, a scheduler that was lost."""
        died = len(self._deaths)
        lost = counted(died, "worker died", "workers died")
        said = [f"{lost}; what they had was read again"] if died else []
        return (*said, *self._remarks)

    def each(
        self, work: Work[R], found: Iterable[Sized], died: Callable[[Found], R]
    ) -> Generator[R, None, None]:
        """
        Yield what came of every transcript, in order, as `Executor.each`.

        At most `AHEAD` batches for each worker are under way, or done and not taken.

        Raises:
            ExitgateError: 74 where the scheduler is lost again and again.
        """
        payload = pickle.dumps(work)
        try:
            yield from self._results(payload, work, batches(found, self._limit, _is_here), died)
        finally:
            self._look_for_deaths()

    def _results(
        self, payload: bytes, work: Work[R], waiting: Iterator[Batch], died: Callable[[Found], R]
    ) -> Iterator[R]:
        under_way: deque[tuple[Batch, Any]] = deque()
        losses = 0
        while True:
            while len(under_way) < self._window() and (batch := next(waiting, None)) is not None:
                under_way.append((batch, None if _is_here(batch[0]) else self._submit(payload, batch)))
            self.most = max(self.most, len(under_way))
            if not under_way:
                return
            batch, future = under_way[0]
            if future is None:
                under_way.popleft()
                yield from map(work, batch)
                continue
            try:
                done = self._received(payload, batch, future, died)
            except _lost() as error:
                losses += 1
                if losses > LOSSES:
                    raise _unreachable(self._connection, error) from error
                self._again()
                under_way = deque(
                    (one, None if old is None else self._submit(payload, one)) for one, old in under_way
                )
                continue
            losses = 0
            under_way.popleft()
            del future
            yield from done

    def _received(
        self, payload: bytes, batch: Batch, future: Any, died: Callable[[Found], R]
    ) -> tuple[R, ...]:
        from distributed.scheduler import KilledWorker

        try:
            return cast("tuple[R, ...]", future.result())
        except KilledWorker:
            pass
        # Any of them may be the cause.
        alone: list[R] = []
        for one in batch:
            try:
                alone += self._submit(payload, (one,)).result()
            except KilledWorker:
                alone.append(died(one))
        return tuple(alone)

    def _submit(self, payload: bytes, batch: Batch) -> Any:
        return self._client.submit(_do_all, payload, batch, os.getcwd(), pure=False)

    def _window(self) -> int:
        return AHEAD * max(2, len(self._client.scheduler_info().get("workers", ())))

    def _enter(self) -> None:
        self._client, self._leave = connected(self._connection)
        others = {text for text in self._client.run(_version).values() if text != __version__}
        if others:
            message = f"the workers have exitgate {', '.join(sorted(others))}, and this is {__version__}"
            self._leave()
            raise ExitgateError(
                [Diagnostic("EP881", message, help="install one version everywhere")], CANNOT_READ
            )

    def _again(self) -> None:
        """Reach the cluster once more, or start another one."""
        self._remarks.append("the scheduler was lost; what it had not given back was asked for again")
        self._leave()
        self._enter()

    def _look_for_deaths(self) -> None:
        try:
            events = self._client.get_events("all")
        except _lost():
            return  # nobody is left to ask
        for at, event in events:
            if (
                isinstance(event, dict)
                and event.get("action") == "remove-worker"
                and not event.get("expected")
            ):
                self._deaths.add((at, str(event.get("worker"))))


def _is_here(found: Found) -> bool:
    system = found.place.system
    protocol = () if system is None else getattr(system, "protocol", ())
    return bool({protocol} & {*_HERE} if isinstance(protocol, str) else {*protocol} & {*_HERE})


def _lost() -> tuple[type[BaseException], ...]:
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    return CancelledError, FutureCancelledError, CommClosedError, OSError, TimeoutError


def _unreachable(connection: Connection, error: BaseException) -> ExitgateError:
    message = f"the scheduler of the cluster was lost {LOSSES + 1} times: {type(error).__name__}"
    help = "look at its logs" if connection.address else "use `--executor local`, or fewer `--workers`"
    return ExitgateError([Diagnostic("EP881", message, help=help)], CANNOT_READ)


# What a worker does.


def _version() -> str:
    return __version__


@lru_cache(maxsize=4)
def _work_of(payload: bytes) -> Work[object]:
    work: Work[object] = pickle.loads(payload)  # noqa: S301 - a worker runs what its cluster's client sends
    return work


def _do_all(payload: bytes, batch: Batch, folder: str) -> tuple[object, ...]:
    """Do work on a batch, from the folder that its paths start from."""
    if os.path.isdir(folder) and os.getcwd() != folder:
        os.chdir(folder)
    return tuple(map(_work_of(payload), batch))
