"""Which iteration of its run the first one of an example is, by what is counted."""

from __future__ import annotations

from itertools import pairwise

from exitgate.engine.record import FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.language.tree import Node

ITERATIONS = "run.iterations"
#: How many iterations in a row have failed, the last one included.
FAILURES = "run.failures_in_row"
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
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _fail_in_row(run: Sequence[Mapping[str, object]], counts: Sequence[tuple[int, int]]) -> bool:
    """Return whether counts of failures in a row follow from each other and from which iterations failed."""
    if any((run[at].get(FAILED), count > 0) in ((True, False), (False, True)) for at, count in counts):
        return False
    known = dict(counts)
    for at, count in counts:
        before = known.get(at - 1)
        if count and before is not None and count != before + 1:
            return False
        if any(run[at - back].get(FAILED) is False for back in range(min(count, at + 1))):
            return False
        if count and at >= count and run[at - count].get(FAILED) is True:
            return False
    return True


def is_uncounted(node: Node) -> bool:
    """Return whether a condition asks for an unknown count of iterations."""
    asked = [part for part in node.walk() if part.op == "unknown"]
    return any(one.op == "fact" and one.args[0] == ITERATIONS for part in asked for one in part.children())
