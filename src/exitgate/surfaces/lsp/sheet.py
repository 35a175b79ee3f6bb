"""A text as an editor counts in it: lines from 0, columns in UTF-16 code units."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.place import Place

#: Characters above it take two UTF-16 code units.
_ONE_UNIT = "\uffff"


class Sheet:
    """
    A text with its lines; they end with LF, CR LF or CR, as the protocol has it.

    Offsets are in characters. A line ends before its line end, whatever column is asked for.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
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
            units += 2 if self.text[at] > _ONE_UNIT else 1
            at += 1
        # A column inside of a pair of units is that of its character.
        return at - 1 if units > column >= 0 else at

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of the character at `offset`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        return line, len(before) + sum(character > _ONE_UNIT for character in before)

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
