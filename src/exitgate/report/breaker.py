"""The breaker as people read it: how it is, and how it moved."""

from __future__ import annotations

from exitgate.core.model.value import DURATION
from exitgate.report.terminal import Style, columns, pad, safe, wrap
from exitgate.report.wording import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = Mapping[str, object]


ROLES = {"CLOSED": "complete", "HALF_OPEN": "exit", "OPEN": "trouble"}
HEADINGS = ("#", "time", "from", "to", "by")


def status_text(status: Plain, policy: str, style: Style) -> str:
    """
    Return the state first, then why, since when, who keeps it and what moves it.

    Args:
        status: See `exitgate.core.gate.breaker_control.status`; of an outside breaker also its `path`.
        policy: Name and version of the policy, or empty.
        style: Colour and width.
    """
    state, reason = str(status["state"]), str(status.get("reason") or "")
    head = style.paint(ROLES.get(state, "unknown"), safe(state))
    lines = [f"{head} · {style.fit(safe(reason), style.width - columns(state) - 3)}" if reason else head]
    for sentence in (_since(status), _what_moves_it(status), _keeper(status, policy)):
        if sentence:
            lines += [style.paint("quiet", line) for line in wrap(safe(sentence), style.width)]
    return "\n".join(lines) + "\n"


def tracked_text(status: Plain, style: Style) -> str:
    """Return a line that says whether the iteration was counted (`recorded`, `run`, `iteration`)."""
    where = f"iteration {status['iteration']} of {status['run']}"
    counted = f"{where} is recorded; `exitgate check` with its number or turn returns that record"
    looked = f"{where} is only shown: `exitgate check` counts it"
    lines = wrap(safe(counted if status["recorded"] else looked), style.width)
    return "".join(f"{style.paint('quiet', line)}\n" for line in lines)


def moves_text(moves: Sequence[Plain], style: Style) -> str:
    """Return a table of moves, oldest first; the reason takes what is left of the width."""
    if not moves:
        return ""
    rows = [_cells(move) for move in moves]
    widths = [max(columns(row[i]) for row in (HEADINGS, *rows)) for i in range(len(HEADINGS))]
    shown = [style.paint("quiet", "  ".join(map(pad, HEADINGS, widths)).rstrip())]
    room = max(12, style.width - sum(widths) - 2 * len(widths))
    for move, row in zip(moves, rows, strict=True):
        cells = [pad(text, width) for text, width in zip(row, widths, strict=True)]
        cells[3] = style.paint(ROLES.get(row[3], "unknown"), cells[3])
        shown.append(("  ".join(cells) + "  " + style.fit(safe(str(move.get("why") or "")), room)).rstrip())
    return "\n".join(shown) + "\n"


def _since(status: Plain) -> str:
    if not status.get("opened_at"):
        return ""
    lasted = status.get("opened_for")
    how_long = f", for {value_text(lasted, DURATION)}" if lasted is not None else ""
    return f"opened {status['opened_at']}{how_long}"


def _what_moves_it(status: Plain) -> str:
    left = status.get("cooldown_left")
    if status.get("by_hand"):
        return "opened by hand: only `exitgate circuit reset` closes it"
    if status.get("probe"):
        return "one iteration is allowed: progress closes the breaker, no progress opens it again"
    if isinstance(left, int | float):
        return "the cooldown is over" if not left else f"the cooldown ends in {value_text(left, DURATION)}"
    return ""


def _keeper(status: Plain, policy: str) -> str:
    keeper = status.get("kept_by")
    if status.get("by_hand") and keeper in ("file", "nothing"):
        return f"it stops every loop here, also under {policy}"
    if keeper == "file":
        return (
            f"kept by `{status.get('path')}`, which {policy} reads; only a breaker opened by hand counts here"
        )
    if keeper == "nothing":
        return f"{policy} has no breaker: only a breaker opened by hand stops it"
    return f"kept by exitgate for {policy}" if keeper else ""


def _cells(move: Plain) -> tuple[str, ...]:
    by = "hand" if move.get("by_hand") else f"{move.get('run')} iteration {move.get('iteration')}"
    moment = str(move.get("at") or "")[:19].replace("T", " ")
    return tuple(
        safe(str(text)) for text in (move.get("sequence"), moment, move.get("from"), move.get("to"), by)
    )
