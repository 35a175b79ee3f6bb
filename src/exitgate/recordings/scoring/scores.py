"""How a policy's stops compare with the right ones: waste, premature stops, missed stops, classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from exitgate.core.model.value import micro
from exitgate.recordings.scoring.labels import Label
from exitgate.recordings.scoring.statistics import Figure, figure

RIGHT, LATE, PREMATURE, MISSED = "right", "late", "premature", "missed"


class Stop(Struct, frozen=True):
    """
    The first EXIT of a policy.

    Args:
        iteration: After which it comes, from 1.
        exit_class: Of `exitgate.core.model.decision.CLASSES`.
        outcome, rule, message: As in `exitgate.core.model.decision.Decision`.
        firm: Whether the decision is.
    """

    iteration: int
    exit_class: str
    outcome: str = ""
    rule: str | None = None
    message: str = ""
    firm: bool = True


class RunScore(Struct, frozen=True):
    """
    One policy on one labelled run.

    Args:
        run: Id of the run.
        policy: As it is called here.
        label: What is right.
        iterations: Of the run as it was recorded.
        stop: Of the policy, None where it never stops.
        kind: `RIGHT`, `LATE`, `PREMATURE` or `MISSED`.
        wasted: Iterations after the last right stop that the policy lets happen.
        wasted_cost: USD of them; None where the transcript tells no cost.
        cut: Iterations of work that a premature stop cuts off.
        cut_cost: USD of them; None where the transcript tells no cost.
        class_right: Whether the class of the stop is; None where no class is labelled, or there is no
            stop, or a premature one.
        loop_wasted: Iterations after the last right stop of the loop as it was recorded.
        loop_wasted_cost: USD of them; None where the transcript tells no cost.
    """

    run: str
    policy: str
    label: Label
    iterations: int
    stop: Stop | None
    kind: str
    wasted: int
    wasted_cost: float | None
    cut: int
    cut_cost: float | None
    class_right: bool | None
    loop_wasted: int
    loop_wasted_cost: float | None


def score(run: str, policy: str, label: Label, stop: Stop | None, costs: Sequence[float | None]) -> RunScore:
    """
    Return how a stop compares with the right one.

    Args:
        run, policy: What they are called.
        label: What is right.
        stop: Of the policy, None where it never stops.
        costs: USD of each iteration of the recorded run, None where not reported: as many as it has.

    A stop before the first right one is premature and cuts off the iterations up to it; on a run that
    should never have stopped every stop is, and cuts off all that follows. What comes after the last right
    one is waste. A policy that never stops where there is a right stop has missed it.
    """
    count = len(costs)
    first, last = (label.first, label.last) if not label.never else (None, None)
    at = stop.iteration if stop is not None else None
    until = at if at is not None else count
    wasted = (last, max(until, last)) if last is not None else (count, count)
    cut = (0, 0)
    if at is not None and (first is None or at < first):
        cut = (at, first if first is not None else count)
    kind = RIGHT
    if at is None:
        kind = MISSED if first is not None else RIGHT
    elif first is None or at < first:
        kind = PREMATURE
    elif last is not None and at > last:
        kind = LATE
    class_right = None
    if stop is not None and kind != PREMATURE and label.classes:
        class_right = stop.exit_class in label.classes
    loop = (last if last is not None else count, count)
    return RunScore(
        run, policy, label, count, stop, kind,
        wasted[1] - wasted[0], cost_between(costs, *wasted), cut[1] - cut[0], cost_between(costs, *cut),
        class_right, loop[1] - loop[0], cost_between(costs, *loop),
    )  # fmt: skip


def cost_between(costs: Sequence[float | None], begin: int, end: int) -> float | None:
    """Return the USD reported for the iterations behind `begin` up to `end`, None if none reports any."""
    told = [cost for cost in (costs[begin:end] if begin < end else costs) if cost is not None]
    if not told:
        return None
    return sum(told, 0.0) if begin < end else 0.0


class Total(Struct, frozen=True):
    """
    One policy over all labelled runs, each figure with its interval over runs.

    Args:
        policy: As it is called here.
        runs: How many.
        counts: How many are right, late, premature and missed.
        controls: How many should never have stopped.
        wasted, wasted_cost: Iterations and USD after the right stops; USD of runs that tell a cost.
        share, share_cost: The same in percent of what the recorded loops wasted.
        premature: Runs that it stops before their right stop, and controls that it stops at all.
        cut, cut_cost: Iterations and USD of work cut off by them.
        missed: Runs that it would never have stopped.
        class_right: Percent of right classes among the stops that have one to be.
        classes: How many stops those are.
    """

    policy: str
    runs: int
    counts: dict[str, int]
    controls: int
    wasted: Figure
    wasted_cost: Figure
    share: Figure
    share_cost: Figure
    premature: Figure
    cut: Figure
    cut_cost: Figure
    missed: Figure
    class_right: Figure
    classes: int


def total(policy: str, scores: Sequence[RunScore], *, draws: int | None = None) -> Total:
    """Return the figures of one policy; `draws` samples for the intervals, or as many as usual."""
    settings = {} if draws is None else {"draws": draws}

    def of(statistic: Callable[[Sequence[RunScore]], float | None]) -> Figure:
        return figure(scores, statistic, **settings)

    kinds = (RIGHT, LATE, PREMATURE, MISSED)
    return Total(
        policy,
        len(scores),
        {kind: sum(one.kind == kind for one in scores) for kind in kinds},
        sum(one.label.never for one in scores),
        of(lambda some: sum(one.wasted for one in some)),
        of(lambda some: _sum([one.wasted_cost for one in some])),
        of(lambda some: _share([(one.wasted, one.loop_wasted) for one in some])),
        of(lambda some: _share([(one.wasted_cost, one.loop_wasted_cost) for one in some])),
        of(lambda some: sum(one.kind == PREMATURE for one in some)),
        of(lambda some: sum(one.cut for one in some)),
        of(lambda some: _sum([one.cut_cost for one in some])),
        of(lambda some: sum(one.kind == MISSED for one in some)),
        of(lambda some: _share([(one.class_right, one.class_right is not None) for one in some])),
        sum(one.class_right is not None for one in scores),
    )


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return micro(sum(known)) if known else None


def _share(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Return the sum of the first in percent of the sum of the second, over pairs in which both are known."""
    known = [(part, whole) for part, whole in pairs if part is not None and whole is not None]
    whole = sum(pair[1] for pair in known)
    return 100 * sum(pair[0] for pair in known) / whole if whole else None
