"""One iteration on the screen of somebody who labels runs."""

from __future__ import annotations

from exitgate.model.counted import counted
from exitgate.report.safe import safe, safe_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.dryrun.label_by_hand_runs import Glimpse, ShownRun
    from exitgate.dryrun.labels import Label
    from exitgate.report.style import Style

#: Lines of a response from its beginning and its end that are shown.
HEAD, TAIL = 8, 14


def screen(run: ShownRun, number: int, label: Label | None, style: Style) -> str:
    """Return an iteration: its place, what it cost, the plan, and the response shortened."""
    one = run.glimpses[number - 1]
    head = f"{safe(run.id)}  iteration {number} of {run.iterations}"
    mark = "no label" if label is None else " ".join((f"label: {label.stop}", *label.classes))
    lines = ["", style.paint("strong", head) + f"  ({mark})"]
    told = [text for text in (_times(one), _spent(one), _plan(one)) if text]
    if told:
        lines.append(style.paint("quiet", "  ".join(told)))
    lines += ["", *response(one.response, style), ""]
    return "\n".join(lines)


def response(text: str | None, style: Style) -> list[str]:
    """Return the first and last lines of a response, each cut to the width, blank ends left out."""
    if text is None:
        return ["  (the transcript has no response)"]
    lines = safe_block(text).expandtabs(4).strip("\n").split("\n")
    if len(lines) > HEAD + TAIL + 1:
        left = len(lines) - HEAD - TAIL
        lines = [*lines[:HEAD], f"... {left} lines omitted; `a` shows all ...", *lines[-TAIL:]]
    return [f"  {style.fit(line, style.width - 2)}".rstrip() for line in lines]


def _times(one: Glimpse) -> str:
    if one.ended_at is None and one.started_at is None:
        return ""
    from datetime import UTC, datetime

    at = one.started_at if one.started_at is not None else one.ended_at
    assert at is not None
    try:
        shown = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return ""
    if one.started_at is None or one.ended_at is None:
        return shown
    return f"{shown}, {max(0, round(one.ended_at - one.started_at))} s"


def _spent(one: Glimpse) -> str:
    parts = [f"{one.cost:.2f} USD"] if one.cost is not None else []
    parts += [counted(one.tokens, "token")] if one.tokens is not None else []
    parts += [counted(one.calls, "tool call")] if one.calls is not None else []
    return ", ".join(parts)


def _plan(one: Glimpse) -> str:
    return f"plan: {one.done} of {one.total} done" if one.total else ""
