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
        #: How many batches may be under way.
        self._window = AHEAD
        self._leave: Callable[[], None] = lambda: None
        self._remarks: list[str] = []
        self._deaths: set[tuple[float, str]] = set()
        #: Those of other work, before this began.
        self._earlier: set[tuple[float, str]] = set()
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
        #: Batches in order, each with what Dask will give for it; None where it has to be asked for.
        under_way: deque[tuple[Batch, Any]] = deque()
        losses = 0
        while True:
            while len(under_way) < self._window and (batch := next(waiting, None)) is not None:
                under_way.append((batch, None))
            self.most = max(self.most, len(under_way))
            if not under_way:
                return
            batch = under_way[0][0]
            if _is_here(batch[0]):
                under_way.popleft()
                yield from map(work, batch)
                continue
            try:
                self._ask(payload, under_way)
                done = self._received(payload, *under_way[0], died)
            except (Exception, CancelledError) as error:
                if not self._is_lost(error):
                    raise
                losses += 1
                if losses > LOSSES:
                    raise _unreachable(self._connection, error) from error
                self._again()
                under_way = deque((one, None) for one, _ in under_way)
                continue
            losses = 0
            under_way.popleft()
            yield from done

    def _ask(self, payload: bytes, under_way: deque[tuple[Batch, Any]]) -> None:
        for at, (batch, future) in enumerate(under_way):
            if future is None and not _is_here(batch[0]):
                under_way[at] = batch, self._submit(payload, batch)

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

    def _is_lost(self, error: BaseException) -> bool:
        """Return whether an error is that of a connection, and not of the work itself."""
        return isinstance(error, _lost()) or self._client.status != "running"

    def _enter(self) -> None:
        self._client, self._leave = connected(self._connection)
        self._window = AHEAD * max(2, len(self._client.scheduler_info().get("workers", ())))
        others = {text for text in self._client.run(_version).values() if text != __version__}
        if others:
            message = f"the workers have exitgate {', '.join(sorted(others))}, and this is {__version__}"
            self._leave()
            problem = Diagnostic("EP881", message, help="install one version everywhere")
            raise ExitgateError([problem], CANNOT_READ)
        self._earlier = self._all_deaths()

    def _again(self) -> None:
        """Reach the cluster once more, or start another one."""
        self._remarks.append("the scheduler was lost; what it had not given back was asked for again")
        self._leave()
        self._enter()

    def _look_for_deaths(self) -> None:
        if self._client.status == "running":
            self._deaths |= self._all_deaths() - self._earlier

    def _all_deaths(self) -> set[tuple[float, str]]:
        """Return when which workers went without being asked to, as far as the scheduler remembers."""
        events = [(at, event) for at, event in self._client.get_events("all") if isinstance(event, dict)]
        return {
            (at, str(event.get("worker")))
            for at, event in events
            if event.get("action") == "remove-worker" and not event.get("expected")
        }


def _is_here(found: Found) -> bool:
    system = found.place.system
    protocol = () if system is None else getattr(system, "protocol", ())
    return bool({protocol} & {*_HERE} if isinstance(protocol, str) else {*protocol} & {*_HERE})


def _lost() -> tuple[type[BaseException], ...]:
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    return CancelledError, FutureCancelledError, CommClosedError


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
