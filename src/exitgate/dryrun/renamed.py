"""A result under another id of its run."""

from __future__ import annotations

from exitgate.dryrun.result import IterationRow, RecordedRun, RunResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Some = TypeVar("Some", IterationRow, RecordedRun, RunResult)


def renamed(result: RunResult, id: str) -> RunResult:
    """Return the result with `id` in place of its run's own, in its rows too."""
    if result.run.id == id:
        return result
    rows = tuple(_but(row, run=id) for row in result.rows)
    stop = None if result.stop is None else _but(result.stop, run=id)
    return _but(result, run=_but(result.run, id=id), rows=rows, stop=stop)


def _but(value: Some, **parts: object) -> Some:
    own = {name: getattr(value, name) for name in value.__slots__}
    return type(value)(**{**own, **parts})
