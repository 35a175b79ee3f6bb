"""Which iteration of its run the first one of an example is, by what is counted."""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.language.tree import Node

ITERATIONS = "run.iterations"
#: What never falls within a run.
GROWING = (ITERATIONS, "run.elapsed", "clock.elapsed", "run.cost", "run.tokens")
#: Stages.
AFTER, BEFORE, FAILURE = "after_iteration", "before_iteration", "after_failure"
#: Classes of exit after which the same run goes on.
SUSPENDING = ("wait", "interrupted")


def number_of_first(run: Sequence[Mapping[str, object]]) -> int | None:
    """
    Return which iteration of its run the first of `run` is, by the counts that are known; 1 without any.

    None where counts contradict each other, or something falls that only grows. A check before the first
    iteration has the count 0.
    """
    firsts = {
        count - at
        for at, values in enumerate(run)
        if isinstance(count := values.get(ITERATIONS), int) and not isinstance(count, bool)
    }
    first = firsts.pop() if firsts else 1
    if firsts or first < (0 if len(run) == 1 else 1):
        return None
    for name in GROWING:
        known = [value for values in run if isinstance(value := values.get(name), int | float)]
        if any(later < earlier for earlier, later in pairwise(known)):
            return None
    return first


def is_uncounted(node: Node) -> bool:
    """Return whether a condition asks for an unknown count of iterations."""
    asked = [part for part in node.walk() if part.op == "unknown"]
    return any(one.op == "fact" and one.args[0] == ITERATIONS for part in asked for one in part.children())
