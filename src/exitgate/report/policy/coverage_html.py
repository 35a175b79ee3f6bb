"""Coverage of policies as one HTML file: the text of each policy, its leaves coloured by what cases show."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct

from exitgate import __version__
from exitgate.analysis.results.coverage import DECIDES, UNKNOWN, Aim, Coverage, Leaf, Part
from exitgate.core.model.diagnostic import Location
from exitgate.report.policy.coverage import glyph, missing, title, whole
from exitgate.report.terminal import safe, safe_block

# The text of a policy cut into pieces: each leaf and rule with what cases show of it.

FULL, HALF, NONE, EXCUSED = "full", "half", "none", "excused"
#: State -> glyph in the margin, the worst first.
MARKS = {NONE: "✗", HALF: "◐", EXCUSED: "~", FULL: "●"}


class Span(Struct, frozen=True):
    """A stretch of one line, columns from 0, the end exclusive; its state, and lines of text about it."""

    start: int
    end: int
    state: str
    note: str


class Piece(Struct, frozen=True):
    """Text of a line; or the begin of a span, or the end of the one begun last."""

    text: str = ""
    span: Span | None = None
    ends: bool = False


class Line(Struct, frozen=True):
    """One line of a file: its number, the mark in the margin or "", and its pieces in order."""

    number: int
    state: str
    mark: str
    pieces: tuple[Piece, ...]


def lines_of(found: Coverage, file: str) -> tuple[Line, ...]:
    """Return the lines of one of the files that a policy is written in."""
    text = found.texts[file].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    spans: dict[int, list[Span]] = {}
    for place, state, note in _marked(found):
        if place.file == file:
            for number, span in _by_line(place, text, state, note):
                spans.setdefault(number, []).append(span)
    return tuple(_line(number, line, spans.get(number, [])) for number, line in enumerate(text, 1))


def _marked(found: Coverage) -> Iterator[tuple[Location, str, str]]:
    for part in found.parts:
        if part.aim is not None and part.place is not None:
            yield part.place, _state((part.aim,)), _about(part)
        for leaf in part.leaves:
            for place in leaf.places:
                yield place, _state(leaf.aims), _about_leaf(part, leaf)


def _state(aims: Sequence[Aim]) -> str:
    wanted = [aim for aim in aims if aim.wanted]
    missing = [aim for aim in wanted if aim.is_missing]
    if missing:
        return NONE if not any(aim.shown_by for aim in wanted) else HALF
    return EXCUSED if any(aim.excused for aim in wanted) else FULL


def _about(part: Part) -> str:
    assert part.aim is not None
    return f"{part.kind} {title(part)}: {_aim_text(part.aim)}"


def _about_leaf(part: Part, leaf: Leaf) -> str:
    return "\n".join([f"{leaf.text}  ({part.kind} {title(part)})", *map(_aim_text, leaf.aims)])


def _aim_text(aim: Aim) -> str:
    if aim.shown_by:
        return f"{aim.what}: {aim.shown_by}"
    if aim.excused:
        return f"never {aim.what}: {' '.join(aim.excused.split())}"
    if aim.what == UNKNOWN and not aim.wanted:
        return "unknown: not seen"
    return "it decides in no case" if aim.what == DECIDES else f"{aim.what}: no case covers it"


def _by_line(place: Location, text: Sequence[str], state: str, note: str) -> Iterator[tuple[int, Span]]:
    """Yield number and span for each line that a place touches, without the indentation of later ones."""
    for number in range(place.line, min(place.end_line, len(text)) + 1):
        line = text[number - 1]
        start = place.column - 1 if number == place.line else len(line) - len(line.lstrip())
        end = place.end_column - 1 if number == place.end_line else len(line)
        if start < end:
            yield number, Span(start, end, state, note)


def _line(number: int, text: str, spans: list[Span]) -> Line:
    spans = sorted(spans, key=lambda span: (span.start, -span.end))
    states = [span.state for span in spans]
    state = next((one for one in MARKS if one in states), "")
    return Line(number, state, MARKS.get(state, ""), tuple(_pieces(text, spans)))


def _pieces(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """Yield the pieces of a line; spans are one inside the other or apart, as parts of a tree are."""
    at = 0
    open_: list[Span] = []
    for span in spans:
        while open_ and open_[-1].end <= span.start:
            ended = open_.pop()
            yield Piece(text[at : ended.end])
            at = ended.end
            yield Piece(ends=True)
        yield Piece(text[at : span.start])
        at = span.start
        yield Piece(span=span)
        open_.append(span)
    while open_:
        ended = open_.pop()
        yield Piece(text[at : ended.end])
        at = max(at, ended.end)
        yield Piece(ends=True)
    yield Piece(text[at:])


_LEGEND = (
    (FULL, "covered, both ways if there are two"),
    (HALF, "one way is missing"),
    (NONE, "no case covers it"),
    (EXCUSED, "excused"),
)


def coverage_html(found: Sequence[Coverage]) -> str:
    """
    Return the page. Nothing is loaded, there is no script, and every text is escaped.

    Hovering a leaf, or moving to it with the keyboard, says which case shows each truth.
    """
    style = files("exitgate.report").joinpath("templates", "coverage.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=PackageLoader("exitgate.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    return environment.get_template("coverage.html.j2").render(
        found=found,
        whole=whole(found),
        version=__version__,
        style=Markup(style),  # noqa: S704  # our own file
        style_hash="sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        lines_of=lines_of,
        missing=missing,
        title=title,
        glyph=glyph,
        legend=[(state, MARKS[state], words) for state, words in _LEGEND],
    )


def _finalized(value: object) -> object:
    """Return what a template writes out, fit for a page; our own markup as it is."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return safe(value) if "\n" not in value else safe_block(value)
    return value
