"""One text on the desk: its kind, its tree, and what is known of the policy it is about."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import read_document
from exitgate.surfaces.lsp.policy_index import PolicyIndex, index_of, reference
from exitgate.surfaces.lsp.schema import POLICY, SETTINGS, TESTS, kind_of
from exitgate.surfaces.lsp.tolerant_yaml import parse
from exitgate.surfaces.lsp.tree import Node
from exitgate.surfaces.lsp.workspace import Workspace

#: Lines with faults of syntax that are left out of a text, one after the other, to know its names.
_MENDED_LINES = 4
#: So many texts are kept apart by what is known of them.
_KEPT = 64


class Document:
    """
    A text that somebody works on. Trees and names are made when they are asked for.

    Args:
        path: Its file, absolute.
        text: What the editor shows.
        desk: What else is open.
        memory: What was known of policies before, shared by all pages.
    """

    def __init__(self, path: str, text: str, desk: Workspace, memory: DocumentCache) -> None:
        self.path = path
        self.sheet = LineIndex(text)
        self.desk = desk.showing(path, text)
        self._memory = memory
        self._root: Node | None = None

    @property
    def text(self) -> str:
        """The text."""
        return self.sheet.text

    @property
    def root(self) -> Node:
        """The tree of the text."""
        if self._root is None:
            self._root = parse(self.text)
        return self._root

    @property
    def kind(self) -> str:
        """What kind of file it is, empty for one that is not ours."""
        return kind_of(self.path, self.text, self.root.keys())

    @property
    def folder(self) -> str:
        """The folder that paths in the file start from."""
        return os.path.dirname(self.path)

    def policy_path(self) -> str | None:
        """Return the file of the policy that the text is, tests, or sets; None where it names none."""
        if self.kind == POLICY:
            return self.path
        if self.kind == TESTS:
            return reference(self.word(("policy",)) or "./policy.yaml", self.folder)
        if self.kind == SETTINGS:
            from exitgate.core.state.discover import DEFAULT_POLICY

            return reference(self.word(("exit_decision", "policy")) or DEFAULT_POLICY, self.folder)
        return None

    def known(self, cursor: int | None = None) -> PolicyIndex | None:
        """
        Return what is known of the policy that the text is about, None when nothing is.

        A text that is not YAML while it is typed is read without the line of the cursor, or as it was
        known last.
        """
        path = self.policy_path()
        if path is None:
            return None
        if path != self.path:
            return self._memory.known(path, self.desk)
        return self._memory.own(path, self._readings(cursor), self.desk)

    def _readings(self, cursor: int | None) -> Iterator[str]:
        """Yield the text, and then what of it may be right when it is not, the largest part first."""
        yield self.text
        rest = self.text
        if cursor is not None:
            line = self.sheet.line_of(cursor)
            start, end = self.sheet.start_of(line), self.sheet.end_of(line)
            rest = self.text[:start] + self.text[end:]
            yield rest
        for _ in range(_MENDED_LINES):
            found = Findings()
            if read_document(rest, self.path, found) is not None:
                return
            sheet = LineIndex(rest)
            places = [one.place for one in found.sorted() if one.place is not None]
            if not places:
                return
            number = min(places[0].line - 1, sheet.lines - 1)
            while number and not rest[sheet.start_of(number) : sheet.end_of(number)].strip():
                number -= 1
            rest = rest[: sheet.start_of(number)] + rest[sheet.end_of(number) :]
            yield rest

    def word(self, path: tuple[str, ...]) -> str:
        """Return the scalar at a path without quotes, empty for none."""
        twig = self.root.at(path)
        return self.text[twig.start : twig.end].strip("'\"") if twig is not None else ""

    def beside(self, path: str) -> Document | None:
        """Return the page of another file as it is on the desk; None for one that cannot be read."""
        if path == self.path:
            return self
        text = self.desk.text(path)
        return Document(path, text, self.desk, self._memory) if text is not None else None


class DocumentCache:
    """What was known of policies: by path, text and the state of all other files they rest on."""

    def __init__(self) -> None:
        self._last: dict[str, PolicyIndex] = {}
        self._kept: dict[tuple[object, ...], tuple[PolicyIndex | None, object]] = {}

    def known(self, path: str, desk: Workspace) -> PolicyIndex | None:
        """Return what is known of the policy at `path`."""
        key = (path, frozenset(desk.texts.items()))
        kept = self._kept.get(key)
        if kept is not None and kept[1] == _stamps(path, kept[0]):
            return kept[0]
        found = desk.reading(lambda: index_of(path))
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        self._kept[key] = (found, _stamps(path, found))
        if found is not None:
            self._last[path] = found
        return found

    def own(self, path: str, readings: Iterable[str], desk: Workspace) -> PolicyIndex | None:
        """Return what is known of a policy by the first of several readings of its text that is YAML."""
        for text in readings:
            found = self.known(path, desk.showing(path, text))
            if found is not None:
                return found
        return self._last.get(path)


def _stamps(path: str, known: PolicyIndex | None) -> tuple[object, ...]:
    """Return time and size of the files that a policy was read from, so that a change is seen."""
    stamps: list[object] = []
    for file in known.chain if known is not None else (path,):
        try:
            status = os.stat(file)
            stamps.append((status.st_mtime_ns, status.st_size))
        except (OSError, ValueError):  # a name that no file can have
            stamps.append(None)
    return tuple(stamps)


# A text as an editor counts in it: lines from 0, columns in code units, those of UTF-16 by default.

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"
#: Encoding -> the largest characters of 1, 2 and 3 code units.
_LAST: dict[str, tuple[str, ...]] = {
    UTF_8: ("\x7f", "\u07ff", "\uffff"),
    UTF_16: ("\uffff",),
    UTF_32: (),
}


class LineIndex:
    """
    A text with its lines; they end with LF, CR LF or CR, as the protocol has it.

    Offsets are in characters. A line ends before its line end, no matter what column is asked for.

    Args:
        text: The text.
        encoding: What columns count code units of: `UTF_8`, `UTF_16` or `UTF_32`.
    """

    __slots__ = ("_last", "_starts", "text")

    def __init__(self, text: str, encoding: str = UTF_16) -> None:
        self.text = text
        self._last = _LAST[encoding]
        starts = [0]
        at = 0
        while at < len(text):
            here = text[at]
            at += 1
            if here == "\r" and text[at : at + 1] == "\n":
                at += 1
            if here in "\r\n":
                starts.append(at)
        self._starts = starts

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; one outside of the text is moved to where the text ends."""
        if line < 0:
            return 0
        if line >= len(self._starts):
            return len(self.text)
        at, end = self._starts[line], self.end_of(line)
        units = 0
        while at < end and units < column:
            units += self._units(self.text[at])
            at += 1
        # Between two units of a character is before it.
        return at - 1 if units > column >= 0 else at

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at `offset`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return line, sum(map(self._units, before))

    def _units(self, character: str) -> int:
        return 1 + sum(character > last for last in self._last)

    def line_of(self, offset: int) -> int:
        """Return the number of the line, from 0, that holds the character at `offset`."""
        return bisect_right(self._starts, min(max(offset, 0), len(self.text))) - 1

    def start_of(self, line: int) -> int:
        """Return the offset of the first character of a line."""
        return self._starts[line]

    def end_of(self, line: int) -> int:
        """Return the offset behind the last character of a line, before its line end."""
        if line + 1 >= len(self._starts):
            return len(self.text)
        end = self._starts[line + 1]
        while end > self._starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end

    @property
    def lines(self) -> int:
        """How many lines there are; an empty text has one."""
        return len(self._starts)

    def span(self, place: Location) -> tuple[int, int]:
        """Return the offsets of a place of this text; one outside of it becomes the nearest inside."""
        return self._at(place.line, place.column), self._at(place.end_line, place.end_column)

    def _at(self, line: int, column: int) -> int:
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[max(line, 1) - 1]
        return min(start + max(column, 1) - 1, len(self.text))
