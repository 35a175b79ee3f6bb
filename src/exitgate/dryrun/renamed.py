"""A result under another id of its run."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.result import RunResult


def renamed(result: RunResult, id: str) -> RunResult:
    """Return the result with `id` in place of its run's own, in its rows too."""
    if result.run.id == id:
        return result
    rows = tuple(row.but(run=id) for row in result.rows)
    stop = None if result.stop is None else result.stop.but(run=id)
    return result.but(run=result.run.but(id=id), rows=rows, stop=stop)
