"""Tables of pages: cells that hold what would break a table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; cells are Markdown without `|` of their own, as `cell` and `code` give."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def cell(text: str) -> str:
    """Return Markdown on one line as a cell can hold it."""
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def code(text: str) -> str:
    """Return a text as code in a cell; one with a backtick gets two around it."""
    one = " ".join(text.split()).replace("|", "\\|")
    return f"`` {one} ``" if "`" in one else f"`{one}`"
