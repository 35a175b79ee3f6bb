"""Lines and paragraphs of a text, found once and asked by offset."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.facts import structural

#: A line shorter than this that ends without a stop, before a line that starts with a capital
#: letter, was not wrapped: it is a paragraph of its own.
WRAPPED = 50
#: More lines than these are kept in eight bytes each: a text of nothing but line ends must not eat
#: memory. Fewer are not worth the import.
MANY = 20_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableSequence


class Lines:
    """
    The line starts of a text.

    Args:
        text: Any text; a line ends behind its line feed.
    """

    __slots__ = ("_paragraph", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        starts: MutableSequence[int] = [0]
        if text.count("\n") > MANY:
            from array import array

            starts = array("q", starts)
        at = 0
        append = starts.append
        for line in text.split("\n"):
            at += len(line) + 1
            append(at)
        starts.pop()
        self.starts = starts
        self._paragraph = (0, 0)

    def number(self, offset: int) -> int:
        """Return the 0-based number of the line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> tuple[int, int]:
        """Return start and end of line `number`, its line end left out."""
        start = self.starts[number]
        if number + 1 < len(self.starts):
            end = self.starts[number + 1] - 1
            if end > start and self.text[end - 1] == "\r":
                end -= 1
            return start, end
        return start, len(self.text)

    def line(self, number: int) -> str:
        """Return line `number` without its line end."""
        start, end = self.span(number)
        return self.text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """Return 1-based line and column of `offset`."""
        number = self.number(offset)
        return number + 1, offset - self.starts[number] + 1

    def paragraph(self, offset: int) -> tuple[int, int]:
        """
        Return the stretch of running text around `offset`.

        Blank lines, list items, headings, quotations, table rows, fences and lines of the form
        ``KEY: value`` begin a new one. The last answer is kept, so asking in order is linear.
        """
        start, end = self._paragraph
        if start <= offset < end:
            return start, end
        number = self.number(offset)
        first = number
        while first > 0 and not self._begins(first):
            first -= 1
        last = number
        while last + 1 < len(self.starts) and not self._begins(last + 1):
            last += 1
        self._paragraph = (self.starts[first], self.span(last)[1])
        return self._paragraph

    def _begins(self, number: int) -> bool:
        here = self.line(number).strip()
        if not here or structural.begins_block(here):
            return True
        before = self.line(number - 1).strip()
        if not before or structural.is_rule(before) or structural.is_heading(before):
            return True
        return len(before) < WRAPPED and here[0].isupper() and before[-1] not in structural.CLAUSE_MARKS


def sentence_of(line: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence around ``line[start:end]`` begins and ends within its line."""
    left, right = start, end
    while left > 0 and not _ends(line, left - 1):
        left -= 1
    while right < len(line) and not _ends(line, right):
        right += 1
    return left, right


def behind(line: str, end: int) -> int:
    """Return where the sentence behind the one that ends at `end` ends itself."""
    right = end
    while right < len(line) and not line[right].isalnum():
        right += 1
    while right < len(line) and not _ends(line, right):
        right += 1
    return right


def _ends(line: str, at: int) -> bool:
    """Return whether a sentence ends with the character at `at`: a mark, and a blank behind one of ASCII."""
    if line[at] not in structural.SENTENCE_ENDS:
        return False
    return not line[at].isascii() or at + 1 == len(line) or line[at + 1].isspace()
