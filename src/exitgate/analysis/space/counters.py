"""Which iteration of its run the first one of an example is, by what is counted."""

from __future__ import annotations

from itertools import pairwise

from exitgate.analysis.space.endings import FAILURES, INTERRUPTED, STATUS
from exitgate.core.engine.record import FAILED
from exitgate.core.facts.extractors.run import INTERRUPTED as SIGNALLED
from exitgate.core.model.value import Unknown, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.language.tree import Node


ITERATIONS = "run.iterations"
#: What never falls within a run.
GROWING = (ITERATIONS, "run.elapsed", "clock.elapsed", "run.cost", "run.tokens")
#: Stages.
AFTER, BEFORE, FAILURE = "after_iteration", "before_iteration", "after_failure"
#: Classes of exit after which the same run goes on.
SUSPENDING = ("wait", "interrupted")


def number_of_first(run: Sequence[Mapping[str, object]]) -> int | None:
    """
    Return which iteration of its run the first of `run` is, by the counts that are known.

    Without any it is the first one that it can be. None where counts contradict each other, or something
    falls that only grows. A check before the first iteration has the count 0.
    """
    failing = [(at, v) for at, values in enumerate(run) if (v := _count(values.get(FAILURES))) is not None]
    firsts = {
        count - at for at, values in enumerate(run) if (count := _count(values.get(ITERATIONS))) is not None
    }
    earliest = max((count - at for at, count in failing), default=0)
    first = firsts.pop() if firsts else max(1, earliest)
    if firsts or first < max(earliest, 0 if len(run) == 1 else 1) or not _fail_in_row(run, failing):
        return None
    for name in GROWING:
        known = [value for values in run if isinstance(value := values.get(name), int | float)]
        if any(later < earlier for earlier, later in pairwise(known)):
            return None
    return first


def _count(value: object) -> int | None:
    return value if is_whole(value) else None


def _fail_in_row(run: Sequence[Mapping[str, object]], counts: Sequence[tuple[int, int]]) -> bool:
    """Return whether counts of failures in a row follow from each other and from which iterations failed."""
    known = dict(counts)
    for at, count in counts:
        if count not in _rows_after(run[at], known.get(at - 1), count):
            return False
        if any(run[at - back].get(FAILED) is False for back in range(min(count, at + 1))):
            return False
        if count < _failing(run, at):
            return False
    return True


def _rows_after(values: Mapping[str, object], before: int | None, count: int) -> tuple[int, ...]:
    """
    Return how many failures in a row there can be after an iteration; `count` where `before` does not tell.

    An agent that somebody interrupted has not failed: the row is neither longer nor over. Nor does an
    iteration change it that does not show whether the agent failed.
    """
    if values.get(FAILED) is False:
        return (0,)
    if is_interrupted(values):
        return (count if before is None else before,)
    if has_failed(values):
        return (max(count, 1) if before is None else before + 1,)
    if before is None:
        return (count,)
    return (before + 1, 0) if knows_ending(values) else (before, before + 1, 0)


def _failing(run: Sequence[Mapping[str, object]], at: int) -> int:
    """Return in how many iterations in a row, up to `at`, the agent is known to have failed."""
    found = 0
    for values in reversed(run[: at + 1]):
        if values.get(FAILED) is not True or is_interrupted(values):
            break
        found += 1
    return found


def has_failed(values: Mapping[str, object]) -> bool:
    """Return whether facts of an iteration say that the agent failed, or was interrupted."""
    status = values.get(STATUS)
    ended_badly = isinstance(status, int | float) and status != 0
    return values.get(FAILED) is True or values.get(INTERRUPTED) is True or ended_badly


def is_interrupted(values: Mapping[str, object]) -> bool:
    """Return whether facts of an iteration say that somebody interrupted the agent."""
    return values.get(INTERRUPTED) is True or values.get(STATUS) in SIGNALLED


def knows_ending(values: Mapping[str, object]) -> bool:
    """Return whether facts say something of how the agent ended: then it is known whether it failed."""
    return any(name in values and not isinstance(values[name], Unknown) for name in (STATUS, INTERRUPTED))


def is_uncounted(node: Node) -> bool:
    """Return whether a condition asks for an unknown count of iterations."""
    if "unknown" not in node.uses():  # kept with the tree: of many rules, each is asked about for each
        return False
    asked = [part for part in node.walk() if part.op == "unknown"]
    return any(one.op == "fact" and one.args[0] == ITERATIONS for part in asked for one in part.children())
