"""An answer to a question as a table for people, and for programs."""

from __future__ import annotations

from typing import Any

from exitgate.fleet.questions.engine import Found, plain
from exitgate.recordings.reports.columns import NOTHING, aligned, csv_text, markdown
from exitgate.report.formats.output import Output, output_text
from exitgate.report.terminal import Style


class AnswerOutput(Output, frozen=True):
    """
    An answer to a question to a dataset.

    Args:
        columns: Their names, in order.
        rows: A list of values for each row; times as ISO 8601.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def answer_json(found: Found) -> str:
    """Return an answer as JSON."""
    return output_text(AnswerOutput(found.columns, tuple(tuple(row) for row in plain(found.rows))))


def answer_csv(found: Found) -> str:
    """Return an answer as CSV."""
    return csv_text(found.columns, list(plain(found.rows)))


def answer_markdown(found: Found) -> str:
    """Return an answer as a table in Markdown."""
    return "".join(f"{line}\n" for line in markdown(found.columns, _cells(found), _left(found)))


def answer_text(found: Found, style: Style) -> str:
    """Return an answer as a table for a terminal."""
    lines = aligned(found.columns, _cells(found), style, _left(found))
    return "".join(f"{line}\n" for line in lines)


def _left(found: Found) -> int:
    """Return how many columns from the left hold no numbers: they are flush left."""
    for at in range(len(found.columns)):
        if any(isinstance(row[at], int | float) and not isinstance(row[at], bool) for row in found.rows):
            return at
    return len(found.columns)


def _cells(found: Found) -> list[list[str]]:
    return [[_cell(value) for value in row] for row in plain(found.rows)]


def _cell(value: object) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    return str(value)
