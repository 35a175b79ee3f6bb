"""Recorded runs with what policies have read of them: read once, decided on as often as one likes."""

from __future__ import annotations

from exitgate.dryrun.play import Extraction, Walk
from exitgate.dryrun.players import Player, Spent
from exitgate.dryrun.result import RecordedRun
from exitgate.model.value import Value
from exitgate.model.verdict import EXIT
from exitgate.transcripts.reading import parts_of, readable
from exitgate.transcripts.run import Begin, End, Problem
from exitgate.transcripts.unread import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.dryrun.extracted import Extracted
    from exitgate.dryrun.play import Decided, Shared
    from exitgate.transcripts.recorded import RecordedIteration

    Tell = Callable[[str], None]
    #: From policies by any key to the runs with what each has read of them.
    Read = Callable[[Mapping[str, Player]], "Gathered"]


class GatheredRun(Value):
    """
    A recorded run with what is known of its iterations.

    Args:
        run: The run as a whole.
        begin: As its reader told it.
        spoken: Iterations of which the transcript has a response or any other output of the agent.
        costs: USD of each iteration, None where not reported.
        extracted: By key of `gather`'s players: what each iteration says. None for a run that was not wanted.
    """

    __slots__ = ("begin", "costs", "extracted", "run", "spoken")

    def __init__(
        self,
        run: RecordedRun,
        begin: Begin,
        spoken: int,
        costs: tuple[float | None, ...],
        extracted: Mapping[str, tuple[Extracted, ...]] | None,
    ) -> None:
        self.run = run
        self.begin = begin
        self.spoken = spoken
        self.costs = costs
        self.extracted = extracted


class Gathered(Value):
    """
    All runs that paths lead to.

    Args:
        runs: In order; ids are unique, the file's name in front where two are the same.
        problems: What could not be read of files that were otherwise read.
        unread: Files and folders that were not read, with why.
    """

    __slots__ = ("problems", "runs", "unread")

    def __init__(self, runs: tuple[GatheredRun, ...], problems: tuple[Problem, ...], unread: Unread) -> None:
        self.runs = runs
        self.problems = problems
        self.unread = unread


def gather(
    paths: Sequence[str],
    players: Mapping[str, Player],
    *,
    reader: str | None = None,
    wanted: Callable[[Begin], bool] = lambda _: True,
    tell: Tell = lambda _: None,
) -> Gathered:
    """
    Return the runs that `paths` lead to. Writes nothing.

    Args:
        paths: Files, folders, globs, URLs.
        players: Policies whose facts are wanted, by any key; at least one.
        reader: Id of the reader, or None to tell it by the content.
        wanted: Whether a run's facts are wanted; of others only counts and costs are kept.
        tell: Called with each path before it is read.
    """
    problems: list[Problem] = []
    unread = Unread()
    runs = tuple(stream(paths, players, problems, unread, reader=reader, wanted=wanted, tell=tell))
    ids = unique([(one.run.id, one.run.file) for one in runs])
    named = tuple(one.but(run=one.run.but(id=id)) for one, id in zip(runs, ids, strict=True))
    return Gathered(named, tuple(problems), unread)


def stream(
    paths: Sequence[str],
    players: Mapping[str, Player],
    problems: list[Problem],
    unread: Unread,
    *,
    reader: str | None = None,
    wanted: Callable[[Begin], bool] = lambda _: True,
    tell: Tell = lambda _: None,
) -> Iterator[GatheredRun]:
    """
    Yield the runs that `paths` lead to, one in memory at a time, under the ids their readers gave them.

    `problems` and `unread` take what could not be read; the rest is as in `gather`.
    """
    for found in readable(paths, reader, unread):
        tell(found.place.path)
        assert found.reader is not None
        yield from _runs(found.reader, parts_of(found, unread), players, problems, wanted)


def _runs(
    reader: str,
    parts: Iterator[object],
    players: Mapping[str, Player],
    problems: list[Problem],
    wanted: Callable[[Begin], bool],
) -> Iterator[GatheredRun]:
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

    def __init__(self, begin: Begin, players: Mapping[str, Player], wanted: bool) -> None:
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

    def over(self, end: End, reader: str) -> GatheredRun:
        run = self._spent.run(self._begin, end, reader)
        extracted = {key: tuple(found) for key, found in self._extracted.items()} if self._wanted else None
        return GatheredRun(run, self._begin, self._spoken, tuple(self._spent.costs), extracted)


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


def first_exit(player: Player, begin: Begin, extracted: Sequence[Extracted]) -> Decided | None:
    """Return the first EXIT of a policy on a run, None where it never stops."""
    walk = Walk(player.policy, begin, player.program)
    for one in extracted:
        decided = walk.step(one)
        if decided.decision.verdict == EXIT:
            return decided
    return None
