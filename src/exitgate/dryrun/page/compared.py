"""Policies together on one run: where each stops, what comes after that, where they part."""

from __future__ import annotations

from itertools import combinations

from exitgate.dryrun.page.moments import counted, usd
from exitgate.dryrun.page.verdicts import stop_of, verdict
from exitgate.dryrun.page.view import Compared, Divergence
from exitgate.model.type import micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.dryrun.labels import Label
    from exitgate.dryrun.result import IterationRow, RunResult
    from exitgate.facts.mask import Mask
    from exitgate.policy.compiled import CompiledPolicy

RIGHT, EARLY, LATE, MISSED = "right", "premature", "late", "missed"
#: Pairs of policies whose ways part that one run tells.
PAIRS = 10


def compared(result: RunResult, policy: CompiledPolicy, label: Label | None, mask: Mask) -> Compared:
    """Return one policy's stop and what it would have meant."""
    stop = result.stop
    grade, meant = _graded(result, label) if label is not None else ("", _meant(result, policy))
    if stop is None:
        end = "says CONTINUE to the end of the recording"
        return Compared(result.policy, result.version, 0, None, "", end, "", "", meant, grade)
    after = counted(result.after or 0, "iteration")
    cell = verdict(stop, stop.iteration)
    rule, message = stop.rule or stop.outcome, mask.mask(stop.message)
    spent = usd(result.cost_after)
    return Compared(
        result.policy, result.version, stop.iteration, cell, rule, message, after, spent, meant, grade
    )


def divergences(results: Sequence[RunResult], mask: Mask) -> tuple[Divergence, ...]:
    """Return, for each pair of policies, the first iteration on which they do not agree."""
    found: dict[int, dict[str, tuple[str, IterationRow, int | None]]] = {}
    for pair in list(combinations(results, 2))[:PAIRS]:
        at = _parting(*pair)
        if at is not None:
            for one in pair:
                row = next(row for row in one.rows if row.iteration == at)
                found.setdefault(at, {})[one.policy] = (one.policy, row, stop_of(one))
    return tuple(
        Divergence(
            at,
            tuple((name, verdict(row, stop), mask.mask(row.message)) for name, row, stop in sides.values()),
        )
        for at, sides in sorted(found.items())
    )


def _parting(one: RunResult, other: RunResult) -> int | None:
    """Return the first iteration where two policies differ; behind a common stop nothing counts."""
    for mine, theirs in zip(one.rows, other.rows, strict=False):
        if (mine.verdict, mine.exit_class) != (theirs.verdict, theirs.exit_class):
            return mine.iteration
        if mine.iteration in (stop_of(one), stop_of(other)):
            return None
    return None


def _meant(result: RunResult, policy: CompiledPolicy) -> str:
    """Return what a stop would have saved, and what of the work came after it, where no label says more."""
    if result.stop is None or not result.after:
        return "nothing saved and nothing cut short"
    saved = counted(result.after, "iteration")
    cost = usd(result.cost_after)
    told = f"saves {saved}" + (f" and {cost}" if cost else "")
    more = _ticked_after(result, policy)
    if more is None:
        return told
    lost = f"cuts short {counted(more, 'ticked task')}" if more else "no task was ticked after it"
    return f"{told}; {lost}"


def _ticked_after(result: RunResult, policy: CompiledPolicy) -> int | None:
    """Return how many more tasks were done at the best moment after the stop; None without a task list."""
    prefixes = [entry.prefix for entry in policy.extractions if entry.extractor == "checklist"]
    stop = stop_of(result)
    if not prefixes or stop is None:
        return None
    name = f"{prefixes[0]}.done"
    rows = zip(result.rows, result.decided, strict=False)
    done = [(row.iteration, one.record.get(name)) for row, one in rows]
    before = [value for at, value in done if at <= stop and isinstance(value, int)]
    after = [value for at, value in done if at > stop and isinstance(value, int)]
    return max(0, max(after) - max(before)) if before and after else None


def _graded(result: RunResult, label: Label) -> tuple[str, str]:
    """Return how a stop is to the label, and in words."""
    stop, count = stop_of(result), result.run.iterations
    if label.never:
        if stop is None:
            return RIGHT, "continues, as labelled"
        return EARLY, f"cuts off {counted(count - stop, 'iteration')} of a run that should continue"
    assert label.first is not None
    assert label.last is not None
    if stop is None:
        return MISSED, f"{_wasted(result, label.last, count)} wasted"
    if stop < label.first:
        return EARLY, f"cuts off {counted(label.first - stop, 'iteration')} before the right stop"
    if stop > label.last:
        return LATE, f"{_wasted(result, label.last, stop)} wasted"
    assert result.stop is not None
    if label.classes and result.stop.exit_class not in label.classes:
        wanted = " or ".join(label.classes)
        return RIGHT, f"the right iteration, but as {result.stop.exit_class}; the label says {wanted}"
    return (
        RIGHT,
        f"saves {counted(count - stop, 'iteration')}" if count > stop else "stops where the run ended",
    )


def _wasted(result: RunResult, first: int, last: int) -> str:
    """Return what the iterations behind `first` up to `last` took."""
    costs = [cost for cost in result.costs[first:last] if cost is not None]
    told = counted(last - first, "iteration")
    return f"{told} and {usd(micro(sum(costs)))}" if costs else told
