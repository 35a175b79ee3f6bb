"""
Points of a sweep tried on labelled runs, here or in several processes.

Each policy is dropped when it is done. What is kept of a point are its scores, so memory does not grow
with the policies that are tried.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from exitgate.dryrun.gathered_runs import first_exit
from exitgate.dryrun.players import Player
from exitgate.dryrun.scores import score
from exitgate.dryrun.scores_runs import stop_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from exitgate.dryrun.scores import RunScore
    from exitgate.dryrun.scores_runs import Chosen
    from exitgate.policy.compiled import CompiledPolicy

    Settings = Mapping[str, str]

#: Points given out ahead for each process.
_AHEAD = 2


class Trial(Value):
    """What a point is tried on: the policy's name, what makes it with settings, the labelled runs."""

    __slots__ = ("make", "policy", "scored")

    def __init__(self, policy: str, make: Callable[[Settings], CompiledPolicy], scored: Chosen) -> None:
        self.policy = policy
        self.make = make
        self.scored = scored


def scores_at(
    points: Iterable[Settings], trial: Trial, jobs: int = 1, tell: Callable[[str], None] = lambda _: None
) -> Iterator[list[RunScore]]:
    """
    Yield the scores of each point on the labelled runs, in order of the points.

    Args:
        points: Settings of each.
        trial: What they are tried on; with more than one job it is pickled.
        jobs: How many processes; 1 is this one.
        tell: Called with each point before it is given out.

    Raises:
        ExitgateError: 65 for settings that the policy does not take.
        exitgate.children.pool.DiedError: A process died over a point.
    """
    waiting = iter(points)
    if jobs == 1:
        for settings in waiting:
            tell(_written(settings))
            yield _tried(trial, settings)
        return
    from exitgate.children.pool import Pool

    pool = Pool(jobs, _begin, trial)
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


def scores_of(player: Player, scored: Chosen) -> list[RunScore]:
    """Return the scores of a policy on the labelled runs."""
    found = []
    for one, label in scored.runs:
        assert one.extracted is not None
        stop = stop_of(first_exit(player, one.begin, one.extracted[player.digest]))
        found.append(score(one.run.id, player.name, label, stop, one.costs))
    return found


def _tried(trial: Trial, settings: Settings) -> list[RunScore]:
    return scores_of(Player(trial.policy, trial.make(settings)), trial.scored)


def _written(settings: Settings) -> str:
    return " ".join(f"{name}={text}" for name, text in settings.items())


#: In a process of the pool, what its points are tried on.
_TRIAL: list[Trial] = []


def _begin(trial: Trial) -> None:
    """Make a new process ready."""
    _TRIAL[:] = [trial]


def _try(settings: Settings) -> list[RunScore]:
    return _tried(_TRIAL[0], settings)
