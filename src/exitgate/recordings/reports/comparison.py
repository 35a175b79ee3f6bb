"""Policies compared with each other: text, Markdown and JSON."""

from __future__ import annotations

from exitgate.core.model.display import counted
from exitgate.recordings.reports.columns import aligned, markdown, usd
from exitgate.recordings.scoring.comparison import KINDS, Agreement, Comparison, Divergence, Side
from exitgate.recordings.scoring.scores import Stop
from exitgate.report.decision.markdown import code, prose
from exitgate.report.formats.json import json_text
from exitgate.report.terminal import Style, columns, safe, verdict_role, wrap

#: Of the first policy of a pair where only one is meant.
_PAIRS = ("pair", "agree", "go on", "same stop", "other class", "earlier", "later", "only 1st", "only 2nd")
#: So many divergences are reported one by one unless all are wanted.
SHOWN = 20


def compare_text(found: Comparison, style: Style, *, limit: int | None = SHOWN) -> str:
    """Return the comparison for a terminal: agreement, then the first divergences, the most costly first."""
    lines = [
        *wrap(_opening(found), style.width),
        "",
        *aligned(_PAIRS, [_pair(one) for one in found.agreements], style),
    ]
    shown = found.divergences[:limit]
    for one in shown:
        lines += ["", *_divergence(one, style)]
    if len(shown) < len(found.divergences):
        lines += ["", f"and {len(found.divergences) - len(shown)} more; `--all` shows every one"]
    return "\n".join(lines) + "\n"


def compare_markdown(found: Comparison, *, limit: int | None = SHOWN) -> str:
    """Return the comparison as a Markdown document."""
    lines = [f"{_opening(found)}.", "", *markdown(_PAIRS, [_pair(one) for one in found.agreements])]
    for one in found.divergences[:limit]:
        lines += ["", f"### {prose(one.run)}, iteration {one.iteration}: {prose(_stake(one))}", ""]
        for side in (one.one, one.other):
            lines.append(
                f"- **{prose(side.policy)}** {prose(_verdict(side))}: {prose(side.message)}".rstrip(" :")
            )
            lines += [f"  - {prose(r.rule)} ({prose(r.state)}): {code(r.written)}" for r in side.reasons]
    left = len(found.divergences) - len(found.divergences[:limit])
    return "\n".join([*lines, *(["", f"And {left} more."] if left else [])]) + "\n"


def compare_json(found: Comparison) -> str:
    """Return the comparison as JSON: `agreement`, `stops`, `divergences`."""
    return json_text(
        {
            "policies": list(found.policies),
            "runs": len(found.runs),
            "sub_agents": found.sub_agents,
            "agreement": [
                {"first": a.one, "second": a.other, "runs": a.runs, "agreeing": a.agreeing, **a.counts}
                for a in found.agreements
            ],
            "stops": [
                {"run": id, "policy": policy, **_stop_plain(stop)}
                for id, of in found.stops.items()
                for policy, stop in of.items()
            ],
            "divergences": [_divergence_plain(one) for one in found.divergences],
            "problems": [str(one) for one in found.problems],
            "unread": [one.message for one in found.unread.diagnostics],
        }
    )


def _opening(found: Comparison) -> str:
    text = f"{counted(len(found.policies), 'policy', 'policies')} on {counted(len(found.runs), 'run')}"
    return text + (f"; {counted(found.sub_agents, 'run')} of sub-agents omitted" if found.sub_agents else "")


def _pair(one: Agreement) -> list[str]:
    return [f"{one.one} / {one.other}", f"{one.agreeing} of {one.runs}", *(str(one.counts[k]) for k in KINDS)]


def _stake(one: Divergence) -> str:
    """Return what lies between the two stops."""
    if not one.iterations:
        both = one.one.stop is not None and one.other.stop is not None
        return "the same iteration, another class" if both else "the run ends there"
    text = f"{counted(one.iterations, 'iteration')} at stake"
    return text if one.cost is None else f"{usd(one.cost)} USD and {text}"


def _verdict(side: Side) -> str:
    """Return what a policy says there and where it stops in the end."""
    word = f"{side.verdict} {side.exit_class or ''}".rstrip() + ("" if side.firm else " (tentative)")
    rule = f" by {side.rule}" if side.rule is not None else " by no rule"
    if side.verdict == "EXIT":
        return word + rule
    end = "never stops" if side.stop is None else f"stops at {side.stop.iteration}, {side.stop.exit_class}"
    return f"{word}{rule}, {end}"


def _divergence(one: Divergence, style: Style) -> list[str]:
    head = f"{safe(one.run)}, iteration {one.iteration}: {_stake(one)}"
    lines = [style.paint("strong", line) for line in wrap(head, style.width)]
    for side in (one.one, one.other):
        verdict = style.paint(verdict_role(side.verdict, side.exit_class), _verdict(side))
        name = safe(side.policy)
        if columns(f"  {name}  {_verdict(side)}") <= style.width:
            lines.append(f"  {style.paint('name', name)}  {verdict}")
        else:
            lines += [f"  {style.paint('name', name)}", f"    {verdict}"]
        lines += wrap(safe(side.message), style.width, "    ") if side.message else []
        for reason in side.reasons:
            lines.append(f"    {style.paint('quiet', f'{reason.rule}: {reason.state}')}")
            lines += wrap(safe(reason.written), style.width, "      ")
    return lines


def _stop_plain(stop: Stop | None) -> dict[str, object]:
    if stop is None:
        return {"iteration": None, "class": None, "outcome": None, "rule": None}
    return {
        "iteration": stop.iteration,
        "class": stop.exit_class,
        "outcome": stop.outcome,
        "rule": stop.rule,
    }


def _divergence_plain(one: Divergence) -> dict[str, object]:
    return {
        "run": one.run,
        "iteration": one.iteration,
        "iterations_at_stake": one.iterations,
        "usd_at_stake": one.cost,
        "sides": [
            {
                "policy": side.policy,
                "verdict": side.verdict,
                "class": side.exit_class,
                "outcome": side.outcome,
                "rule": side.rule,
                "message": side.message,
                "firm": side.firm,
                "stop": _stop_plain(side.stop),
                "reasons": [{"rule": r.rule, "state": r.state, "written": r.written} for r in side.reasons],
            }
            for side in (one.one, one.other)
        ],
    }
