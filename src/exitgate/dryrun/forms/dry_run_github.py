"""A dry run as annotations of GitHub Actions, what went wrong first: GitHub shows ten of a kind."""

from __future__ import annotations

from exitgate.dryrun.forms.dry_run_text import stop_line
from exitgate.report.github import annotation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.expect import Checked
    from exitgate.dryrun.result import DryRun, RunResult


def dry_run_github(found: DryRun, checked: Checked | None) -> str:
    """Return an error for each run that stops otherwise than expected, a notice for every other."""
    wrong = {(one.run, one.policy): one for one in (checked.differences if checked is not None else ())}
    lines = [annotation("error", one.message, file=one.file, title="cannot be read") for one in found.unread]
    for result in found.results:
        difference = wrong.get((result.run.id, result.policy))
        if difference is not None:
            message = f"expected {difference.expected}, found {difference.found}\n{_message(result)}"
            lines.append(_annotated("error", result, message))
    lines += [annotation("warning", "interrupted before the end")] if found.interrupted else []
    lines += [
        _annotated("notice", result, _message(result))
        for result in found.results
        if (result.run.id, result.policy) not in wrong
    ]
    lines += [annotation("notice", note, title="dry run") for note in found.notes]
    return "".join(f"{line}\n" for line in lines)


def _message(result: RunResult) -> str:
    stop = result.stop
    said = f"\n{stop.message}" if stop is not None and stop.message else ""
    return stop_line(result) + said


def _annotated(level: str, result: RunResult, message: str) -> str:
    stop, run = result.stop, result.run
    file = stop.file if stop is not None else run.file
    line = (stop.line or None) if stop is not None else None
    return annotation(level, message, file=file, line=line, title=f"{result.policy} · {run.id}")
