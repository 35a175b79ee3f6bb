"""Policies walked over every run that paths lead to."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain

from exitgate.core.gate.timed import Timings
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.discovery import Found, discover, size_of
from exitgate.recordings.model import Problem
from exitgate.recordings.replay.executors import DIED, Executor, InProcess, Processes, Sized
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


#: Bytes of transcripts from which on several processes are worth their start.
MANY = 20_000_000


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
    facts: bool = False,
    each: Callable[[ReplayedTranscript], None] | None = None,
    executor: Executor | None = None,
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
        facts: Keep the values of facts in the results, iteration by iteration.
        each: Called with what came of each transcript, as soon as it is there; ids are its reader's own.
        executor: Where transcripts are read, unless there are `keep` or `timings`; `jobs` says it by default.
        partial: Return what is done when somebody presses Ctrl-C, in place of raising KeyboardInterrupt.

    Raises:
        ExitgateError: 64 for a reader that does not exist, 65 for a policy that cannot be used.
    """
    named = _policies(policies, settings or {})
    if timings is not None:
        cache, jobs = None, 1
    if keep or timings is not None:
        executor = None
    wanted = Wanted(to_the_end, keep, detail, subagents, gather, facts)
    one = _DryRun(named, wanted, cache, tell, timings, each, executor)
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
        executor: Executor | None = None,
    ) -> None:
        self.timings = timings
        self.executor = executor
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

    def _readable(self, found: Iterable[Found]) -> Iterator[Sized]:
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
            yield one, size_of(one)

    def _walked(self, found: Iterator[Sized], jobs: int | None) -> Generator[ReplayedTranscript]:
        executor = self.executor
        if executor is None:
            first: list[Sized] = []
            if jobs is None:
                # whether there is much to read shows as soon as there is
                size = 0
                for one in found:
                    first.append(one)
                    size += one[1]
                    if size > MANY:
                        break
                jobs = (os.cpu_count() or 1) if size > MANY else 1
            found = chain(first, found)
            executor = InProcess() if jobs <= 1 else Processes(jobs)
        work = Replaying(self.policies, self.wanted, self.cache, self.timings)
        with closing(executor.each(work, found, _died)) as results:
            yield from results
        self.remarks |= dict.fromkeys(executor.remarks)

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


class Replaying:
    """
    Policies walked over a transcript: work for an executor.

    Args:
        policies: By name.
        wanted: What of them.
        cache: Where facts may be had from and kept.
        timings: Receives what each extractor and rule took; then it cannot be pickled.
    """

    def __init__(
        self,
        policies: tuple[tuple[str, CompiledPolicy], ...],
        wanted: Wanted,
        cache: FactsCache | None,
        timings: Timings | None = None,
    ) -> None:
        self._given = policies, wanted, cache
        self._timings = timings
        self._players: tuple[PolicyReplay, ...] | None = None

    def __reduce__(self) -> tuple[type[Replaying], tuple[object, ...]]:
        return Replaying, self._given

    def __call__(self, found: Found) -> ReplayedTranscript:
        """Return what the policies make of each run of a transcript."""
        policies, wanted, cache = self._given
        if self._players is None:
            self._players = self._made(policies)
        return replay_transcript(found, self._players, wanted, cache)

    def _made(self, policies: tuple[tuple[str, CompiledPolicy], ...]) -> tuple[PolicyReplay, ...]:
        if self._timings is None:
            return tuple(PolicyReplay(name, policy) for name, policy in policies)
        from exitgate.recordings.replay.replay_pool import TimedReplay

        return tuple(TimedReplay(name, policy, self._timings) for name, policy in policies)


def _died(found: Found) -> ReplayedTranscript:
    return ReplayedTranscript(found.place.path, failed=DIED)
