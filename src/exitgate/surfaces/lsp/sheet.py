"""A text as an editor counts in it: lines from 0, columns in code units, those of UTF-16 by default."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"
#: Encoding -> the largest characters of 1, 2 and 3 code units.
_LAST: dict[str, tuple[str, ...]] = {
    UTF_8: ("\x7f", "\u07ff", "\uffff"),
    UTF_16: ("\uffff",),
    UTF_32: (),
}


class Sheet:
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

    def span(self, place: Place) -> tuple[int, int]:
        """Return the offsets of a place of this text; one outside of it becomes the nearest inside."""
        return self._at(place.line, place.column), self._at(place.end_line, place.end_column)

    def _at(self, line: int, column: int) -> int:
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[max(line, 1) - 1]
        return min(start + max(column, 1) - 1, len(self.text))
