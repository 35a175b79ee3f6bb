"""From offsets in a file's text to lines and columns."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.model.place import Place
from exitgate.model.value import Value


def _starts(text: str) -> list[int]:
    starts = [0]
    position = 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        if line[-1:] in "\r\n":
            starts.append(position)
    return starts


class Lines(Value):
    """
    The text of one file and where its lines start.

    Line ends are LF, CR LF and CR; the document check refuses every other character that could
    be taken for one.
    """

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts = _starts(text)

    def locate(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of the character at `offset`."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def place(self, start: int, end: int | None = None) -> Place:
        """Return the place of the characters from `start` to before `end` (one character by default)."""
        line, column = self.locate(start)
        end = min(end if end is not None else start + 1, len(self.text))
        starts = self._starts
        if end <= start:
            return Place(self.file, line, column, line, column + 1)
        if line == len(starts) or end < starts[line]:
            return Place(self.file, line, column, line, end - starts[line - 1] + 1)
        end_line, end_column = self.locate(end)
        return Place(self.file, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """Return line `number` (from 1) without its line end; the empty text when there is none."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
