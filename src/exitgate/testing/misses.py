"""From failures to what every form of output reads, with the nearest cause of each."""

from __future__ import annotations

from exitgate.report.tests_ran import Miss
from exitgate.testing.cause import DECIDED, causes
from exitgate.testing.wants import WORDINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.testing.case import Failure, Result, Want


def misses_of(result: Result, nearest: bool = True) -> tuple[Miss, ...]:
    """
    Return the expectations of a case that were not met, in the order they were compared.

    What is said of one expectation is not said again of the next at the same iteration. `nearest` is whether
    the nearest cause of each is looked for, which takes much longer than the case itself.
    """
    said: set[tuple[int, str]] = set()
    found = []
    for failure in result.failures:
        want = failure.want
        lines = [] if _follows(want, result) else [*failure.detail, *_nearest(want, result, nearest)]
        why = tuple(line for line in lines if (want.iteration, line) not in said)
        said.update((want.iteration, line) for line in why)
        found.append(_miss(failure, len(result.case.given), why))
    return tuple(found)


def _miss(failure: Failure, iterations: int, why: tuple[str, ...]) -> Miss:
    want = failure.want
    return Miss(
        want.key, want.subject, want.iteration, iterations, want.place, failure.wanted, failure.got, why
    )


def _follows(want: Want, result: Result) -> bool:
    """Return whether it is not met because another rule decided than the one that the case names."""
    return (want.key in DECIDED or want.key in WORDINGS) and any(
        failure.want.key == "rule" and failure.want.value is not None and failure.want is not want
        for failure in result.failures
        if failure.want.iteration == want.iteration
    )


def _nearest(want: Want, result: Result, nearest: bool) -> Iterator[str]:
    view = result.views.get(want.iteration)
    if nearest and view is not None:
        beside = [one for one in result.case.wants if one.iteration == want.iteration]
        yield from causes(want, view, beside)
