"""Scores of policies against labels: text, Markdown, JSON and CSV."""

from __future__ import annotations

from exitgate.core.model.display import counted
from exitgate.recordings.reports.columns import NOTHING, aligned, csv_text, interval, markdown, number, usd
from exitgate.recordings.scoring.scored_runs import Scored
from exitgate.recordings.scoring.scores import LATE, MISSED, PREMATURE, RIGHT, RunScore, Total
from exitgate.report.decision.markdown import prose
from exitgate.report.formats.json import json_text
from exitgate.report.terminal import Style, safe, wrap

_TOTAL = (
    "policy", RIGHT, LATE, PREMATURE, MISSED, "class right", "wasted iterations", "of the loops' waste",
    "wasted USD", "of loops' USD waste",
)  # fmt: skip
_BY_RUN = ("run", "policy", "right stop", "stop", "class", "", "wasted", "USD", "cut off", "USD")
_CSV = (
    "run", "policy", "iterations", "label_first", "label_last", "label_never", "label_classes", "stop",
    "stop_class", "outcome", "kind", "wasted_iterations", "wasted_usd", "cut_iterations", "cut_usd",
    "class_right", "loop_wasted_iterations", "loop_wasted_usd",
)  # fmt: skip
INTERVALS = "In brackets: 95 % intervals by bootstrap over runs."


def score_text(scored: Scored, style: Style, *, by_run: bool = False) -> str:
    """Return the scores for a terminal: a line for each policy, and one for each run and policy if wanted."""
    lines = [
        *wrap(_opening(scored), style.width),
        "",
        *aligned(_TOTAL, [_total(t) for t in scored.totals], style),
    ]
    lines += ["", style.paint("quiet", INTERVALS)]
    if by_run:
        lines += ["", *aligned(_BY_RUN, [_run(one) for one in scored.scores], style, left=6, key=2)]
    if scored.not_scored:
        lines += ["", style.paint("strong", "not scored")]
        for run, label, why in scored.not_scored:
            lines += wrap(f"{safe(run)} (right stop {label.stop}): {why}", style.width, "  ", "    ")
    return "\n".join(lines) + "\n"


def score_markdown(scored: Scored, *, by_run: bool = False) -> str:
    """Return the scores as a Markdown document."""
    lines = [f"{_opening(scored)}. {INTERVALS}", "", *markdown(_TOTAL, [_total(t) for t in scored.totals])]
    if by_run:
        lines += ["", *markdown(_BY_RUN, [_run(one) for one in scored.scores], left=6)]
    if scored.not_scored:
        lines += ["", "Not scored:", ""]
        lines += [f"- {prose(run)} (right stop {label.stop}): {why}" for run, label, why in scored.not_scored]
    return "\n".join(lines) + "\n"


def score_json(scored: Scored) -> str:
    """Return the scores as JSON: `totals`, `runs`, `not_scored` and what was left out."""
    return json_text(
        {
            "totals": [total_plain(one) for one in scored.totals],
            "runs": [run_plain(one) for one in scored.scores],
            "not_scored": [
                {"run": r, "right_stop": label.stop, "why": w} for r, label, w in scored.not_scored
            ],
            "unlabelled": scored.unlabelled,
            "sub_agents": scored.sub_agents,
            "problems": [str(one) for one in scored.problems],
            "unread": [one.message for one in scored.unread.diagnostics],
        }
    )


def score_csv(scored: Scored) -> str:
    """Return a line for each run and policy as CSV."""
    rows = []
    for one in scored.scores:
        label, stop = one.label, one.stop
        rows.append(
            [
                one.run, one.policy, one.iterations, label.first, label.last, label.never,
                " ".join(label.classes), stop.iteration if stop else None, stop.exit_class if stop else None,
                stop.outcome if stop else None, one.kind, one.wasted, one.wasted_cost, one.cut, one.cut_cost,
                one.class_right, one.loop_wasted, one.loop_wasted_cost,
            ]
        )  # fmt: skip
    return csv_text(_CSV, rows)


def total_plain(one: Total) -> dict[str, object]:
    """Return the figures of one policy as plain JSON."""
    return {
        "policy": one.policy,
        "runs": one.runs,
        "controls": one.controls,
        **one.counts,
        "class_right": one.class_right.plain(),
        "classes": one.classes,
        "wasted_iterations": one.wasted.plain(),
        "wasted_usd": one.wasted_cost.plain(),
        "share_of_loop_waste_iterations": one.share.plain(),
        "share_of_loop_waste_usd": one.share_cost.plain(),
        "premature_runs": one.premature.plain(),
        "cut_iterations": one.cut.plain(),
        "cut_usd": one.cut_cost.plain(),
        "missed_runs": one.missed.plain(),
    }


def run_plain(one: RunScore) -> dict[str, object]:
    """Return one run and policy as plain JSON."""
    stop = one.stop
    return {
        "run": one.run,
        "policy": one.policy,
        "iterations": one.iterations,
        "right_stop": one.label.stop,
        "right_classes": list(one.label.classes),
        "stop": None if stop is None else stop.iteration,
        "class": None if stop is None else stop.exit_class,
        "outcome": None if stop is None else stop.outcome,
        "rule": None if stop is None else stop.rule,
        "message": None if stop is None else stop.message,
        "firm": None if stop is None else stop.firm,
        "kind": one.kind,
        "wasted_iterations": one.wasted,
        "wasted_usd": one.wasted_cost,
        "cut_iterations": one.cut,
        "cut_usd": one.cut_cost,
        "class_right": one.class_right,
        "loop_wasted_iterations": one.loop_wasted,
        "loop_wasted_usd": one.loop_wasted_cost,
    }


def _opening(scored: Scored) -> str:
    runs = scored.totals[0].runs if scored.totals else 0
    controls = scored.totals[0].controls if scored.totals else 0
    text = f"{counted(len(scored.policies), 'policy', 'policies')} on {counted(runs, 'labelled run')}"
    if controls:
        text += f", {controls} of which should never have stopped"
    left_out = [counted(scored.unlabelled, "run") + " without a label"] if scored.unlabelled else []
    if scored.sub_agents:
        left_out.append(counted(scored.sub_agents, "run") + " of sub-agents")
    return text + (f"; left out: {', '.join(left_out)}" if left_out else "")


def _total(one: Total) -> list[str]:
    rights = round((one.class_right.value or 0) * one.classes / 100)
    return [
        one.policy,
        *(str(one.counts[kind]) for kind in (RIGHT, LATE, PREMATURE, MISSED)),
        f"{rights} of {one.classes}" if one.classes else NOTHING,
        interval(one.wasted),
        interval(one.share, 0, " %"),
        interval(one.wasted_cost, 2),
        interval(one.share_cost, 0, " %"),
    ]


def _run(one: RunScore) -> list[str]:
    stop = one.stop
    wrong = " (wrong)" if one.class_right is False else ""
    return [
        one.run,
        one.policy,
        one.label.stop,
        NOTHING if stop is None else str(stop.iteration),
        NOTHING if stop is None else f"{stop.exit_class}{wrong}",
        one.kind,
        number(one.wasted),
        usd(one.wasted_cost),
        number(one.cut),
        usd(one.cut_cost),
    ]
