"""What a fact is worth: text, Markdown and JSON."""

from __future__ import annotations

from exitgate.core.model.display import counted
from exitgate.recordings.reports.columns import aligned, interval, markdown, number
from exitgate.recordings.scoring import calibration as words
from exitgate.recordings.scoring.calibration import Calibration
from exitgate.recordings.scoring.statistics import Bin
from exitgate.report.decision.markdown import prose
from exitgate.report.formats.json import json_text
from exitgate.report.terminal import Style, safe, wrap

_HEAD = ("stated", "n", "mean", "came true", "95 %")
#: Columns of the plot from 0 % to 100 %.
_PLOT = 41


def calibrate_text(found: Calibration, style: Style) -> str:
    """Return the reliability table, a plot of it, the figures, and in a sentence what they mean."""
    lines = [*wrap(_opening(found), style.width), ""]
    if found.bins:
        lines += aligned(_HEAD, [_row(one) for one in found.bins], style)
        lines += ["", *_plot(found, style), ""]
    lines += [f"{name:24} {text}" for name, text in _figures(found)]
    lines += ["", *(style.paint("strong", line) for line in wrap(_sentence(found), style.width))]
    lines += [line for remark in _remarks(found) for line in wrap(remark, style.width)]
    return "\n".join(lines) + "\n"


def calibrate_markdown(found: Calibration) -> str:
    """Return the same as a Markdown document."""
    lines = [f"{prose(_opening(found))}.", ""]
    if found.bins:
        lines += [*markdown(_HEAD, [_row(one) for one in found.bins]), ""]
    lines += [f"- {name}: {text}" for name, text in _figures(found)]
    return (
        "\n".join([*lines, "", f"**{prose(_sentence(found))}**", "", *map(prose, _remarks(found))]).rstrip()
        + "\n"
    )


def calibrate_json(found: Calibration) -> str:
    """Return the same as JSON; every number it rests on is there."""
    return json_text(
        {
            "fact": found.fact,
            "policy": found.policy,
            "observations_are": "runs" if found.by_run else "iterations",
            "runs": found.runs,
            "observations": len(found.pairs),
            "unknown": found.unknown,
            "base_rate": found.base,
            "bins": [
                {
                    "low": one.low,
                    "high": one.high,
                    "n": one.count,
                    "mean_stated": one.stated,
                    "observed": one.observed,
                    "wilson_low": one.interval[0],
                    "wilson_high": one.interval[1],
                }
                for one in found.bins
            ],
            "expected_calibration_error": found.error,
            "brier": found.brier,
            "brier_of_base_rate": found.base * (1 - found.base),
            "auc": found.area.plain(),
            "verdict": found.verdict,
            "said": _sentence(found),
            "left_out": found.left_out,
            "contradicting": list(found.contradicting),
        }
    )


def _opening(found: Calibration) -> str:
    of = "last known value in each run, compared with its outcome"
    if not found.by_run:
        of = "value after each iteration, compared with whether a stop there is right"
    true = sum(came for _, came in found.pairs)
    what = counted(len(found.pairs), "value") + f" of {counted(found.runs, 'run')}"
    return f"{safe(found.fact)} of {safe(found.policy)}: {of}; {what}, {true} came true"


def _row(one: Bin) -> list[str]:
    low, high = one.interval
    return [
        f"{one.low:.0%} to {one.high:.0%}", str(one.count), f"{one.stated:.0%}", f"{one.observed:.0%}",
        f"{low:.0%} to {high:.0%}",
    ]  # fmt: skip


def _plot(found: Calibration, style: Style) -> list[str]:
    """Return a line for each bin: `x` what was stated, `o` what came true, `*` both, dashes its interval."""
    lines = [f"{'':14} 0 %{'50 %':>{_PLOT // 2 - 1}}{'100 %':>{_PLOT // 2 + 1}}"]
    for one in found.bins:
        cells = [" "] * _PLOT
        low, high = (_column(share) for share in one.interval)
        cells[low : high + 1] = "-" * (high + 1 - low)
        cells[_column(one.observed)] = "o"
        stated = _column(one.stated)
        cells[stated] = "*" if cells[stated] == "o" else "x"
        lines.append(f"{f'{one.low:.0%} to {one.high:.0%}':14} |{''.join(cells)}|")
    return [*lines, style.paint("quiet", "x stated, o came true, - its 95 % interval, * both at one point")]


def _column(share: float) -> int:
    return round(share * (_PLOT - 1))


def _figures(found: Calibration) -> list[tuple[str, str]]:
    figures = [("came true overall", f"{found.base:.0%}")]
    if found.brier is not None and found.error is not None:
        always = found.base * (1 - found.base)
        figures.append(("off by, on average (ECE)", f"{100 * found.error:.0f} points"))
        figures.append(
            ("Brier score", f"{found.brier:.3f}; {always:.3f} for always stating {found.base:.0%}")
        )
    area = interval(found.area, 2) if found.area.value is not None else number(None)
    figures.append(("AUC", f"{area}; 0.50 is chance"))
    return figures


def _sentence(found: Calibration) -> str:
    area, error = found.area, found.error or 0.0
    true = sum(came for _, came in found.pairs)
    false = len(found.pairs) - true
    if found.verdict == words.TOO_FEW:
        return (
            f"Too little data: {counted(found.runs, 'run')}, {counted(true, 'value')} that "
            f"came true and {false} that did not; {words.FEWEST_RUNS} runs and {words.FEWEST_EACH} "
            "of each are needed."
        )
    if found.verdict == words.CONSTANT:
        return "It means nothing here: it never varies."
    bounds = f"AUC {interval(area, 2)}"
    if found.verdict == words.NOTHING:
        return f"It means nothing here: true and false outcomes have the same values ({bounds})."
    if found.verdict == words.WRONG_WAY:
        return f"It points the wrong way: false outcomes have higher values ({bounds})."
    if found.verdict == words.CHANCE:
        off = f"off by {100 * error:.0f} points."
        return f"It means something ({bounds}), and can be read as a probability: {off}"
    if found.error is None:
        return f"It means something: higher values go with true outcomes ({bounds}). It is not a probability."
    return (
        f"Higher values go with true outcomes ({bounds}), but they are not "
        f"probabilities: off by {100 * error:.0f} points."
    )


def _remarks(found: Calibration) -> list[str]:
    lines = []
    if found.unknown:
        what = "run" if found.by_run else "iteration"
        lines.append(f"Not known in {counted(found.unknown, what)}, which are omitted.")
    if found.left_out:
        lines.append(f"{counted(found.left_out, 'run')} without a label or an outcome omitted.")
    if found.contradicting:
        names = ", ".join(safe(name) for name in found.contradicting[:3])
        lines.append(f"{counted(len(found.contradicting), 'name')} with both outcomes omitted: {names}.")
    if not found.by_run and found.runs < len(found.pairs):
        lines.append(
            "Intervals in the table treat iterations of a run as independent; that of the AUC does not."
        )
    return lines
