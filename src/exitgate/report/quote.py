"""A line of a source, quoted behind a gutter with carets under the stretch that matters."""

from __future__ import annotations

from exitgate.report.safe import safe_line
from exitgate.report.width import columns, expand, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.report.style import Style

#: Characters looked at on each side of a mark, and of the mark: more than any width shows.
NEAR = 500
#: Columns of a line that is not for a terminal: all that a fact's evidence quotes.
WIDE = 240


def quote(
    line: str,
    start: int,
    end: int,
    style: Style,
    *,
    gutter: str = "",
    gutter_width: int = 0,
    role: str = "error",
    label: str = "",
    mark: str = "^",
) -> list[str]:
    """
    Return two printed lines: the quoted line, and marks under it.

    Args:
        line: The source line, without its line end, as it is.
        start: 0-based offset in characters of the first marked character.
        end: Offset behind the last one; at least one column is marked.
        gutter: Shown left of the bar, flush right: a line number.
        gutter_width: Columns of the gutter; both lines share it.
        role: Colour of the marks.
        label: A word on the marked stretch, behind the marks.
        mark: The character marks are made of.

    A line that is too wide is shown as a window around the marked stretch, with an ellipsis at each cut.
    Elsewhere than on a terminal that is one of more than `WIDE` columns.
    """
    room = max(WIDE if style.whole else 12, style.width - gutter_width - 3)
    before, marked, after = _split(line, start, end)
    before, marked, after = _window(before, marked, after, room)
    blank = " " * gutter_width
    marks = mark * max(1, columns(marked))
    bar = style.paint("place", "│")
    number = style.paint("place", gutter.rjust(gutter_width))
    under = f"{blank} {bar} {' ' * columns(before)}{style.paint(role, marks)}"
    lines = [f"{number} {bar} {before}{marked}{after}".rstrip()]
    if not label:
        return [*lines, under]
    if columns(before) + columns(marks) + 1 + columns(label) <= room:
        return [*lines, f"{under} {style.paint(role, label)}"]
    below = [f"{blank} {bar} {style.paint(role, part)}" for part in wrap(label, room)]
    return [*lines, under, *below]


def _split(line: str, start: int, end: int) -> tuple[str, str, str]:
    """Return the line in three parts made safe, tabs expanded where they are in the whole line."""
    start = max(0, min(start, len(line)))
    end = max(start, min(end, len(line), start + NEAR))
    left = max(0, start - NEAR)
    line, start, end = line[left : end + NEAR], start - left, end - left
    ends = [expand(safe_line(line[:at])) for at in (start, end)]
    whole = expand(safe_line(line))
    return ends[0], whole[len(ends[0]) : len(ends[1])], whole[len(ends[1]) :]


def _window(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    if columns(before) + (columns(marked) or 1) + columns(after) <= room:
        return before, marked, after
    marked = _head(marked, room - 2)
    spare = room - (columns(marked) or 1)
    left = min(columns(before), max(spare // 2, spare - columns(after)))
    before = _tail(before, left)
    return before, marked, _head(after, room - columns(before) - columns(marked))


def _head(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    kept = text[: max(0, width - 1)]
    while columns(kept) > width - 1:
        kept = kept[:-1]
    return kept + "…"


def _tail(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    kept = text[len(text) - max(0, width - 1) :]
    while columns(kept) > max(0, width - 1):
        kept = kept[1:]
    return "…" + kept
