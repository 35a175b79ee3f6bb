"""A sweep over parameters of a policy: facts are had once, every point is decided on them."""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import islice

from msgspec import Struct

from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import micro
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.replay.loaded_runs import first_exit
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.grid import default_of, distance
from exitgate.recordings.scoring.late_binding import LateBinding
from exitgate.recordings.scoring.scored_runs import choose, stop_of
from exitgate.recordings.scoring.scores import PREMATURE, RunScore, Total, score, total
from exitgate.recordings.scoring.statistics import cross_validated, folds, front

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.recordings.replay.loaded_runs import LoadedRuns, Read
    from exitgate.recordings.scoring.grid import Grid, Point
    from exitgate.recordings.scoring.labels import Labels
    from exitgate.recordings.scoring.scored_runs import Chosen
    from exitgate.recordings.scoring.scores import RunScore

    Settings = Mapping[str, str]


#: Fewer labelled runs cannot be divided into runs to choose on and runs to judge by.
FEWEST = 3


class Tried(Struct, frozen=True):
    """One point of the grid: its values, its total over all runs, and how far it is from the default."""

    point: Point
    total: Total
    distance: float
    premature: float
    wasted: float


class Tuned(Struct, frozen=True):
    """
    What a sweep finds.

    Args:
        policy: Name or path, as asked.
        grid: The points.
        in_usd: Whether waste is counted in USD; else in iterations.
        default: The policy's own values, as a point.
        own: Its total with them.
        chosen: The point that is best on all runs, by the rule of `best`.
        crossed: The total of what is chosen without each run, judged on that run.
        agreeing: Choices without a run that are the chosen point, of `folds`.
        folds: How many times a point is chosen.
        others: Points that were chosen in some fold, most often first, with how often.
        front: The Pareto front of premature stops against waste.
        extractions: How many times facts had to be extracted.
        scored: The labelled runs, and those left out.
        gathered: What was read.
    """

    policy: str
    grid: Grid
    in_usd: bool
    default: Point
    own: Total
    chosen: Tried
    crossed: Total
    agreeing: int
    folds: int
    others: tuple[tuple[Point, int], ...]
    front: tuple[Tried, ...]
    extractions: int
    scored: Chosen
    gathered: LoadedRuns


def tune(
    read: Read,
    labels: Labels,
    policy: str,
    points: Grid,
    *,
    settings: Mapping[str, str] | None = None,
    in_usd: bool | None = None,
    fold_count: int | None = None,
    seed: int = 0,
    load: Callable[[Mapping[str, str]], CompiledPolicy] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    jobs: int = 1,
) -> Tuned:
    """
    Return which point of a grid is best on labelled runs, and how sure that is.

    Args:
        read: From policies to runs with their facts, as `scored_runs.reading` makes it.
        labels: What is right.
        policy: Name or path.
        points: As `exitgate.recordings.scoring.grid.grid` returns them.
        settings: Parameters that stay the same at all points.
        in_usd: Whether waste is counted in USD. By default it is where every run that wastes tells a cost.
        fold_count: Folds to cross-validate with; None leaves out one run at a time.
        seed: Of the folds.
        load: From settings to the policy with them; by default `policy` as it was written.
        tell: Called with each point before it is tried.
        jobs: Processes that try points, each one point at a time. The result does not depend on it.

    The best point has the fewest premature stops; among those the least waste; among those it is nearest to
    the policy's own values; among those it comes first.

    Raises:
        ExitgateError: 65 for labels of runs that are missing; 66 for fewer than `FEWEST` labelled runs,
            and for waste in USD where none tells any.
    """
    fixed, make = dict(settings or {}), load or partial(_as_written, policy)
    trial = Trial(policy, make, fixed, tuple(points.values))
    bound = trial.bound()
    settled = [{**fixed, **point} for point in points.points]
    extracting = _extracting(bound, settled, points)
    gathered = read(extracting)
    scored = choose(gathered, labels)
    _check_enough(scored, in_usd)
    first = scores_of(bound.own, scored)
    table = list(scores_at(settled, trial, scored, jobs, tell, bound))
    own = bound.policies.own
    far = [distance(own, points.values, point) for point in points.points]
    sheet = _Sheet(points, table, far, _reports_cost(first) if in_usd is None else in_usd)
    return _tuned(
        policy, default_of(own, tuple(points.values)), sheet, first, scored, gathered,
        folds(len(scored.runs), fold_count, seed), len(extracting),
    )  # fmt: skip


def _check_enough(scored: Chosen, in_usd: bool | None) -> None:
    """Raise `ExitgateError` (66) where nothing can be chosen by these runs."""
    message, count = "", len(scored.runs)
    if count < FEWEST:
        message = f"{count} of the labelled runs can be scored; a sweep needs {FEWEST} or more"
        help = "label more runs: `exitgate label PATH -o labels.yaml`"
    elif in_usd and not any(cost is not None for one, _ in scored.runs for cost in one.costs):
        message, help = "no labelled run records its cost", "count waste in iterations"
    if message:
        raise ExitgateError([Diagnostic("EP876", message, help=help)], NOTHING_TO_DECIDE)


def _extracting(bound: Bound, settled: Sequence[Point], points: Grid) -> dict[str, PolicyReplay]:
    """
    Return a policy for each way of extracting facts among the points: one, if no swept parameter matters.

    Policies are dropped as soon as it is known how they extract.
    """
    found = {bound.own.digest: bound.own}
    read = {name for extraction in bound.own.policy.extractions for name in extraction.parameters}
    for settings in settled if not read.isdisjoint(points.values) else ():
        player = bound.at(settings)
        found.setdefault(player.digest, player)
    return found


def _as_written(policy: str, settings: Mapping[str, str]) -> CompiledPolicy:
    return load_policy(policy, settings=settings)


def _tuned(
    policy: str,
    default: Point,
    sheet: _Sheet,
    own: Sequence[RunScore],
    scored: Chosen,
    gathered: LoadedRuns,
    left_out: Sequence[Sequence[int]],
    extractions: int,
) -> Tuned:
    """Return what the sheet says: the best point, how it does without the runs it is judged on, the front."""
    runs = range(len(scored.runs))
    choices = cross_validated(len(runs), left_out, sheet.pick)
    best = sheet.pick(runs)
    by_fold = [choices[out[0]] for out in left_out]
    crossed = [sheet.table[at][run] for run, at in zip(runs, choices, strict=True)]
    return Tuned(
        policy, sheet.points, sheet.in_usd, default, total(policy, own), sheet.tried(best),
        total(policy, crossed), by_fold.count(best), len(left_out), _counted(by_fold, sheet.points),
        tuple(sheet.tried(at) for at in sheet.front()), extractions, scored, gathered,
    )  # fmt: skip


class _Sheet:
    """The scores of every point on every run."""

    def __init__(
        self, points: Grid, table: Sequence[Sequence[RunScore]], far: Sequence[float], in_usd: bool
    ) -> None:
        self.points = points
        self.table = table
        self.far = far
        self.in_usd = in_usd
        #: Points, the nearest to the policy's own values first.
        self.order = sorted(range(len(far)), key=lambda at: (far[at], at))

    def costs(self, at: int, runs: Sequence[int] | None = None) -> tuple[float, float]:
        """Return how many stops of a point are premature, and what it wastes, on all runs or some."""
        scores = self.table[at] if runs is None else [self.table[at][run] for run in runs]
        premature = sum(one.kind == PREMATURE for one in scores)
        if not self.in_usd:
            return premature, sum(one.wasted for one in scores)
        return premature, micro(sum(one.wasted_cost or 0.0 for one in scores))

    def pick(self, runs: Sequence[int]) -> int:
        """Return the best point on some runs."""
        return min(self.order, key=lambda at: self.costs(at, runs))

    def front(self) -> list[int]:
        """Return the Pareto front over all runs; the nearest of equal points stands for all."""
        return [self.order[at] for at in front([self.costs(at) for at in self.order])]

    def tried(self, at: int) -> Tried:
        """Return a point with its total over all runs."""
        point = self.points.points[at]
        return Tried(point, total("", self.table[at]), self.far[at], *self.costs(at))


def _reports_cost(scores: Sequence[RunScore]) -> bool:
    """Return whether every run that wastes anything says what it cost."""
    return all(one.loop_wasted_cost is not None for one in scores if one.loop_wasted) and any(
        one.loop_wasted_cost for one in scores
    )


def _counted(choices: Sequence[int], points: Grid) -> tuple[tuple[Point, int], ...]:
    counts = {at: choices.count(at) for at in dict.fromkeys(choices)}
    order = sorted(counts, key=lambda at: (-counts[at], at))
    return tuple((points.points[at], counts[at]) for at in order)


# Points of a sweep tried on labelled runs, here or in several processes.
#
# Each policy is dropped when it is done. What is kept of a point are its scores, so memory does not grow
# with the policies that are tried.

#: Points given out ahead for each process.
_AHEAD = 2


class Trial(Struct, frozen=True):
    """What points are tried with: the policy's name, what makes it with settings, the fixed and the swept."""

    policy: str
    make: Callable[[Settings], CompiledPolicy]
    fixed: Settings
    swept: tuple[str, ...]

    def bound(self) -> Bound:
        """Return its policies; what they share is made here."""
        return Bound(self.policy, LateBinding(self.make, self.fixed, self.swept))


class Bound:
    """The policies of points, each with what is made of it once."""

    def __init__(self, name: str, policies: LateBinding) -> None:
        self.policies = policies
        self.own = PolicyReplay(name, policies.own)

    def at(self, settings: Settings) -> PolicyReplay:
        """Return the policy of one point. Raises `ExitgateError` for settings that it does not take."""
        return self.own.with_policy(self.policies.at(settings))


def scores_at(
    points: Iterable[Settings],
    trial: Trial,
    scored: Chosen,
    jobs: int = 1,
    tell: Callable[[str], None] = lambda _: None,
    bound: Bound | None = None,
) -> Iterator[list[RunScore]]:
    """
    Yield the scores of each point on the labelled runs, in order of the points.

    Args:
        points: Settings of each.
        trial: What they are tried with.
        scored: The labelled runs. With more than one job both are pickled.
        jobs: How many processes; 1 is this one.
        tell: Called with each point before it is given out.
        bound: The policies of `trial`, where this process has them.

    Raises:
        ExitgateError: 65 for settings that the policy does not take.
        exitgate.core.system.pool.DiedError: A process died over a point.
    """
    waiting = iter(points)
    if jobs == 1:
        bound = bound or trial.bound()
        for settings in waiting:
            tell(_written(settings))
            yield scores_of(bound.at(settings), scored)
        return
    from exitgate.core.system.pool import Pool

    pool = Pool(jobs, _begin, (trial, scored))
    done = False
    try:
        under_way = deque[object]()
        while True:
            for settings in islice(waiting, jobs * _AHEAD - len(under_way)):
                tell(_written(settings))
                under_way.append(pool.submit(_try, settings))
            if not under_way:
                break
            yield under_way.popleft().result()  # type: ignore[attr-defined]
        done = True
    finally:
        pool.close(at_once=not done)


def scores_of(player: PolicyReplay, scored: Chosen) -> list[RunScore]:
    """Return the scores of a policy on the labelled runs."""
    found = []
    for one, label in scored.runs:
        assert one.extracted is not None
        stop = stop_of(first_exit(player, one.begin, one.extracted[player.digest]))
        found.append(score(one.run.id, player.name, label, stop, one.costs))
    return found


def _written(settings: Settings) -> str:
    return " ".join(f"{name}={text}" for name, text in settings.items())


#: In a process of the pool, the policies of its points, and the runs.
_TRIED: list[tuple[Bound, Chosen]] = []


def _begin(given: tuple[Trial, Chosen]) -> None:
    """Make a new process ready."""
    trial, scored = given
    _TRIED[:] = [(trial.bound(), scored)]


def _try(settings: Settings) -> list[RunScore]:
    bound, scored = _TRIED[0]
    return scores_of(bound.at(settings), scored)
