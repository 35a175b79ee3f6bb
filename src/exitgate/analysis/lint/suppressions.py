"""
Comments that turn a lint off.

    rules:
      # lint: off missing-because: the id says it all
      - id: budget
        when: run.iterations >= 50      # lint: off constant-repeated: fifty is our limit

Behind something on its line it holds for that line; on a line of its own for what begins on the next
line that says something: a key with all of its value, an item, a rule. `# lint: off-file ID: reason`
holds for the file. Several ids follow one another with commas.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.analysis.edits import offset
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.yaml.document import Document

MARK = "lint:"
LINE, FILE = "off", "off-file"


class Suppression(Struct, frozen=True):
    """
    A comment that turns lints off.

    Args:
        ids: Of the lints, as written.
        reason: Why; empty where none is given.
        place: Where the comment is, its `#` included.
        id_places: Where each id is.
        first, last: Lines it holds for, from 1; both 0 for the whole file.
    """

    ids: tuple[str, ...]
    reason: str
    place: Location
    id_places: tuple[Location, ...]
    first: int
    last: int

    def covers(self, id: str, line: int) -> bool:
        """Return whether it turns off the lint `id` for what begins on a line."""
        return id in self.ids and (not self.first or self.first <= line <= self.last)


def read(document: Document) -> tuple[Suppression, ...]:
    """Return the suppressions of a file, from top to bottom."""
    return tuple(_read(document))


def comments(document: Document) -> Iterator[tuple[int, int, str]]:
    """Yield line, column (from 1) and text, `#` included, of every comment of a file."""
    text = document.lines.text
    inside = _scalars(document)
    before = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        for at, character in enumerate(line):
            spaced = at == 0 or line[at - 1] in " \t"
            if character == "#" and spaced and not _within(before + at, inside):
                yield number, at + 1, line[at:].rstrip("\r\n")
                break
        before += len(line)


def _scalars(document: Document) -> list[tuple[int, int]]:
    """Return the stretches of the text that scalars and keys take, in order."""
    found = []
    for part in document.root.walk():
        if part.written is not None:
            found.append((part.written.start, part.written.end))
        if part.key is not None and MARK in document.lines.line(part.key.line):
            key = part.key
            start = offset(document.lines, key.line, key.column)
            found.append((start, offset(document.lines, key.end_line, key.end_column)))
    return sorted(found)


def _within(at: int, spans: list[tuple[int, int]]) -> bool:
    number = bisect_right(spans, at, key=lambda span: span[0]) - 1
    return number >= 0 and at < spans[number][1]


def _read(document: Document) -> Iterator[Suppression]:
    if MARK not in document.lines.text:
        return
    ends = _ends(document)
    for line, column, comment in comments(document):
        inner = comment[1:].lstrip()
        if not inner.startswith(MARK):
            continue
        word, _, rest = inner[len(MARK) :].lstrip().partition(" ")
        if word not in (LINE, FILE):
            continue
        ids, _, reason = rest.partition(":")
        alone = not document.lines.line(line)[: column - 1].strip()
        first, last = (0, 0) if word == FILE else _reach(document, line, alone, ends)
        start = column + len(comment) - len(rest)
        named = list(_named(ids, start))
        place = _at(document, line, column, len(comment))
        places = tuple(_at(document, line, at, len(id)) for id, at in named)
        yield Suppression(tuple(id for id, _ in named), reason.strip(), place, places, first, last)


def _named(ids: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield each id of a list and the column that it begins at; the list begins at `start`."""
    for one in ids.split(","):
        if one.strip():
            yield one.strip(), start + len(one) - len(one.lstrip())
        start += len(one) + 1


def _at(document: Document, line: int, column: int, length: int) -> Location:
    return Location(document.file, line, column, line, column + max(1, length))


def _ends(document: Document) -> dict[int, int]:
    """Return for each line on which a key or an item begins the last line of the longest of them."""
    ends: dict[int, int] = {}
    for part in document.root.walk():
        if part is not document.root:
            line = part.label.line
            ends[line] = max(ends.get(line, 0), part.place.end_line)
    return ends


def _reach(document: Document, line: int, alone: bool, ends: Mapping[int, int]) -> tuple[int, int]:
    """Return the lines that a comment holds for."""
    if not alone:
        return line, line
    first = line + 1
    last = document.root.place.end_line
    while first <= last and _says_nothing(document.lines.line(first)):
        first += 1
    return first, max(first, ends.get(first, first))


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")
