"""Recorded runs with what policies have read of them: read once, decided on as often as one likes."""

from __future__ import annotations

from contextlib import closing

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.model.decision import EXIT
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover, mark_gaps, parts_of, readable, size_of
from exitgate.recordings.model import Begin, End, Problem
from exitgate.recordings.replay.executors import DIED
from exitgate.recordings.replay.extraction import digest_of, entries_of, wants_of
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.recordings.replay.replay_pool import Decisions, PolicyReplay, Spent
from exitgate.recordings.replay.result import RecordedRun
from exitgate.recordings.unread import Unread, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.recordings.model import RecordedIteration
    from exitgate.recordings.replay.extraction import Extracted
    from exitgate.recordings.replay.replay import Decided, Shared

    Tell = Callable[[str], None]
    #: From policies by any key to the runs with what each has read of them.
    Read = Callable[[Mapping[str, PolicyReplay]], "LoadedRuns"]

    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.discovery import Found
    from exitgate.recordings.replay.executors import Executor, Sized
    from exitgate.recordings.replay.result import RecordedRun, RunResult


class LoadedRun(Struct, frozen=True):
    """
    A recorded run with what is known of its iterations.

    Args:
        run: The run as a whole.
        begin: As its reader told it.
        spoken: Iterations of which the transcript has a response or any other output of the agent.
        costs: USD of each iteration, None where not reported.
        extracted: By key of a player: what each iteration says. None for a run that was not wanted.
    """

    run: RecordedRun
    begin: Begin
    spoken: int
    costs: tuple[float | None, ...]
    extracted: Mapping[str, tuple[Extracted, ...]] | None


class LoadedRuns(Struct, frozen=True):
    """
    All runs that paths lead to.

    Args:
        runs: In order; ids are unique, the file's name in front where two are the same.
        problems: What could not be read of files that were otherwise read.
        unread: Files and folders that were not read, with why.
    """

    runs: tuple[LoadedRun, ...]
    problems: tuple[Problem, ...]
    unread: Unread


def load_runs(
    paths: Sequence[str],
    players: Mapping[str, PolicyReplay],
    *,
    reader: str | None = None,
    wanted: Callable[[Begin], bool] = lambda _: True,
    tell: Tell = lambda _: None,
    executor: Executor | None = None,
) -> LoadedRuns:
    """
    Return the runs that `paths` lead to. Writes nothing.

    Args:
        paths: Files, folders, globs, URLs.
        players: Policies whose facts are wanted, by any key; at least one.
        reader: Id of the reader, or None to tell it by the content.
        wanted: Whether a run's facts are wanted; of others only counts and costs are kept.
        tell: Called with each path before it is read.
        executor: Where they are read, this process by default; then `wanted` has to be picklable.
    """
    problems: list[Problem] = []
    unread = Unread()
    found = stream(
        paths, players, problems, unread, reader=reader, wanted=wanted, tell=tell, executor=executor
    )
    runs = tuple(found)
    ids = unique([(one.run.id, one.run.file) for one in runs])
    named = tuple(replace(one, run=replace(one.run, id=id)) for one, id in zip(runs, ids, strict=True))
    return LoadedRuns(named, tuple(problems), unread)


def stream(
    paths: Sequence[str],
    players: Mapping[str, PolicyReplay],
    problems: list[Problem],
    unread: Unread,
    *,
    reader: str | None = None,
    wanted: Callable[[Begin], bool] = lambda _: True,
    tell: Tell = lambda _: None,
    executor: Executor | None = None,
) -> Iterator[LoadedRun]:
    """
    Yield the runs that `paths` lead to, one in memory at a time, under the ids their readers gave them.

    `problems` and `unread` take what could not be read; the rest is as in `load_runs`. With an executor the
    runs of a batch of transcripts are in memory.
    """
    if executor is None:
        for found in readable(paths, reader, unread):
            tell(found.place.path)
            assert found.reader is not None
            yield from _runs(found.reader, parts_of(found, unread), players, problems, wanted)
        return

    def sized() -> Iterator[Sized]:
        for found in readable(paths, reader, unread):
            tell(found.place.path)
            yield found, size_of(found)

    work = Loading({key: (player.name, player.policy) for key, player in players.items()}, wanted)
    with closing(executor.each(work, sized(), _died)) as results:
        for one in results:
            problems += one.problems
            unread.failed += one.failed
            yield from one.runs


def is_own(begin: Begin) -> bool:
    """Return whether a run does not belong to a sub-agent."""
    return begin.parent is None


class LoadedTranscript(Struct, frozen=True):
    """
    The runs of one transcript.

    Args:
        runs: In order, under the ids their reader gave them.
        problems: What could not be read of it.
        failed: Why it could not be read to its end.
    """

    runs: tuple[LoadedRun, ...]
    problems: tuple[Problem, ...] = ()
    failed: tuple[Diagnostic, ...] = ()


class Loading:
    """
    Runs of a transcript with their facts: work for an executor.

    Args:
        policies: Whose facts are wanted: key -> what the policy goes by, and the policy.
        wanted: Whether a run's facts are wanted.
    """

    def __init__(
        self, policies: Mapping[str, tuple[str, CompiledPolicy]], wanted: Callable[[Begin], bool]
    ) -> None:
        self._given = policies, wanted
        self._players: dict[str, PolicyReplay] | None = None

    def __reduce__(self) -> tuple[type[Loading], tuple[object, ...]]:
        return Loading, self._given

    def __call__(self, found: Found) -> LoadedTranscript:
        """Return the runs of a transcript."""
        policies, wanted = self._given
        if self._players is None:
            self._players = {key: PolicyReplay(*one) for key, one in policies.items()}
        problems: list[Problem] = []
        unread = Unread()
        assert found.reader is not None
        runs = tuple(_runs(found.reader, parts_of(found, unread), self._players, problems, wanted))
        return LoadedTranscript(runs, tuple(problems), tuple(unread.failed))


def _died(found: Found) -> LoadedTranscript:
    return LoadedTranscript((), failed=(unreadable(found.place.path, DIED),))


def _runs(
    reader: str,
    parts: Iterator[object],
    players: Mapping[str, PolicyReplay],
    problems: list[Problem],
    wanted: Callable[[Begin], bool],
) -> Iterator[LoadedRun]:
    under_way: _UnderWay | None = None
    for part in parts:
        if isinstance(part, Problem):
            problems.append(part)
        elif isinstance(part, Begin):
            under_way = _UnderWay(part, players, wanted(part))
        elif isinstance(part, End):
            assert under_way is not None
            yield under_way.over(part, reader)
        else:
            assert under_way is not None
            under_way.take(part)  # type: ignore[arg-type]


class _UnderWay:
    """A run that is being read."""

    def __init__(self, begin: Begin, players: Mapping[str, PolicyReplay], wanted: bool) -> None:
        self._begin = begin
        self._wanted = wanted
        self._steps = {key: Extraction(p.policy, begin, p.entries) for key, p in players.items()}
        self._extracted: dict[str, list[Extracted]] = {key: [] for key in self._steps}
        self._spent = Spent()
        self._spoken = 0

    def take(self, one: RecordedIteration) -> None:
        shared: Shared = {}
        for at, (key, extraction) in enumerate(self._steps.items()):
            extracted = extraction.step(one, shared) if self._wanted else extraction.spend(one)
            if self._wanted:
                self._extracted[key].append(extracted)
            if at == 0:
                self._spent.add(extracted)
        self._spoken += one.response is not None or one.output is not None

    def over(self, end: End, reader: str) -> LoadedRun:
        run = self._spent.run(self._begin, end, reader)
        extracted = {key: tuple(found) for key, found in self._extracted.items()} if self._wanted else None
        return LoadedRun(run, self._begin, self._spoken, tuple(self._spent.costs), extracted)


def unique(runs: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """
    Return an id of its own for each run.

    Args:
        runs: Id and file of each. An id that several have gets the file in front and, in one file, a number
            behind.
    """
    count: dict[str, int] = {}
    for id, _ in runs:
        count[id] = count.get(id, 0) + 1
    ids: list[str] = []
    seen: dict[str, int] = {}
    for own, file in runs:
        id = own if count[own] == 1 else f"{file}:{own}"
        seen[id] = seen.get(id, 0) + 1
        ids.append(id if seen[id] == 1 else f"{id}.{seen[id]}")
    return tuple(ids)


def first_exit(player: PolicyReplay, begin: Begin, extracted: Sequence[Extracted]) -> Decided | None:
    """Return the first EXIT of a policy on a run, None where it never stops."""
    walk = Replay(player.policy, begin, player.program)
    for one in extracted:
        decided = walk.step(one)
        if decided.decision.verdict == EXIT:
            return decided
    return None


# Facts of recorded runs in memory, and decisions on them with any settings: read once, decide often.
#
# runs = facts_of_runs(paths, policy) result = decide(runs[0], load_policy("recommended",
# settings={"min_confidence": "80"}))
#
# A setting that an extractor reads (a lexicon's threshold, the name of a file) changes the facts
# themselves. `same_facts` tells; `decide` raises `OtherFactsError`, and the facts must be had anew with
# that policy.


class OtherFactsError(ValueError):
    """Facts were extracted with other options than those of the policy that is to decide on them."""


class FactsOfRun(Struct, frozen=True):
    """
    Everything that decisions on a run need. Can be pickled.

    Args:
        begin: Of the run.
        run: The run as a whole.
        extracted: What each iteration says, in order.
        costs: USD of each, as this iteration's share; None where not reported.
        digest: `exitgate.recordings.replay.extraction.digest_of` the policy whose facts these are.
    """

    begin: Begin
    run: RecordedRun
    extracted: tuple[Extracted, ...]
    costs: tuple[float | None, ...]
    digest: str


def facts_of_runs(
    paths: Sequence[str],
    policy: CompiledPolicy,
    *,
    reader: str | None = None,
    subagents: bool = False,
    problems: list[Problem] | None = None,
) -> list[FactsOfRun]:
    """
    Return the facts of every run that `paths` lead to, in order; what cannot be read goes to `problems`.

    Args:
        paths: Files, folders, globs, URLs.
        policy: Whose facts are wanted.
        reader: Id of the reader, or None to tell it by the content.
        subagents: Whether runs of sub-agents count as runs of their own.
        problems: If given, what could not be read is added to it.
    """
    digest = digest_of(policy)
    told = [] if problems is None else problems
    runs: list[FactsOfRun] = []
    for found in discover(paths, reader):
        if found.reader is None:
            if found.trouble or found.named:
                told.append(Problem(found.place.path, found.trouble or "no reader fits it"))
            continue
        try:
            for one in _facts(found, policy, digest):
                if isinstance(one, Problem):
                    told.append(one)
                elif subagents or one.run.parent is None:
                    runs.append(one)
        except OSError as error:
            told.append(Problem(found.place.path, error.strerror or str(error)))
    return runs


def same_facts(one: CompiledPolicy, other: CompiledPolicy) -> bool:
    """Return whether what is extracted for one policy does for the other."""
    return digest_of(one) == digest_of(other)


def decide(
    facts: FactsOfRun,
    policy: CompiledPolicy,
    *,
    name: str | None = None,
    to_the_end: bool = False,
    player: PolicyReplay | None = None,
) -> RunResult:
    """
    Return where a policy would have stopped a run, without extracting anything.

    Args:
        facts: Of the run.
        policy: Who decides.
        name: What it goes by in the result; its own name by default.
        to_the_end: Go on after its EXIT.
        player: `Player(name, policy)`, where many runs are decided on: then policies are compiled once.

    Raises:
        OtherFactsError: When the policy extracts other facts than these.
    """
    if player is None:
        player = PolicyReplay(name or policy.name, policy)
    if player.digest != facts.digest:
        raise OtherFactsError(f"policy `{policy.name}` reads other facts than were extracted")
    decisions = Decisions(player, facts.begin, to_the_end)
    for one in facts.extracted:
        if decisions.over:
            break
        decisions.take(one)
    return decisions.result(facts.run, facts.costs)


def _facts(found: Found, policy: CompiledPolicy, digest: str) -> Iterator[FactsOfRun | Problem]:
    assert found.reader is not None
    entries = entries_of(policy)
    begin: Begin | None = None
    for part in mark_gaps(registry.load(found.reader).read(found.place, wants_of([policy]))):
        if isinstance(part, Problem):
            yield part
        elif isinstance(part, Begin):
            begin = part
            extraction, spent = Extraction(policy, part, entries), Spent()
            extracted: list[Extracted] = []
        elif isinstance(part, End):
            assert begin is not None, "a run ends that did not begin"
            run = spent.run(begin, part, found.reader)
            yield FactsOfRun(begin, run, tuple(extracted), tuple(spent.costs), digest)
        else:
            one = extraction.step(part)
            spent.add(one)
            extracted.append(one)
