"""Lines of a text with their offsets, and one line read by columns with tabs at every fourth."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def spans(text: str) -> Iterator[tuple[int, int]]:
    """
    Yield start and end of each line, line ends left out.

    A line ends at LF, CR LF or a lone CR, and nowhere else (form feeds and Unicode separators are
    text to Markdown). A byte order mark at the start is skipped.
    """
    start = 1 if text.startswith("\ufeff") else 0
    length = len(text)
    carriage = text.find("\r", start)
    feed = text.find("\n", start)
    while start < length:
        if 0 <= carriage < start:
            carriage = text.find("\r", start)
        if 0 <= feed < start:
            feed = text.find("\n", start)
        if carriage < 0 and feed < 0:
            yield start, length
            return
        if carriage < 0 or 0 <= feed < carriage:
            yield start, feed
            start = feed + 1
        else:
            yield start, carriage
            start = carriage + (2 if feed == carriage + 1 else 1)


class Cursor:
    """
    A position in one line: an index, and the column it is at with tabs expanded.

    A tab may be taken in part; then `column` lies inside it and `index` still points at it.
    """

    __slots__ = ("column", "first", "first_column", "index", "line")

    def __init__(self, line: str) -> None:
        self.line = line
        self.index = 0
        self.column = 0
        self.first = 0
        self.first_column = 0
        self.seek()

    def seek(self) -> None:
        """Find the first character at or behind the position that is neither space nor tab."""
        line, at, column = self.line, self.index, self.column
        size = len(line)
        while at < size:
            if line[at] == " ":
                column += 1
            elif line[at] == "\t":
                column += 4 - column % 4
            else:
                break
            at += 1
        self.first, self.first_column = at, column

    @property
    def indent(self) -> int:
        """Columns between the position and the first character behind it."""
        return self.first_column - self.column

    @property
    def blank(self) -> bool:
        """Whether nothing but spaces and tabs follows."""
        return self.first >= len(self.line)

    @property
    def here(self) -> str:
        """The first character, or the empty text at the end of the line."""
        return self.line[self.first : self.first + 1]

    def columns(self, count: int) -> None:
        """Move over `count` columns of spaces and tabs, no further than the first character."""
        while count > 0 and self.index < self.first:
            width = 4 - self.column % 4 if self.line[self.index] == "\t" else 1
            if width > count:
                self.column += count
                return
            self.column += width
            self.index += 1
            count -= width

    def take(self, size: int) -> None:
        """Move behind the next `size` characters after the indentation, none of them a tab."""
        self.index = self.first + size
        self.column = self.first_column + size
        self.seek()
