"""Diagnostics as people read them in a terminal: code, place, source line with carets, help."""

from __future__ import annotations

from exitgate.report.quote import quote
from exitgate.report.safe import safe
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.model.diagnostic import Diagnostic
    from exitgate.report.style import Style


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
