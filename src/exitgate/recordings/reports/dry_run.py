"""A dry run for a terminal: each run with where each policy stops it, then what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exitgate.core.model.display import counted
from exitgate.recordings.replay.result import DryRun, IterationRow, RecordedRun, RunResult, Sum, sums
from exitgate.recordings.reports.columns import aligned, markdown, usd
from exitgate.recordings.scoring.expectations import CheckedRuns
from exitgate.report.decision.markdown import prose
from exitgate.report.formats.github import annotation
from exitgate.report.terminal import Style, columns, pad, safe, verdict_role, wrap
from exitgate.report.wording import brief, working_folder

_DIFFERENCES = ("run", "policy", "expected", "found")


def dry_run_text(found: DryRun, checked: CheckedRuns | None, style: Style, *, detail: bool = False) -> str:
    """Return the dry run as text; `detail` adds a line for each iteration."""
    lines = [line for note in found.notes for line in wrap(safe(note), style.width, "note: ", "      ")]
    lines += [""] if lines else []
    width = max((columns(safe(name)) for name in found.policies), default=0)
    for results in _by_run(found.results):
        lines += [
            *wrap(_run(results[0].run), style.width, "", "  "),
            *_results(results, width, style, detail),
        ]
        lines.append("")
    for one in sums(found):
        lines += _sum(one, style)
    lines += left_out(found)
    if checked is not None:
        lines += ["", *_checked(checked, style)]
    if found.interrupted:
        lines += ["", style.paint("trouble", "interrupted: results so far")]
    return "\n".join(lines) + "\n"


def left_out(found: DryRun) -> list[str]:
    """Return lines on what is not among the runs."""
    lines = []
    if found.sub_agents:
        verb = "is" if found.sub_agents == 1 else "are"
        lines.append(
            f"{counted(found.sub_agents, 'run')} of sub-agents {verb} omitted; `--subagents` includes them"
        )
    return lines


def run_text(run: RecordedRun) -> str:
    """Return how much there is of a run: ``12 iterations, 3.20 USD, claude-session``."""
    parts = [counted(run.iterations, "iteration")]
    parts += [f"{usd(run.cost)} USD"] if run.cost is not None else []
    parts += [run.reader]
    parts += [f"ended {run.how}"] if run.how else []
    return ", ".join(parts)


def stop_line(result: RunResult) -> str:
    """Return where a policy stops a run and what comes after that."""
    stop = result.stop
    if stop is None:
        return "never stops" if result.run.iterations else "nothing to decide on"
    firm = "" if stop.firm else ", tentative"
    text = f"EXIT {stop.exit_class} at {stop.iteration} · {stop.outcome}{firm}"
    return f"{text} · {after_text(result)}"


def after_text(result: RunResult) -> str:
    """Return what comes after the stop: ``then 5 iterations, 1.20 USD``."""
    if not result.after:
        return "the last iteration"
    money = "" if result.cost_after is None else f", {usd(result.cost_after)} USD"
    return f"then {counted(result.after, 'iteration')}{money}"


def _run(run: RecordedRun) -> str:
    return f"{safe(run.id)}  {safe(run_text(run))}"


def _results(results: Sequence[RunResult], width: int, style: Style, detail: bool) -> Iterable[str]:
    for result in results:
        name = pad(safe(result.policy), width)
        stop = result.stop
        role = verdict_role("CONTINUE" if stop is None else "EXIT", None if stop is None else stop.exit_class)
        first, *rest = wrap(safe(stop_line(result)), style.width, f"  {name}  ", " " * (width + 4))
        head = len(name) + 4
        yield f"  {style.paint('name', name)}  {style.paint(role, first[head:])}"
        yield from rest
        if detail:
            for row in result.rows:
                yield from _row(row, style)
        elif stop is not None and stop.message:
            yield from wrap(safe(brief(stop.message, working_folder())), style.width, " " * (width + 4))


def _row(row: IterationRow, style: Style) -> list[str]:
    verdict = row.verdict if row.exit_class is None else f"{row.verdict} {row.exit_class}"
    firm = "" if row.firm else " tentative"
    head = f"    {row.iteration:>4}  {pad(verdict, 17)}  "
    text = f"{row.outcome}{firm}" + (f": {row.message}" if row.message else "")
    first, *rest = wrap(safe(text), style.width, head, " " * columns(head))
    painted = style.paint(verdict_role(row.verdict, row.exit_class), head[10:].rstrip())
    lines = [f"{head[:10]}{painted}{head[10 + len(head[10:].rstrip()) :]}{first[len(head) :]}", *rest]
    for warning in row.warnings:
        lines += wrap(safe(warning), style.width, " " * columns(head) + "! ", " " * (columns(head) + 2))
    return lines


def _sum(one: Sum, style: Style) -> list[str]:
    classes = ", ".join(f"{count} {name}" for name, count in one.classes.items())
    text = f"stops {one.stops} of {counted(one.runs, 'run')}"
    if one.stops:
        money = "" if one.cost_after is None else f" and {usd(one.cost_after)} USD"
        firm = f", {one.tentative} tentative" if one.tentative else ""
        text += f" ({classes}{firm}); {counted(one.after, 'iteration')}{money} after its stops"
    first, *rest = wrap(text, style.width, f"{safe(one.policy)} {one.version} ", "  ")
    name = safe(one.policy)
    return [style.paint("strong", name) + first[len(name) :], *rest]


def _checked(checked: CheckedRuns, style: Style) -> list[str]:
    count = len(checked.differences)
    if not count:
        return [f"{counted(checked.count, 'expectation')} met"]
    verb = "is" if count == 1 else "are"
    head = f"{count} of {counted(checked.count, 'expectation')} {verb} not met:"
    rows = [[one.run, one.policy, one.expected, one.found] for one in checked.differences]
    return [style.paint("trouble", head), *aligned(_DIFFERENCES, rows, style, left=4)]


def _by_run(results: Iterable[RunResult]) -> Iterable[list[RunResult]]:
    groups: dict[str, list[RunResult]] = {}
    for result in results:
        groups.setdefault(result.run.id, []).append(result)
    return groups.values()


# A dry run in Markdown: for a pull request or a step summary.

_SUMS = ("policy", "classes", "stops", "of", "iterations after", "USD after")
_STOPS = ("run", "policy", "class", "outcome", "firm", "reason", "stop", "after", "USD after")
_DECISIONS = ("run", "policy", "verdict", "class", "outcome", "firm", "reason", "iteration")
_DIFFERENCE_COLUMNS = ("run", "policy", "expected", "found")


def dry_run_markdown(found: DryRun, checked: CheckedRuns | None, *, detail: bool = False) -> str:
    """Return the dry run as a document: sums, stops, differences; `detail` adds every decision."""
    blocks = [f"{counted(len(found.runs), 'run')}, {counted(len(found.policies), 'policy', 'policies')}."]
    blocks += ["\n".join(markdown(_SUMS, _sum_rows(found), left=2))]
    blocks += ["\n".join(markdown(_STOPS, _stop_rows(found), left=6))]
    if checked is not None:
        count = len(checked.differences)
        blocks.append(f"{count} of {counted(checked.count, 'expectation')} not met.")
        if count:
            rows = [[d.run, d.policy, d.expected, d.found] for d in checked.differences]
            blocks.append("\n".join(markdown(_DIFFERENCE_COLUMNS, rows, left=4)))
    if detail:
        blocks.append("\n".join(markdown(_DECISIONS, _decision_rows(found), left=7)))
    blocks += [prose(note) for note in (*found.notes, *left_out(found))]
    blocks += [f"Not read: {prose(one.file)}: {prose(one.message)}" for one in found.unread]
    blocks += ["**Interrupted**: results so far."] if found.interrupted else []
    return "\n\n".join(blocks) + "\n"


def _sum_rows(found: DryRun) -> list[list[str]]:
    return [
        [
            one.policy,
            ", ".join(f"{count} {name}" for name, count in one.classes.items()),
            str(one.stops),
            str(one.runs),
            str(one.after),
            usd(one.cost_after),
        ]
        for one in sums(found)
    ]


def _stop_rows(found: DryRun) -> list[list[str]]:
    rows = []
    for result in found.results:
        stop = result.stop
        told = (
            ["", "", "", "", "-", "", ""]
            if stop is None
            else [
                stop.exit_class or "", stop.outcome, "yes" if stop.firm else "no", stop.message,
                str(stop.iteration), str(result.after), usd(result.cost_after),
            ]
        )  # fmt: skip
        rows.append([result.run.id, result.policy, *told])
    return rows


def _decision_rows(found: DryRun) -> list[list[str]]:
    return [
        [
            row.run, row.policy, row.verdict, row.exit_class or "", row.outcome,
            "yes" if row.firm else "no", row.message, str(row.iteration),
        ]
        for result in found.results
        for row in result.rows
    ]  # fmt: skip


# A dry run as annotations of GitHub Actions, what went wrong first: GitHub shows ten of a kind.


def dry_run_github(found: DryRun, checked: CheckedRuns | None) -> str:
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
