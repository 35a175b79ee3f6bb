"""Policies walked over every run that paths lead to."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing

from exitgate.core.gate.timed import Timings
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.system.pool import DiedError, Pool
from exitgate.recordings.discovery import Found, discover
from exitgate.recordings.model import Problem
from exitgate.recordings.replay.facts_cache import FactsCache
from exitgate.recordings.replay.loaded_runs import unique
from exitgate.recordings.replay.policies import chosen_policies
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.replay.result import DryRun, RunResult, with_run_id
from exitgate.recordings.replay.transcript import ReplayedTranscript, Wanted, replay_transcript
from exitgate.recordings.replay.undetermined import undetermined
from exitgate.recordings.unread import Unread, known_reader, unreadable

Tell = Callable[[int, int, str], None]
Policies = str | Sequence[str] | dict[str, CompiledPolicy]
Batch = tuple[Found, ...]


#: Bytes of transcripts from which on several processes are worth their start.
MANY = 20_000_000
#: What a folder of transcripts and a file of unknown size count as, in bytes.
_UNKNOWN_SIZE = 1_000_000


def dry_run(
    paths: Sequence[str],
    policies: Policies = ("recommended",),
    *,
    settings: Mapping[str, str] | None = None,
    reader: str | None = None,
    to_the_end: bool = False,
    keep: bool = False,
    detail: bool = True,
    subagents: bool = False,
    jobs: int | None = 1,
    cache: FactsCache | None = None,
    tell: Tell | None = None,
    partial: bool = False,
    timings: Timings | None = None,
    gather: bool = False,
    each: Callable[[ReplayedTranscript], None] | None = None,
) -> DryRun:
    """
    Return where each policy would have stopped each run. Touches no state; only caches are written.

    Args:
        paths: Files, folders, globs, URLs.
        policies: As `policies.chosen_policies` reads them: shipped names, paths, settings behind a
            colon, none for the policy in force here; or compiled policies by the names they go by.
        settings: Parameter -> text, as `--set` takes them, for every policy that has it.
        reader: Id of the reader, or None to tell it by the content.
        to_the_end: Go on after a policy's EXIT.
        keep: Keep facts, steps and the iterations themselves in the results; then there is one process
            and no cache.
        detail: Keep a row for each iteration, not only for the stop.
        subagents: Whether runs of sub-agents count as runs; else they are only counted.
        jobs: How many processes; None for as many as there are cores where there is much to read. With more
            than one, a script that calls this must do so under ``if __name__ == "__main__":``.
        cache: Where facts may be had from and kept.
        tell: Called with how many transcripts are done, how many were found so far, and the last one's path.
        timings: Receives what each extractor and rule took; then there is one process and no cache.
        gather: Decide nothing: results have the records that rules find, to be decided on any number of times
            (`exitgate.recordings.incremental`).
        each: Called with what came of each transcript, as soon as it is there; ids are its reader's own.
        partial: Return what is done when somebody presses Ctrl-C, in place of raising KeyboardInterrupt.

    Raises:
        ExitgateError: 64 for a reader that does not exist, 65 for a policy that cannot be used.
    """
    named = _policies(policies, settings or {})
    if timings is not None:
        cache, jobs = None, 1
    one = _DryRun(named, Wanted(to_the_end, keep, detail, subagents, gather), cache, tell, timings, each)
    known = None if cache is None or keep else cache.known_reader
    return one.run(discover(paths, known_reader(reader), known), 1 if keep else jobs, partial=partial)


def _policies(policies: Policies, settings: Mapping[str, str]) -> tuple[tuple[str, CompiledPolicy], ...]:
    if isinstance(policies, str):
        policies = (policies,)
    if isinstance(policies, list | tuple):
        return tuple(chosen_policies(policies, settings).items())
    assert isinstance(policies, dict), "policies are names, or compiled ones by name"
    return tuple(policies.items())


class _DryRun:
    """A dry run under way: what was found so far."""

    def __init__(
        self,
        policies: tuple[tuple[str, CompiledPolicy], ...],
        wanted: Wanted,
        cache: FactsCache | None,
        tell: Tell | None,
        timings: Timings | None = None,
        each: Callable[[ReplayedTranscript], None] | None = None,
    ) -> None:
        self.timings = timings
        self.each = each
        self.policies = policies
        self.wanted = wanted
        self.cache = cache
        self.tell: Tell = tell or (lambda _done, _found, _path: None)
        self.unread = Unread()
        self.left: list[Problem] = []
        self.readers: dict[str, None] = {}
        self.results: list[RunResult] = []
        self.problems: list[Problem] = []
        self.remarks: dict[str, None] = {}
        self.sub_agents = 0
        self.found = 0
        self.done = 0

    def run(self, found: Iterator[Found], jobs: int | None, *, partial: bool) -> DryRun:
        interrupted = False
        try:
            # closed at once on an interrupt, not when it is collected as garbage
            with closing(self._walked(self._readable(found), jobs)) as results:
                for walked in results:
                    self._take(walked)
        except KeyboardInterrupt:
            if not partial:
                raise
            interrupted = True
        readers = tuple(self.readers)
        notes = tuple(note for one in self.policies for note in undetermined(*one, readers))
        return DryRun(
            _under_own_ids(self.results), tuple(self.problems), tuple(self.left), notes, interrupted,
            self.sub_agents, self.unread, tuple(self.remarks), (self.done, self.found),
        )  # fmt: skip

    def _readable(self, found: Iterable[Found]) -> Iterator[tuple[Found, int]]:
        """Yield the transcripts with their sizes; what no reader takes is put aside."""
        for one in found:
            if one.reader is None:
                self.unread.add(one)
                if one.trouble or (one.named and not one.place.is_folder):
                    self.left.append(Problem(one.place.path, one.trouble or "no reader fits it"))
                continue
            self.readers[one.reader] = None
            self.found += 1
            self.tell(self.done, self.found, one.place.path)
            yield one, _size(one)

    def _walked(self, found: Iterator[tuple[Found, int]], jobs: int | None) -> Generator[ReplayedTranscript]:
        first: list[tuple[Found, int]] = []
        if jobs is None:
            # whether there is much to read shows as soon as there is
            size = 0
            for one in found:
                first.append(one)
                size += one[1]
                if size > MANY:
                    break
            jobs = (os.cpu_count() or 1) if size > MANY else 1
        together = _chained(first, found)
        if jobs <= 1:
            players = self._players()
            for transcript, _ in together:
                yield replay_transcript(transcript, players, self.wanted, self.cache)
            return
        with Workers(Task(self.policies, self.wanted, self.cache), jobs) as workers:
            yield from workers.run(batches(together))

    def _players(self) -> tuple[PolicyReplay, ...]:
        if self.timings is None:
            return players_of(self.policies)
        from exitgate.recordings.replay.replay_pool import TimedReplay

        timings = self.timings
        return tuple(TimedReplay(name, policy, timings) for name, policy in self.policies)

    def _take(self, walked: ReplayedTranscript) -> None:
        self.done += 1
        self.results += walked.results
        self.problems += walked.problems
        self.sub_agents += walked.sub_agents
        if walked.failed:
            self.unread.failed.append(unreadable(walked.path, walked.failed))
            self.left.append(Problem(walked.path, walked.failed))
        if walked.note:
            self.remarks[walked.note] = None
        if self.each is not None:
            self.each(walked)
        self.tell(self.done, self.found, walked.path)


def _under_own_ids(results: Sequence[RunResult]) -> tuple[RunResult, ...]:
    """Return the results with ids of runs that are unique in the dry run."""
    runs = {id(result.run): result.run for result in results}
    ids = dict(zip(runs, unique([(run.id, run.file) for run in runs.values()]), strict=True))
    return tuple(with_run_id(result, ids[id(result.run)]) for result in results)


def _size(found: Found) -> int:
    size = None if found.place.is_folder else found.place.size()
    return _UNKNOWN_SIZE if size is None else size


def _chained(
    first: Iterable[tuple[Found, int]], rest: Iterable[tuple[Found, int]]
) -> Iterator[tuple[Found, int]]:
    yield from first
    yield from rest


# Transcripts walked by several processes, in batches of about equal size; results in the order of
# transcripts.
#
# A process that dies takes nothing with it: its batches are given out once more, transcript by transcript,
# and one that kills its process again is a failure of its own.

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

    def run(self, batches: Iterable[Batch]) -> Iterator[ReplayedTranscript]:
        """Yield what came of every transcript, in order; batches are taken as they are needed."""
        waiting = iter(batches)
        under_way: deque[tuple[Batch, Future[tuple[ReplayedTranscript, ...]] | None]] = deque()
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
                yield from self._one_by_one(batch)
                continue
            yield from found

    def _here(self, batch: Batch) -> Iterator[ReplayedTranscript]:
        """Walk what only this process may reach, such as a file system in its memory."""
        players = players_of(self._task.policies)
        for found in batch:
            yield replay_transcript(found, players, self._task.wanted, self._task.cache)

    def _one_by_one(self, lost: Batch) -> Iterator[ReplayedTranscript]:
        """Walk transcripts one by one: a process died, and any of them may be the cause."""
        for found in lost:
            try:
                yield from self._pool.submit(_walk_all, (found,)).result()
            except DiedError:
                yield ReplayedTranscript(found.place.path, failed=DIED)


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


def players_of(policies: Sequence[tuple[str, CompiledPolicy]]) -> tuple[PolicyReplay, ...]:
    """Return the policies ready to decide."""
    from exitgate.recordings.replay.replay_pool import PolicyReplay

    return tuple(PolicyReplay(name, policy) for name, policy in policies)


_task: Task | None = None
_players: tuple[PolicyReplay, ...] = ()


def _begin(task: Task) -> None:
    """Make a new process ready."""
    global _task, _players
    _task, _players = task, players_of(task.policies)


def _walk_all(batch: Batch) -> tuple[ReplayedTranscript, ...]:
    assert _task is not None
    return tuple(replay_transcript(found, _players, _task.wanted, _task.cache) for found in batch)
