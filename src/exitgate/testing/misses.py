"""From failures to what every form of output reads, with the nearest cause of each."""

from __future__ import annotations

from exitgate.report.tests_ran import Miss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.case import Result


def misses_of(result: Result) -> tuple[Miss, ...]:
    """Return the expectations of a case that were not met, in the order they were compared."""
    iterations = len(result.case.given)
    return tuple(
        Miss(
            failure.want.key,
            failure.want.subject,
            failure.want.iteration,
            iterations,
            failure.want.place,
            failure.wanted,
            failure.got,
            failure.detail,
        )
        for failure in result.failures
    )
