"""The view as lines for a window: labels, bars and the strip, fitted to its width and height. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from exitgate.report.formats.json import json_line
from exitgate.report.terminal import Style, columns, safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.ledger.typed import LedgerLine


LABEL = 10
#: Rows of a section that are shown however high the window is.
MOST = 8
#: Below this many lines there are no empty ones, and the signs are not explained.
LOW = 12
#: Below this many columns labels are on no column of their own.
NARROW = 50


def screen(view: View, style: Style, height: int | None = None) -> list[str]:
    """
    Return the lines of the view.

    Args:
        view: What to show.
        style: Colour and width; no line is wider on a terminal.
        height: Lines there are, or None for as many as it takes. Where they are too few, long sections
            show less, and tell how much, before the least important ones are left out.
    """
    tight = height is not None and height < LOW
    head = _head(view, style, tight)
    kept = [(section, _most(section)) for section in view.sections]
    while True:
        body = [line for section, count in kept for line in _section(section, count, style)]
        if height is None or len(head) + len(body) <= height or not kept:
            lines = [*head, *body]
            return lines if height is None else lines[:height]
        kept = _shorter(kept)


def _most(section: Section) -> int:
    """Return how many rows are shown where there is room."""
    rows = len(section.rows)
    return rows if rows <= MOST + 1 else MOST


def _shorter(kept: list[tuple[Section, int]]) -> list[tuple[Section, int]]:
    """
    Return the sections with less of the longest that has more than its least; else without the last one,
    which has less than its least before it goes.
    """
    fewer = [(section, count, _fewer(section, count)) for section, count in kept]
    spare = [(count, place) for place, (section, count, less) in enumerate(fewer) if less >= section.least]
    if not spare:
        section, count = kept[-1]
        less = _fewer(section, count)
        return [*kept[:-1], (section, less)] if less > 0 else kept[:-1]
    _, longest = max(spare)
    section, _, less = fewer[longest]
    return [*kept[:longest], (section, less), *kept[longest + 1 :]]


def _fewer(section: Section, count: int) -> int:
    """Return the next lower number of rows: the line that says what is left out takes one, too."""
    return count - 2 if count == len(section.rows) else count - 1


def _head(view: View, style: Style, tight: bool) -> list[str]:
    title = wrap(safe(view.title), style.width)
    lines = [style.paint("strong", style.fit(line, style.width)) for line in title]
    verdict, pulse = safe(view.verdict.text), safe(view.pulse.text)
    room = style.width - columns(verdict) - columns(pulse)
    if room >= 2:
        painted = _painted(view.verdict, verdict, style)
        lines.append(painted + " " * room + _painted(view.pulse, pulse, style))
    else:
        lines += [_painted(row, style.fit(text, style.width), style) for row, text in
                  ((view.verdict, verdict), (view.pulse, pulse))]  # fmt: skip
    lines += _strip(view.strip, style, tight)
    return lines if tight else [*lines, ""]


def _strip(strip: Strip, style: Style, tight: bool) -> list[str]:
    """Return signs, marks where there are any, and what both mean; the newest iterations that fit."""
    if not strip.cells:
        return []
    left_out = 0 if style.whole else max(0, len(strip.cells) - style.width)
    fitting = strip.cells[left_out:]
    lines = ["".join(style.paint(role, sign) for sign, _, role in fitting)]
    marks = "".join(mark for _, mark, _ in fitting).rstrip()
    if marks:
        lines.append(marks)
    if tight:
        return lines
    shown = {sign for cell in fitting for sign in cell[:2]}
    legend = "  ".join(f"{sign} {meaning}" for sign, meaning in strip.legend if sign in shown)
    return ["", *lines, *(style.paint("quiet", line) for line in wrap(legend, style.width))]


def _section(section: Section, count: int, style: Style) -> list[str]:
    narrow = style.width < NARROW
    indent = 2 if narrow else LABEL
    shown = section.rows[:count]
    left_out = len(section.rows) - count
    lines: list[str] = []
    for row in shown:
        lines += _row(row, section.whole or narrow, indent, style)
    if left_out > 0:
        lines.append(style.paint("quiet", " " * indent + f"and {left_out} more"))
    label = safe(section.label)
    if narrow:
        return [style.paint("name", label), *lines]
    return [style.paint("name", label) + " " * (LABEL - len(label)) + lines[0][LABEL:], *lines[1:]]


def _row(row: Row, whole: bool, indent: int, style: Style) -> list[str]:
    """Return a row behind its indent; the first line of a section has its label there instead."""
    room = style.width - indent
    text = safe(row.text)
    lines = [style.fit(line, room) for line in wrap(text, room)] if whole else [style.fit(text, room)]
    return [" " * indent + _painted(row, line, style) for line in lines]


def _painted(row: Row, text: str, style: Style) -> str:
    return style.paint(row.role, text) if row.role else text


def plain(lines: Sequence[str]) -> str:
    """Return lines as text with a line end behind each."""
    return "".join(f"{line}\n" for line in lines)


# Rows of the view, gathered in sections, before anybody knows how wide or high the window is.


class Row(Struct, frozen=True):
    """One message. `text` may hold anything; it is made safe when it is drawn."""

    text: str
    role: str = ""


class Section(Struct, frozen=True):
    """
    Rows below one label.

    Args:
        label: The word in front of the first row.
        rows: The most important first.
        least: Rows that stay when the window is low; below that the section goes as a whole.
        whole: Rows are wrapped; else each takes one line, cut where it is longer.
    """

    label: str
    rows: tuple[Row, ...]
    least: int = 1
    whole: bool = False


class Strip(Struct, frozen=True):
    """The verdict strip: a sign and a mark for each iteration, the role it is painted in, and the legend."""

    cells: tuple[tuple[str, str, str], ...] = ()
    legend: tuple[tuple[str, str], ...] = ()


class View(Struct, frozen=True):
    """
    Everything on the screen.

    Args:
        title: Run, policy, iteration.
        verdict: The newest decision in a word, with its role.
        pulse: What the loop does now, with its role.
        strip: The decisions so far.
        sections: The most important first.
    """

    title: str
    verdict: Row
    pulse: Row
    strip: Strip
    sections: tuple[Section, ...]


# One decision as one line, for people and for programs that read lines.

#: What is between tabs, in order.
FIELDS = ("at", "run", "iteration", "verdict", "class", "outcome", "firm", "warnings", "message")


def text_line(line: LedgerLine) -> str:
    """
    Return a decision as the texts of `FIELDS` with a tab between them and a line end behind the last.

    Nothing within a text is a tab or a line end. The class of CONTINUE is ``-``; `firm` is ``firm`` or
    ``tentative``, `warnings` their number.
    """
    decision = line.decided
    firm = "tentative" if decision.firm is False else "firm"
    fields = (
        line.at or "", line.run, str(line.number), decision.verdict, line.exit_class or "-", decision.outcome,
        firm, str(len(decision.warnings)), decision.message,
    )  # fmt: skip
    return "\t".join(safe(field) for field in fields) + "\n"


def plain_line(line: LedgerLine) -> str:
    """Return a decision as one line of JSON: the ledger's own line, as `exitgate ledger export` has it."""
    return json_line(line.plain)
