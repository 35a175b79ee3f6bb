"""Decisions as cells: a colour, a sign and words for each class."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from exitgate.core.model.decision import EXIT
from exitgate.recordings.page.view import Strip, Verdict
from exitgate.recordings.replay.result import IterationRow, RunResult

CONTINUE = "continue"
#: Class (or `CONTINUE`) -> its sign: what tells classes apart without colour.
SIGNS = {
    CONTINUE: "→",
    "complete": "✓",
    "idle": "○",
    "blocked": "!",
    "review": "?",
    "stuck": "↻",
    "halted": "■",
    "exhausted": "$",
    "wait": "…",
    "failed": "✗",
    "undetermined": "∅",
    "interrupted": "‖",
}


def verdict(row: IterationRow, stop: int | None) -> Verdict:
    """Return a decision as a cell; `stop` is the iteration of the policy's first EXIT."""
    tone = row.exit_class if row.verdict == EXIT and row.exit_class is not None else CONTINUE
    words = row.verdict if tone == CONTINUE else f"{row.verdict} {tone}"
    if not row.firm:
        words += ", tentative"
    after = stop is not None and row.iteration > stop
    return Verdict(row.iteration, tone, SIGNS[tone], words, row.iteration == stop, after, row.firm)


def stop_of(result: RunResult) -> int | None:
    """Return the iteration of the first EXIT, or None."""
    return None if result.stop is None else result.stop.iteration


def strip(result: RunResult, columns: Sequence[int]) -> Strip:
    """Return the decisions of one policy on the iterations of `columns`."""
    rows = {row.iteration: row for row in result.rows}
    stop = stop_of(result)
    return Strip(result.policy, tuple(verdict(rows[n], stop) if n in rows else None for n in columns))


# Instants, spans and amounts as the page writes them; always UTC, never the reader's clock.


def instant(seconds: float | None) -> str:
    """Return ``2026-03-01 14:05:09`` (UTC) of seconds since the epoch; nothing for None or nonsense."""
    if seconds is None:
        return ""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return ""


def span(seconds: float | None) -> str:
    """Return ``42 s``, ``7 min 5 s``, ``3 h 20 min``; the empty text for None or a clock that went back."""
    if seconds is None or not 0 <= seconds < 1e10:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def usd(amount: float | None) -> str:
    """Return ``1.20 USD``, with four decimals below ten cents; the empty text for None."""
    if amount is None:
        return ""
    return f"{amount:,.2f} USD" if amount >= 0.1 or not amount else f"{amount:.4f} USD"


def counted(number: int, word: str) -> str:
    """Return ``1 iteration``, ``3 iterations``, ``12,000 tokens``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
