"""Diagnostics as people read them in a terminal: code, place, source line with carets, help."""

from __future__ import annotations

from exitgate.report.terminal import columns, expand, safe, safe_line, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.report.terminal import Style


def ordered(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return them by file, line and column; those without a place come first. Stable otherwise."""
    return sorted(diagnostics, key=_key)


def diagnostics_text(diagnostics: Iterable[Diagnostic], style: Style) -> str:
    """
    Return all diagnostics, or the empty text for none.

    A count of each severity is at the end, unless there is only one diagnostic that concerns no file.
    """
    found = ordered(diagnostics)
    if not found:
        return ""
    blocks = [diagnostic_text(d, style) for d in found]
    if len(found) == 1 and found[0].place is None:
        return blocks[0] + "\n"
    return "\n\n".join(blocks) + "\n\n" + count_text(found) + "\n"


def diagnostic_text(diagnostic: Diagnostic, style: Style) -> str:
    """Return one diagnostic, several lines, without a line end behind the last."""
    head = style.paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = wrap(safe(diagnostic.message), style.width, f"{diagnostic.severity}[{diagnostic.code}]: ", "    ")
    lines[0] = head + lines[0][len(f"{diagnostic.severity}[{diagnostic.code}]") :]
    place = diagnostic.place
    number = str(place.line) if place is not None and diagnostic.source else ""
    margin = " " * len(number)
    if place is not None:
        lines.append(f"{margin}{style.paint('place', '-->')} {safe(str(place))}")
    if place is not None and diagnostic.source:
        lines += _source(diagnostic, style, number)
    for word, other in diagnostic.related:
        lines.append(f"{margin}{style.paint('place', '-->')} {safe(str(other))} {safe(word)}")
    if diagnostic.help:
        lines += _help(diagnostic.help, margin, style)
    return "\n".join(lines)


def count_text(diagnostics: Iterable[Diagnostic]) -> str:
    """Return how many of each severity there are, ``2 errors, 1 warning``."""
    found = [d.severity for d in diagnostics]
    parts = []
    for severity in ("error", "warning", "note"):
        n = found.count(severity)
        if n:
            parts.append(f"{n} {severity}{'' if n == 1 else 's'}")
    return ", ".join(parts)


def _source(diagnostic: Diagnostic, style: Style, number: str) -> list[str]:
    place = diagnostic.place
    assert place is not None
    start = place.column - 1
    end = place.end_column - 1 if place.end_line == place.line else len(diagnostic.source)
    bar = f"{' ' * len(number)} {style.paint('place', '│')}"
    quoted = quote(
        diagnostic.source,
        start,
        max(end, start + 1),
        style,
        gutter=number,
        gutter_width=len(number),
        role=diagnostic.severity,
    )
    return [bar, *quoted]


def _help(text: str, margin: str, style: Style) -> list[str]:
    first = f"{margin}help: "
    lines = wrap(safe(text), style.width, first)
    lines[0] = margin + style.paint("help", "help") + lines[0][len(margin) + 4 :]
    return lines


def _key(diagnostic: Diagnostic) -> tuple[str, int, int]:
    place = diagnostic.place
    return ("", 0, 0) if place is None else (place.file, place.line, place.column)


# A line of a source, quoted behind a gutter with carets under the stretch that matters.

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
