"""Where the time went, as a small table and as JSON."""

from __future__ import annotations

from exitgate.core.gate.timed import EXTRACTOR, KINDS, RULE, STAGE, Timings
from exitgate.report.terminal import Style, columns, pad, safe

SCHEMA = "exitgate/timings@1"
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


def timings_json(timings: Timings) -> dict[str, object]:
    """Return every stage, extractor and rule, plain: its name, seconds and how often it was measured."""
    return {
        "schema": SCHEMA,
        **{
            _HEADS[kind]: [
                {"name": name, "seconds": seconds, "times": times}
                for name, times, seconds in timings.rows(kind)
            ]
            for kind in KINDS
        },
    }
