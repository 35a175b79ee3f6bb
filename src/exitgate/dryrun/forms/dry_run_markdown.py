"""A dry run in Markdown: for a pull request or a step summary."""

from __future__ import annotations

from exitgate.dryrun.forms.dry_run_text import left_out
from exitgate.dryrun.forms.score_columns import markdown, usd
from exitgate.dryrun.sums import sums
from exitgate.model.counted import counted
from exitgate.report.markdown import prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.expect import Checked
    from exitgate.dryrun.result import DryRun

_SUMS = ("policy", "classes", "stops", "of", "iterations after", "USD after")
_STOPS = ("run", "policy", "class", "outcome", "firm", "reason", "stop", "after", "USD after")
_DECISIONS = ("run", "policy", "verdict", "class", "outcome", "firm", "reason", "iteration")
_DIFFERENCES = ("run", "policy", "expected", "found")


def dry_run_markdown(found: DryRun, checked: Checked | None, *, detail: bool = False) -> str:
    """Return the dry run as a document: sums, stops, differences; `detail` adds every decision."""
    blocks = [f"{counted(len(found.runs), 'run')}, {counted(len(found.policies), 'policy', 'policies')}."]
    blocks += ["\n".join(markdown(_SUMS, _sum_rows(found), left=2))]
    blocks += ["\n".join(markdown(_STOPS, _stop_rows(found), left=6))]
    if checked is not None:
        count = len(checked.differences)
        blocks.append(f"{count} of {counted(checked.count, 'expectation')} not met.")
        if count:
            rows = [[d.run, d.policy, d.expected, d.found] for d in checked.differences]
            blocks.append("\n".join(markdown(_DIFFERENCES, rows, left=4)))
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
