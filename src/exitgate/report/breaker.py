"""The breaker as people read it: how it is, and how it moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, convert

from exitgate.core.model.value import DURATION
from exitgate.report.formats.output import Output
from exitgate.report.terminal import Style, columns, pad, safe, wrap
from exitgate.report.wording import value_text

ROLES = {"CLOSED": "complete", "HALF_OPEN": "exit", "OPEN": "trouble"}
HEADINGS = ("#", "time", "from", "to", "by")
State = Annotated[str, Meta(extra_json_schema={"enum": [*ROLES, "UNKNOWN"]})]


class BreakerOutput(Output, frozen=True):
    """
    What `exitgate circuit status --format json` and `circuit track` print.

    Args:
        state: Of the breaker; UNKNOWN if the file that another program keeps does not say it, null if a look
            does not know it.
        reason: Why it is so; may be empty, or null where it is not known.
        opened_at: When it opened, as ISO 8601; null where it is not known or did not open.
        opened_for: Seconds since then.
        cooldown_left: Seconds until one iteration is allowed; null where time does not move it.
        by_hand: Whether a person opened it: then only a person closes it.
        probe: Whether one iteration is allowed.
        kept_by: `policy`, `file` for one that another program keeps, `nothing`; null without a policy.
        path: The file that another program keeps.
        warning: What is wrong with it; may be empty.
        recorded: With `track`, whether the iteration is recorded.
        run: With `track`, id of the run.
        iteration: With `track`, number of the iteration.
    """

    state: State | None
    reason: str | None
    opened_at: Any
    opened_for: int | float | None
    cooldown_left: int | float | None
    by_hand: bool
    probe: bool
    kept_by: str | None
    path: str | UnsetType | None = UNSET
    warning: str = ""
    recorded: bool | UnsetType = UNSET
    run: str | UnsetType = UNSET
    iteration: int | UnsetType = UNSET


class MoveOutput(Output, frozen=True, rename={"origin": "from"}):
    """
    A move of the breaker.

    Args:
        sequence: Number of its line in the ledger.
        at: When, as ISO 8601.
        origin: State before.
        to: State behind it.
        why: What moved it.
        by_hand: Whether a person moved it.
        run: Id of the run in whose check it moved; null by hand.
        iteration: Its iteration; null by hand.
    """

    sequence: int
    at: Any
    origin: Any
    to: Any
    why: Any
    by_hand: bool
    run: str | None
    iteration: Any


def breaker_output(found: Mapping[str, object]) -> BreakerOutput:
    """Return what `exitgate.core.gate.breaker_control.status` says, or the same of a breaker in a file."""
    return convert(found, BreakerOutput)


def move_outputs(moves: Iterable[Mapping[str, object]]) -> tuple[MoveOutput, ...]:
    """Return what `exitgate.core.gate.breaker_control.history` says."""
    return tuple(convert(one, MoveOutput) for one in moves)


def status_text(status: BreakerOutput, policy: str, style: Style) -> str:
    """
    Return the state first, then why, since when, who keeps it and what moves it.

    Args:
        status: Of the breaker.
        policy: Name and version of the policy, or empty.
        style: Colour and width.
    """
    state, reason = str(status.state), status.reason or ""
    head = style.paint(ROLES.get(state, "unknown"), safe(state))
    lines = [f"{head} · {style.fit(safe(reason), style.width - columns(state) - 3)}" if reason else head]
    for sentence in (_since(status), _what_moves_it(status), _keeper(status, policy)):
        if sentence:
            lines += [style.paint("quiet", line) for line in wrap(safe(sentence), style.width)]
    return "\n".join(lines) + "\n"


def tracked_text(status: BreakerOutput, style: Style) -> str:
    """Return a line that says whether the iteration was counted (`recorded`, `run`, `iteration`)."""
    where = f"iteration {status.iteration} of {status.run}"
    counted = f"{where} is recorded; `exitgate check` with its number or turn returns that record"
    looked = f"{where} is only shown: `exitgate check` counts it"
    lines = wrap(safe(counted if status.recorded is True else looked), style.width)
    return "".join(f"{style.paint('quiet', line)}\n" for line in lines)


def moves_text(moves: Sequence[MoveOutput], style: Style) -> str:
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
        shown.append(("  ".join(cells) + "  " + style.fit(safe(str(move.why or "")), room)).rstrip())
    return "\n".join(shown) + "\n"


def _since(status: BreakerOutput) -> str:
    if not status.opened_at:
        return ""
    lasted = status.opened_for
    how_long = f", for {value_text(lasted, DURATION)}" if lasted is not None else ""
    return f"opened {status.opened_at}{how_long}"


def _what_moves_it(status: BreakerOutput) -> str:
    left = status.cooldown_left
    if status.by_hand:
        return "opened by hand: only `exitgate circuit reset` closes it"
    if status.probe:
        return "one iteration is allowed: progress closes the breaker, no progress opens it again"
    if left is not None:
        return "the cooldown is over" if not left else f"the cooldown ends in {value_text(left, DURATION)}"
    return ""


def _keeper(status: BreakerOutput, policy: str) -> str:
    keeper = status.kept_by
    if status.by_hand and keeper in ("file", "nothing"):
        return f"it stops every loop here, also under {policy}"
    if keeper == "file":
        return f"kept by `{status.path}`, which {policy} reads; only a breaker opened by hand counts here"
    if keeper == "nothing":
        return f"{policy} has no breaker: only a breaker opened by hand stops it"
    return f"kept by exitgate for {policy}" if keeper else ""


def _cells(move: MoveOutput) -> tuple[str, ...]:
    by = "hand" if move.by_hand else f"{move.run} iteration {move.iteration}"
    moment = str(move.at or "")[:19].replace("T", " ")
    return tuple(safe(str(text)) for text in (move.sequence, moment, move.origin, move.to, by))
