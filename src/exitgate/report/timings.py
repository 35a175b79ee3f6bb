"""Where the time went, as a small table and as JSON."""

from __future__ import annotations

from typing import Final, Literal

from exitgate.core.gate.timed import EXTRACTOR, KINDS, RULE, STAGE, Timings
from exitgate.report.formats.output import Count, Output, Seconds, output_text
from exitgate.report.terminal import Style, columns, pad, safe

SCHEMA: Final = "exitgate/timings@1"
#: Extractors and rules that the table shows of each, the costliest; JSON has all.
SHOWN = 10
_HEADS = {STAGE: "stages", EXTRACTOR: "extractors", RULE: "rules"}


def timings_text(timings: Timings, style: Style) -> str:
    """Return milliseconds, how often, and the share of all stages for each stage, extractor and rule."""
    whole = timings.seconds(STAGE)
    shown = {kind: timings.rows(kind)[: None if kind == STAGE else SHOWN] for kind in KINDS}
    width = max((columns(name) for rows in shown.values() for name, _, _ in rows), default=0)
    lines = [style.paint("strong", f"{pad('timings', width + 2)}  {'ms':>10}  {'times':>7}  share")]
    for kind, rows in shown.items():
        if not rows:
            continue
        lines.append(style.paint("quiet", _HEADS[kind]))
        for name, times, seconds in rows:
            share = f"{100 * seconds / whole:4.0f}%" if whole else ""
            lines.append(f"  {pad(safe(name), width)}  {1000 * seconds:>10.3f}  {times:>7}  {share}".rstrip())
        rest = timings.rows(kind)[len(rows) :]
        if rest:
            spent = sum(seconds for _, _, seconds in rest)
            lines.append(f"  and {len(rest)} more: {1000 * spent:.3f} ms")
    return "\n".join(lines) + "\n"


class SpentOutput(Output, frozen=True):
    """
    What one stage, extractor or rule took.

    Args:
        name: Its name.
        seconds: All of it.
        times: How often it was measured.
    """

    name: str
    seconds: Seconds
    times: Count


class TimingsOutput(Output, frozen=True):
    """
    What `--timings` of `exitgate check` and `exitgate dry-run` adds on stderr with `--format json`.

    Args:
        schema: Name and version of this form.
        stages: As they came.
        extractors: The costliest first.
        rules: The costliest first.
    """

    schema: Literal["exitgate/timings@1"]
    stages: tuple[SpentOutput, ...]
    extractors: tuple[SpentOutput, ...]
    rules: tuple[SpentOutput, ...]


def timings_json(timings: Timings) -> str:
    """Return every stage, extractor and rule with its seconds and how often it was measured."""
    kinds = (
        tuple(SpentOutput(name, seconds, times) for name, times, seconds in timings.rows(kind))
        for kind in KINDS
    )
    return output_text(TimingsOutput(SCHEMA, *kinds))
