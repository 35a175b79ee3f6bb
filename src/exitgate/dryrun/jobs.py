"""
Transcripts walked by several processes, in batches of about equal size; results in the order of transcripts.

A process that dies takes nothing with it: its batches are given out once more, transcript by transcript, and
one that kills its process again is a failure of its own.
"""

from __future__ import annotations

from collections import deque

from exitgate.children.pool import DiedError, Pool
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
        self._pool = Pool(jobs, _begin, task)

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._pool.close(at_once=kind is not None)

    def run(self, batches: Iterable[Batch]) -> Iterator[Walked]:
        """Yield what came of every transcript, in order; batches are taken as they are needed."""
        waiting = iter(batches)
        under_way: deque[tuple[Batch, Future[tuple[Walked, ...]] | None]] = deque()
        while True:
            while len(under_way) < self._jobs * _AHEAD and (batch := next(waiting, None)) is not None:
                under_way.append(
                    (batch, None if _is_remote(batch[0]) else self._pool.submit(_walk_all, batch))
                )
            if not under_way:
                return
            batch, future = under_way.popleft()
            if future is None:
                yield from self._here(batch)
                continue
            try:
                found = future.result()
            except DiedError:
                yield from self._again(batch)
                continue
            yield from found

    def _here(self, batch: Batch) -> Iterator[Walked]:
        """Walk what only this process may reach, such as a file system in its memory."""
        players = players_of(self._task.policies)
        for found in batch:
            yield walk(found, players, self._task.wanted, self._task.cache)

    def _again(self, lost: Batch) -> Iterator[Walked]:
        """Walk transcripts one by one: a process died, and any of them may be the cause."""
        for found in lost:
            try:
                yield from self._pool.submit(_walk_all, (found,)).result()
            except DiedError:
                yield Walked(found.place.path, failed=DIED)


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
    """Make a new process ready."""
    global _task, _players
    _task, _players = task, players_of(task.policies)


def _walk_all(batch: Batch) -> tuple[Walked, ...]:
    assert _task is not None
    return tuple(walk(found, _players, _task.wanted, _task.cache) for found in batch)
