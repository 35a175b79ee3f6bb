"""Texts cut down to what one line for people can hold: long lists as two and a count, paths made relative."""

from __future__ import annotations

import os

from exitgate.report.safe import safe
from exitgate.report.width import cut

#: Alternatives of a list in backticks that are shown; the rest is counted.
SHOWN = 2
#: Columns of a line: two rows of a narrow terminal.
LINE = 160
_OR = "` or `"


def brief_line(text: str, folder: str = "", columns: int = LINE) -> str:
    """
    Return `text` on one line, safe for a terminal, at most `columns` wide.

    Args:
        text: From a policy, an agent, or a remark on a source.
        folder: Absolute path of the working folder; paths inside it become relative.
        columns: Where it is cut, with an ellipsis.
    """
    return cut(safe(brief(text, folder)), columns)


def brief(text: str, folder: str = "") -> str:
    """Return `text` with ``no plan at `a` or `b` or 10 more`` for a long list, and relative paths."""
    if len(folder) > 1 and folder in text:
        text = text.replace(folder.rstrip("/") + "/", "")
    return _counted(text) if text.count(_OR) >= SHOWN else text


def here() -> str:
    """Return the absolute path of the working folder, or the empty text where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def listed(names: list[str], most: int = 3) -> str:
    """Return names in backticks with commas, the first `most` of them and a count of the rest."""
    more = len(names) - most
    text = ", ".join(f"`{name}`" for name in names[:most])
    return f"{text} and {more} more" if more > 0 else text


def _counted(text: str) -> str:
    """Fold each run of more than `SHOWN` alternatives; one between two others holds no backtick itself."""
    first, *pieces = text.split(_OR)
    parts, run = [first], 1
    folded = 0
    for piece in pieces:
        run += 1
        _, tick, rest = piece.partition("`")
        if run <= SHOWN:
            parts.append(_OR + piece)
        else:
            folded += 1
            if tick:
                parts.append(f"` or {folded} more{rest}")
        if tick:
            run, folded = (1, 0)
    if folded:
        parts.append(f"` or {folded} more")
    return "".join(parts)
