"""Boxes and headings of a plan, as they are found in its blocks."""

from __future__ import annotations

from exitgate.model.value import Value


class Box(Value):
    """
    A list item whose text begins with a mark in brackets.

    `mark` is the text between the brackets, `line` and `column` the 1-based place of ``[``, `start`
    its offset, `end` the offset behind its line, `heading` the index of the heading it is
    under, or -1.
    """

    __slots__ = ("column", "end", "heading", "line", "mark", "start")

    def __init__(self, mark: str, line: int, column: int, start: int, end: int, heading: int) -> None:
        self.mark = mark
        self.line = line
        self.column = column
        self.start = start
        self.end = end
        self.heading = heading


class Heading(Value):
    """A heading outside quotes and lists: `level` 1 to 6, its text without marks, and its line."""

    __slots__ = ("level", "line", "text")

    def __init__(self, level: int, text: str, line: int = 0) -> None:
        self.level = level
        self.text = text
        self.line = line


class Blocks(Value):
    """
    What a scan found.

    Args:
        boxes, headings: In order.
        closed: First and last line of every fence, comment and raw HTML block that is closed, in order.
        unclosed: Lines that open one which is never closed, or holds a line that opens another.
    """

    __slots__ = ("boxes", "closed", "headings", "unclosed")

    def __init__(
        self,
        boxes: tuple[Box, ...],
        headings: tuple[Heading, ...],
        closed: tuple[tuple[int, int], ...],
        unclosed: frozenset[int],
    ) -> None:
        self.boxes = boxes
        self.headings = headings
        self.closed = closed
        self.unclosed = unclosed
