"""Listed runs as plain values, which `exitgate.report.transcripts` shows."""

from __future__ import annotations

from exitgate.report.transcripts_numbers import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.listed import ListedRun
    from exitgate.transcripts.run import Problem


def run_row(run: ListedRun) -> dict[str, object]:
    """Return a run, with the members that `exitgate.report.transcripts.FIELDS` names."""
    started, ended = run.started_at, run.ended_at
    known = started is not None and ended is not None
    return {
        "run": run.id,
        "file": run.file,
        "reader": run.reader,
        "granularity": run.granularity,
        "iterations": run.iterations,
        "started_at": iso(started),
        "ended_at": iso(ended),
        "seconds": round(ended - started, 3) if known and ended >= started else None,  # type: ignore[operator]
        "cost_usd": None if run.cost is None else round(run.cost, 6),
        "tokens": run.tokens,
        "end": run.end,
        "why": run.why,
        "title": run.title,
        "parent": run.parent,
        "resumed": run.resumed,
    }


def problem_row(problem: Problem) -> dict[str, object]:
    """Return a problem of a transcript."""
    return {"file": problem.file, "line": problem.line, "message": problem.message}
