"""Decisions as cells: a colour, a sign and words for each class."""

from __future__ import annotations

from exitgate.dryrun.page.view import Strip, Verdict
from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.dryrun.result import IterationRow, RunResult

CONTINUE = "continue"
#: Class (or `CONTINUE`) -> its sign: what tells classes apart without colour.
SIGNS = {
    CONTINUE: "→",
    "complete": "✓",
    "idle": "○",
    "blocked": "!",
    "review": "?",
    "stuck": "↻",
    "halted": "■",
    "exhausted": "$",
    "wait": "…",
    "failed": "✗",
    "undetermined": "∅",
    "interrupted": "‖",
}


def verdict(row: IterationRow, stop: int | None) -> Verdict:
    """Return a decision as a cell; `stop` is the iteration of the policy's first EXIT."""
    tone = row.exit_class if row.verdict == EXIT and row.exit_class is not None else CONTINUE
    words = row.verdict if tone == CONTINUE else f"{row.verdict} {tone}"
    if not row.firm:
        words += ", tentative"
    after = stop is not None and row.iteration > stop
    return Verdict(row.iteration, tone, SIGNS[tone], words, row.iteration == stop, after, row.firm)


def stop_of(result: RunResult) -> int | None:
    """Return the iteration of the first EXIT, or None."""
    return None if result.stop is None else result.stop.iteration


def strip(result: RunResult, columns: Sequence[int]) -> Strip:
    """Return the decisions of one policy on the iterations of `columns`."""
    rows = {row.iteration: row for row in result.rows}
    stop = stop_of(result)
    return Strip(result.policy, tuple(verdict(rows[n], stop) if n in rows else None for n in columns))
