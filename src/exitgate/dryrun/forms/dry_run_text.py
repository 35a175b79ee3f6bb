"""A dry run for a terminal: each run with where each policy stops it, then what that comes to."""

from __future__ import annotations

from exitgate.dryrun.forms.score_columns import aligned, usd
from exitgate.dryrun.sums import sums
from exitgate.model.counted import counted
from exitgate.report.brief import brief, here
from exitgate.report.safe import safe
from exitgate.report.style import verdict_role
from exitgate.report.width import columns, pad, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.dryrun.expect import Checked
    from exitgate.dryrun.result import DryRun, IterationRow, RecordedRun, RunResult
    from exitgate.dryrun.sums import Sum
    from exitgate.report.style import Style

_DIFFERENCES = ("run", "policy", "expected", "found")


def dry_run_text(found: DryRun, checked: Checked | None, style: Style, *, detail: bool = False) -> str:
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
            yield from wrap(safe(brief(stop.message, here())), style.width, " " * (width + 4))


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


def _checked(checked: Checked, style: Style) -> list[str]:
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
