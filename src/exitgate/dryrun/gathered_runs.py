"""Recorded runs with what policies have read of them: read once, decided on as often as one likes."""

from __future__ import annotations

from exitgate.dryrun.play import Extraction, Walk
from exitgate.dryrun.players import Player, Spent
from exitgate.dryrun.result import RecordedRun
from exitgate.model.value import Value
from exitgate.model.verdict import EXIT
from exitgate.transcripts import registry
from exitgate.transcripts.discover import discover
from exitgate.transcripts.gives import ALL
from exitgate.transcripts.run import Begin, End, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.dryrun.extracted import Extracted
    from exitgate.dryrun.play import Decided, Shared
    from exitgate.transcripts.recorded import RecordedIteration


class GatheredRun(Value):
    """
    A recorded run with what is known of its iterations.

    Args:
        run: The run as a whole.
        begin: As its reader told it.
        spoken: Iterations of which the transcript has a response or any other output of the agent.
        costs: USD of each iteration, None where not told.
        extracted: By key of `gather`'s players: what each iteration says. None for a run nobody wanted.
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
        unread: Files and folders that could not be opened or that no reader fits, with why.
    """

    __slots__ = ("problems", "runs", "unread")

    def __init__(
        self,
        runs: tuple[GatheredRun, ...],
        problems: tuple[Problem, ...] = (),
        unread: tuple[Problem, ...] = (),
    ) -> None:
        self.runs = runs
        self.problems = problems
        self.unread = unread


def gather(
    paths: Sequence[str],
    players: Mapping[str, Player],
    *,
    reader: str | None = None,
    wanted: Callable[[Begin], bool] = lambda _: True,
) -> Gathered:
    """
    Return the runs that `paths` lead to. Writes nothing.

    Args:
        paths: Files, folders, globs, URLs.
        players: Policies whose facts are wanted, by any key; at least one.
        reader: Id of the reader, or None to tell it by the content.
        wanted: Whether a run's facts are wanted; of others only counts and costs are kept.
    """
    runs: list[GatheredRun] = []
    problems: list[Problem] = []
    unread: list[Problem] = []
    for found in discover(paths, reader):
        if found.reader is None:
            if found.trouble or found.named:
                unread.append(Problem(found.place.path, found.trouble or "no reader fits it"))
            continue
        try:
            parts = registry.load(found.reader).read(found.place, ALL)
            for one in _runs(found.reader, parts, players, wanted):
                if isinstance(one, Problem):
                    problems.append(one)
                else:
                    runs.append(one)
        except OSError as error:
            unread.append(Problem(found.place.path, error.strerror or str(error)))
    return Gathered(tuple(_named(runs)), tuple(problems), tuple(unread))


def _runs(
    reader: str,
    parts: Iterator[object],
    players: Mapping[str, Player],
    wanted: Callable[[Begin], bool],
) -> Iterator[GatheredRun | Problem]:
    under_way: _UnderWay | None = None
    for part in parts:
        if isinstance(part, Problem):
            yield part
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


def _named(runs: Sequence[GatheredRun]) -> Iterator[GatheredRun]:
    """Yield the runs with unique ids: of those that share one, each has its file in front."""
    count: dict[str, int] = {}
    for one in runs:
        count[one.run.id] = count.get(one.run.id, 0) + 1
    for one in runs:
        if count[one.run.id] == 1:
            yield one
            continue
        own = {name: getattr(one.run, name) for name in RecordedRun.__slots__}
        run = RecordedRun(**{**own, "id": f"{one.run.file}:{one.run.id}"})
        yield GatheredRun(run, one.begin, one.spoken, one.costs, one.extracted)


def first_exit(player: Player, begin: Begin, extracted: Sequence[Extracted]) -> Decided | None:
    """Return the first EXIT of a policy on a run, None where it goes on to the end."""
    walk = Walk(player.policy, begin, player.program)
    for one in extracted:
        decided = walk.step(one)
        if decided.decision.verdict == EXIT:
            return decided
    return None
