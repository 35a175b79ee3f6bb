"""Tables of judgements: the same rows as aligned text, Markdown and CSV; numbers for people."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.recordings.scoring.statistics import Figure
from exitgate.report.decision.markdown import cell, prose
from exitgate.report.terminal import Style, columns, pad, safe

Rows = Sequence[Sequence[str]]


#: What is where nothing is known.
NOTHING = "-"


def aligned(head: Sequence[str], rows: Rows, style: Style, left: int = 1, key: int = 1) -> list[str]:
    """
    Return a table as lines, cells made fit for a terminal.

    A table that is wider than the terminal is cut into several, one below the other, each with the columns
    that say what a row is about. A single column beside these may still be wider.

    Args:
        head: Titles of the columns.
        rows: Cells.
        style: Whether to paint the titles.
        left: So many columns from the left are flush left, the others flush right.
        key: So many columns from the left say what a row is about.
    """
    table = [[safe(text) for text in row] for row in (head, *rows)]
    widths = [max(columns(row[at]) for row in table) for at in range(len(head))]
    lines: list[str] = []
    for part in _parts(widths, key, style.width):
        lines += [""] if lines else []
        for number, row in enumerate(table):
            cells = [
                pad(row[at], widths[at]) if at < left else " " * (widths[at] - columns(row[at])) + row[at]
                for at in part
            ]
            line = "  ".join(cells).rstrip()
            lines.append(line if number else style.paint("strong", line))
    return lines


def _parts(widths: Sequence[int], key: int, width: int) -> list[list[int]]:
    """Return which columns are beside each other; the first `key` ones are in every part."""
    lead = list(range(key))
    parts = [lead]
    for at in range(key, len(widths)):
        wanted = [*parts[-1], at]
        fits = sum(widths[one] + 2 for one in wanted) - 2 <= width
        parts = [*parts[:-1], wanted] if fits or parts[-1] == lead else [*parts, [*lead, at]]
    return parts


def markdown(head: Sequence[str], rows: Rows, left: int = 1) -> list[str]:
    """Return a table in Markdown as lines; cells are shown as they are."""
    marks = ["---" if at < left else "---:" for at in range(len(head))]
    table = [[cell(prose(text)) for text in row] for row in (head, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in table]
    return [lines[0], f"|{'|'.join(marks)}|", *lines[1:]]


def csv_text(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """
    Return a table as CSV (RFC 4180, lines end with LF), None as an empty cell.

    A text that a spreadsheet would take for a formula has an apostrophe in front.
    """
    import csv
    import io

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(["" if one is None else _inert(one) if isinstance(one, str) else one for one in row])
    return file.getvalue()


def _inert(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def number(value: float | None, digits: int = 0) -> str:
    """Return a number with so many decimals, `NOTHING` for None."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def usd(value: float | None) -> str:
    """Return an amount of USD, `NOTHING` for None."""
    return number(value, 2)


def interval(figure: Figure, digits: int = 0, unit: str = "") -> str:
    """Return a figure with its 95 % interval: ``12 (3-20)``."""
    text = number(figure.value, digits) + (unit if figure.value is not None else "")
    if figure.low is None or figure.high is None:
        return text
    return f"{text} ({number(figure.low, digits)}-{number(figure.high, digits)})"
