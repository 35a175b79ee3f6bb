"""What a sweep finds: text, Markdown and JSON, with a patch of the project's settings."""

from __future__ import annotations

from exitgate.core.model.display import counted
from exitgate.recordings.reports.columns import NOTHING, aligned, interval, markdown
from exitgate.recordings.reports.scores import INTERVALS, total_plain
from exitgate.recordings.scoring.scores import MISSED
from exitgate.report.decision.markdown import code, prose
from exitgate.report.formats.json import json_text
from exitgate.report.terminal import safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.recordings.scoring.grid import Point
    from exitgate.recordings.scoring.scores import Total
    from exitgate.recordings.scoring.tuning import Tried, Tuned
    from exitgate.report.terminal import Style


_HEAD = ("", "premature", "missed", "cut iterations", "wasted iterations", "wasted USD", "class right")
WITHOUT = "Cross-validated: each run is judged by the point chosen without it."
_FRONT = ("front", "premature", "wasted")


def tune_text(found: Tuned, patch: str, style: Style) -> str:
    """Return the sweep for a terminal; the patch is at the end."""
    lines = [*wrap(safe(_opening(found)), style.width), "", *aligned(_HEAD, _rows(found), style)]
    points = (("default", found.default), ("chosen", found.chosen.point))
    lines += [
        "",
        *(line for name, point in points for line in wrap(safe(f"{name}: {point_text(point)}"), style.width)),
    ]
    lines += [style.paint("quiet", line) for line in wrap(f"{INTERVALS} {WITHOUT}", style.width)]
    lines += ["", *wrap(safe(_sureness(found)), style.width), "", *aligned(_FRONT, _front(found), style)]
    if found.scored.not_scored:
        lines += ["", style.paint("strong", "not scored")]
        for run, label, why in found.scored.not_scored:
            lines += wrap(f"{safe(run)} (right stop {label.stop}): {why}", style.width, "  ", "    ")
    return "\n".join([*lines, "", style.paint("strong", "for .bb3/config.yaml"), "", patch])


def tune_markdown(found: Tuned, patch: str) -> str:
    """Return the sweep as a Markdown document."""
    lines = [
        f"{prose(_opening(found))}.",
        "",
        *markdown(_HEAD, _rows(found)),
        "",
        f"{INTERVALS} {WITHOUT} {_sureness(found)}",
    ]
    points = (("default", found.default), ("chosen", found.chosen.point))
    lines += ["", *(f"- {name}: {code(point_text(point))}" for name, point in points)]
    lines += ["", *markdown(_FRONT, _front(found))]
    lines += [
        f"\n- not scored: {code(run)} (right stop {label.stop}): {why}"
        for run, label, why in found.scored.not_scored
    ]
    return "\n".join([*lines, "", "For `.bb3/config.yaml`:", "", "```yaml", patch + "```"]) + "\n"


def tune_json(found: Tuned, patch: str) -> str:
    """Return the sweep as JSON."""
    return json_text(
        {
            "policy": found.policy,
            "parameters": {name: list(values) for name, values in found.grid.values.items()},
            "points": found.grid.size,
            "points_tried": len(found.grid.points),
            "waste_in": _unit(found),
            "runs": len(found.scored.runs),
            "unlabelled": found.scored.unlabelled,
            "sub_agents": found.scored.sub_agents,
            "extractions": found.extractions,
            "default": {"values": found.default, "total": total_plain(found.own)},
            "chosen": {"values": found.chosen.point, "total": total_plain(found.chosen.total)},
            "cross_validated": {
                "folds": found.folds,
                "agreeing": found.agreeing,
                "total": total_plain(found.crossed),
                "choices": [{"values": point, "folds": count} for point, count in found.others],
            },
            "front": [
                {"values": one.point, "premature_runs": one.premature, "wasted": one.wasted}
                for one in found.front
            ],
            "not_scored": [
                {"run": run, "right_stop": label.stop, "why": why}
                for run, label, why in found.scored.not_scored
            ],
            "patch": patch,
        }
    )


def point_text(point: Point) -> str:
    """Return a point as people read it: ``min_confidence=70 idle_loops=2``."""
    return " ".join(f"{name}={value}" for name, value in point.items())


def _opening(found: Tuned) -> str:
    grid = found.grid
    tried = counted(len(grid.points), "point")
    if len(grid.points) < grid.size:
        tried += f" drawn from {grid.size}"
    runs = counted(len(found.scored.runs), "labelled run")
    controls = found.own.controls
    text = f"{found.policy}: {tried} on {runs}"
    text += f", {controls} of which should never have stopped" if controls else ""
    times = "once" if found.extractions == 1 else f"{found.extractions} times"
    text = f"{text}; facts extracted {times}, waste counted in {_unit(found)}"
    silent = sum(all(cost is None for cost in one.costs) for one, _ in found.scored.runs)
    verb = "tells" if silent == 1 else "tell"
    return text + (f", of which {counted(silent, 'run')} {verb} none" if found.in_usd and silent else "")


def _unit(found: Tuned) -> str:
    return "USD" if found.in_usd else "iterations"


def _rows(found: Tuned) -> list[list[str]]:
    return [
        _row("default", found.own),
        _row("chosen", found.chosen.total),
        _row("cross-validated", found.crossed),
    ]


def _row(name: str, one: Total) -> list[str]:
    rights = round((one.class_right.value or 0) * one.classes / 100)
    return [
        name, interval(one.premature), str(one.counts[MISSED]), interval(one.cut), interval(one.wasted),
        interval(one.wasted_cost, 2), f"{rights} of {one.classes}" if one.classes else NOTHING,
    ]  # fmt: skip


def _sureness(found: Tuned) -> str:
    text = f"The chosen point is also chosen in {found.agreeing} of {found.folds} folds."
    rest = [f"{point_text(point)} in {count}" for point, count in found.others if point != found.chosen.point]
    return text + (f" Others: {'; '.join(rest[:3])}." if rest else "")


def _front(found: Tuned) -> list[list[str]]:
    return [_front_row(one, found.in_usd) for one in found.front]


def _front_row(one: Tried, in_usd: bool) -> list[str]:
    wasted = f"{one.wasted:.2f} USD" if in_usd else f"{one.wasted:.0f} iterations"
    return [point_text(one.point), f"{one.premature:.0f}", wasted]
