"""The signature of a text: that of the first row of a cascade that matches."""

from __future__ import annotations

from exitgate.facts import signature_template
from exitgate.facts.reported import SIGNATURE_LIMIT
from exitgate.facts.words import encodable
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from exitgate.facts.signature_filters import Settings
    from exitgate.facts.signature_rows import Cascade, Part, Row

#: Of a text longer than both together, its beginning and its end are looked at, in characters.
HEAD, TAIL = 48_000, 16_000
#: So many matches of a row may be refused by its `unless` before the row is given up.
TRIES = 20
#: Longest captured text that a template sees, in characters.
CAPTURED = 20_000


class Found(Value):
    """
    A signature and its origin.

    `text` is the signature, `row` the id of its row, `start` and `end` the span of the row's match;
    the `text` of a match that `unless` refused is None.
    """

    __slots__ = ("end", "row", "start", "text")

    def __init__(self, row: str, start: int, end: int, text: str | None = None) -> None:
        self.row = row
        self.start = start
        self.end = end
        self.text = text


def search(text: str, cascade: Cascade) -> tuple[Found | None, tuple[Found, ...]]:
    """
    Return the signature of `text`, None where no row matches, and the matches that were refused.

    Linear in `text`: each row searches it a bounded number of times.
    """
    seen = encodable(text.replace("\r\n", " \n") if "\r" in text else text)
    windows = _windows(seen)
    refused: list[Found] = []
    for row in cascade.occurring("\n".join(window for _, window in windows)):
        for match, offset in _matches(row, windows, refused):
            signature = _signature(row, match, windows, cascade.settings)
            if signature is not None:
                return Found(row.id, offset + match.start(), offset + match.end(), signature), tuple(refused)
    return None, tuple(refused)


def _windows(text: str) -> tuple[tuple[int, str], ...]:
    if len(text) <= HEAD + TAIL:
        return ((0, text),)
    return (0, text[:HEAD]), (len(text) - TAIL, text[-TAIL:])


def _matches(
    row: Row, windows: tuple[tuple[int, str], ...], refused: list[Found]
) -> Iterator[tuple[Any, int]]:
    """Yield the first match of a row in each window that is not refused, and the window's offset."""
    for offset, window in windows:
        at = 0
        for _ in range(TRIES):
            match = row.pattern.search(window, at)
            if match is None:
                break
            if row.refusal is None or row.refusal.search(_lines_of(window, match)) is None:
                yield match, offset
                break
            refused.append(Found(row.id, offset + match.start(), offset + match.end()))
            at = match.end() + (match.end() == match.start())
            if at > len(window):
                break


def _lines_of(window: str, match: Any) -> str:
    """Return the lines on which the match lies."""
    end = window.find("\n", match.end())
    return window[window.rfind("\n", 0, match.start()) + 1 : len(window) if end < 0 else end]


def _signature(row: Row, match: Any, windows: tuple[tuple[int, str], ...], settings: Settings) -> str | None:
    """Return what the row's template makes of a match; None where a part or everything is missing."""
    listed: dict[str, str] = {}
    replaced = False
    for name, part in row.parts.items():
        places = [w for _, w in windows] if part.inside is None else [_group(match, part.inside)]
        items = _items(part, places, settings)
        if not items and part.otherwise is None:
            return None
        replaced = replaced or not items
        listed[name] = part.join.join(items) if items else str(part.otherwise)

    def value(name: str) -> str:
        return listed[name] if name in listed else _group(match, name)

    text, any = signature_template.render(row.template, value, settings)
    if not any and not replaced and signature_template.names(row.template):
        return None
    return _shortened(text) or None


def _items(part: Part, places: list[str], settings: Settings) -> list[str]:
    items: list[str] = []
    for place in places:
        at = 0
        while len(items) < part.limit and at <= len(place):
            match = part.pattern.search(place, at)
            if match is None:
                break
            found, any = signature_template.render(part.shown, _groups(match), settings)
            if any:
                items.append(found)
            at = match.end() + (match.end() == match.start())
    return items


def _groups(match: Any) -> Any:
    return lambda name: _group(match, name)


def _group(match: Any, name: str) -> str:
    """Return a captured group by number or name; empty where it took no part or there are none."""
    try:
        found = match.group(int(name) if name.isascii() and name.isdigit() else name)
    except (IndexError, KeyError):
        return ""
    return str(found or "")[:CAPTURED]


def _shortened(text: str) -> str:
    """Return a long signature cut and ended with the CRC-32 of the whole."""
    if len(text) <= SIGNATURE_LIMIT:
        return text
    from binascii import crc32

    return f"{text[: SIGNATURE_LIMIT - 9]}~{crc32(text.encode('utf-8', 'replace')):08x}"
