"""
The block structure of Markdown, as far as it decides which lines are task items.

Follows the line-by-line method of CommonMark 0.31 (appendix "A parsing strategy"): a stack of open
quotes and list items, and at most one open leaf. Every line costs time in its own length; blank
lines and lazy lines do not walk the stack. What is left out on purpose: tables, and link reference
definitions that span lines. Other than there, a fence or comment that is never closed hides nothing:
the line that opens it is text (`checklist_scan`).
"""

from __future__ import annotations

from bisect import bisect_left

from exitgate.core.facts.plans.marks import (
    COMMENT,
    COMPLETE,
    DECLARATION,
    NAMED,
    NO_BLOCK,
    Blocks,
    Box,
    Cursor,
    Heading,
    definition,
    fence_start,
    html_ends,
    html_start,
    list_marker,
    mark_at,
    rule_from,
    spans,
)
from exitgate.core.facts.text import structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container


#: Containers inside one another; what is nested deeper is read as text.
DEPTH_LIMIT = 200

#: HTML that hides nothing over more than its line, for a blank line or a mere ``>`` ends it.
_SHOWN = (NAMED, COMPLETE, DECLARATION)
_QUOTE = -1
_NOTHING, _PARAGRAPH, _FENCE, _HTML = range(4)


def blocks(text: str, strays: Container[int] = ()) -> Blocks:
    """
    Return the boxes and headings of a Markdown text. Total and linear.

    Args:
        text: Any text.
        strays: Lines at which no fence and no HTML block begins.
    """
    scanner = _Scanner(text, strays)
    for number, (start, end) in enumerate(spans(text), 1):
        scanner.line(number, start, end)
    scanner.close_to(0)
    scanner.close_paragraph()
    scanner.leave()
    return Blocks(
        tuple(scanner.boxes), tuple(scanner.headings), tuple(scanner.closed), frozenset(scanner.unclosed)
    )


class _Scanner:
    """The open blocks while the lines go by; lives for one call of `blocks`."""

    def __init__(self, text: str, strays: Container[int]) -> None:
        self.text = text
        self.strays = strays
        self.boxes: list[Box] = []
        self.headings: list[Heading] = []
        self.closed: list[tuple[int, int]] = []
        self.unclosed: list[int] = []
        self.number = 0
        self.opened = 0  # the line at which the open fence or HTML block begins
        self.stack: list[int] = []  # _QUOTE, or the width of a list item's indentation
        self.quotes: list[int] = []  # where in the stack the quotes are
        self.leaf = _NOTHING
        self.fresh = False  # the innermost list item has no block yet
        self.bare = False  # the innermost list item has no line with text yet
        self.fence = ("", 0)
        self.html = NO_BLOCK
        self.paragraph = (0, 0)
        self.pending: Box | None = None
        self.needs_more = False  # nothing but the box so far
        self.seeking = False  # nothing but form feeds so far

    def line(self, number: int, start: int, end: int) -> None:
        """Take in the line that is at `start` to `end`."""
        self.number = number
        if not self.stack and self.leaf in (_NOTHING, _PARAGRAPH) and self.plain(start, end):
            return
        cursor = Cursor(self.text[start:end])
        matched = self.match(cursor)
        whole = matched == len(self.stack)
        if whole and self.leaf == _FENCE:
            self.in_fence(cursor)
            return
        if self.leaf == _HTML and (whole or self.html_goes_on(cursor, matched)):
            self.in_html(cursor.line[cursor.first :])
            return
        if cursor.blank:
            self.close_to(matched)
            self.close_paragraph()
            return
        self.open_blocks(cursor, matched, number, start, end)

    def plain(self, start: int, end: int) -> bool:
        """Take in an empty line, or one of words, outside every container; say whether it was one."""
        if start == end:
            self.close_paragraph()
            return True
        if not self.text[start].isalpha():
            return False
        if self.leaf == _NOTHING:
            self.begin(_PARAGRAPH)
            self.paragraph = (start, end)
        else:
            self.paragraph = (self.paragraph[0], end)
        return True

    def match(self, cursor: Cursor) -> int:
        """Return how many open containers the line belongs to, and move behind their marks."""
        stack = self.stack
        at = 0
        while at < len(stack):
            if cursor.blank:
                return self.match_blank(at)
            width = stack[at]
            if width == _QUOTE:
                if cursor.indent > 3 or cursor.here != ">":
                    return at
                _enter_quote(cursor)
            elif cursor.indent >= width:
                cursor.columns(width)
            else:
                return at
            at += 1
        return at

    def match_blank(self, at: int) -> int:
        """Return how many containers survive a line that is blank behind the first `at`."""
        nearest = bisect_left(self.quotes, at)
        if nearest < len(self.quotes):
            return self.quotes[nearest]
        return len(self.stack) - 1 if self.bare else len(self.stack)

    def html_goes_on(self, cursor: Cursor, matched: int) -> bool:
        """Return whether a blank line outside its quote or item stays in an open HTML block."""
        outer = self.quotes[-1] if self.quotes else -1
        return cursor.blank and matched > outer and self.html not in (NAMED, COMPLETE)

    def in_fence(self, cursor: Cursor) -> None:
        """Close the open fence when the line is its closing one."""
        char, size = self.fence
        rest = cursor.line[cursor.first :].rstrip(" \t")
        if cursor.indent > 3 or not rest.startswith(char * size):
            return
        if rest == char * len(rest):
            self.closed.append((self.opened, self.number))
            self.leaf = _NOTHING
        elif fence_start(rest):
            self.unclosed.append(self.opened)

    def in_html(self, rest: str) -> None:
        """Close the open HTML block where this line ends it."""
        if self.html == COMMENT and structure.COMMENT_START in rest:
            self.unclosed.append(self.opened)
        if html_ends(self.html, rest):
            if self.html not in _SHOWN:
                self.closed.append((self.opened, self.number))
            self.leaf = _NOTHING

    def leave(self) -> None:
        """Leave the innermost leaf; a fence or an HTML block whose end was missing is reported."""
        if self.leaf == _FENCE or (self.leaf == _HTML and self.html not in _SHOWN):
            self.unclosed.append(self.opened)
        self.leaf = _NOTHING

    def close_to(self, matched: int) -> None:
        """Close the containers behind the first `matched`, and with them the leaf."""
        if matched < len(self.stack):
            self.close_paragraph()
            self.leave()
            del self.stack[matched:]
            del self.quotes[bisect_left(self.quotes, matched) :]
            self.fresh = self.bare = False

    def close_paragraph(self) -> None:
        """End the open paragraph, keeping its box if it has one."""
        if self.pending is not None and not self.needs_more:
            self.boxes.append(self.pending)
        self.pending = None
        self.seeking = False
        if self.leaf == _PARAGRAPH:
            self.leaf = _NOTHING

    def open_blocks(self, cursor: Cursor, matched: int, number: int, start: int, end: int) -> None:
        """Open the containers and the leaf that a line with text begins, or go on with a paragraph."""
        rule = rule_from(cursor.line)
        while True:
            continues = self.leaf == _PARAGRAPH and matched == len(self.stack)
            lazy = self.leaf == _PARAGRAPH and not continues
            if cursor.indent > 3:
                if continues or lazy:
                    self.go_on(cursor, number, start, end)
                else:
                    self.close_to(matched)
                    self.begin(_NOTHING)
                return
            if matched >= DEPTH_LIMIT:
                break
            if cursor.here == ">":
                self.push(matched, _QUOTE)
                _enter_quote(cursor)
            elif self.open_leaf(cursor, matched, continues, lazy, rule):
                return
            else:
                width = self.item_width(cursor, continues)
                if width < 0:
                    break
                self.push(matched, width)
            matched = len(self.stack)
            if cursor.blank:
                return
        if continues or lazy:
            self.go_on(cursor, number, start, end)
            return
        self.close_to(matched)
        self.begin_paragraph(cursor, number, start, end)

    def push(self, matched: int, width: int) -> None:
        """Open a container inside the first `matched`."""
        self.close_to(matched)
        self.begin(_NOTHING)
        if width == _QUOTE:
            self.quotes.append(len(self.stack))
        self.stack.append(width)
        self.fresh = self.bare = width != _QUOTE

    def begin(self, leaf: int) -> None:
        """Put a new leaf (or a container, as `_NOTHING`) into the innermost container."""
        self.close_paragraph()
        self.leaf = leaf
        self.fresh = self.bare = False

    def item_width(self, cursor: Cursor, continues: bool) -> int:
        """Return the indentation of the list item that begins here, behind its mark, or -1."""
        size, number = list_marker(cursor.line, cursor.first)
        if not size:
            return -1
        if continues and (number not in (-1, 1) or not cursor.line[cursor.first + size :].strip(" \t")):
            return -1
        outer = cursor.indent
        cursor.take(size)
        gap = cursor.indent
        if gap > 4 or cursor.blank:
            gap = 1
        cursor.columns(gap)
        return outer + size + gap

    def open_leaf(
        self, cursor: Cursor, matched: int, continues: bool, lazy: bool, rule: tuple[str, int]
    ) -> bool:
        """Open a heading, fence, HTML block or rule that begins here; say whether one did."""
        here = cursor.here
        if here in "#`~<":
            return self.open_marked(cursor, matched, continues or lazy)
        if continues and here in "=-" and not cursor.line[cursor.first :].rstrip(" \t").strip(here):
            self.underline(1 if here == "=" else 2)
            return True
        if here == rule[0] and cursor.first >= rule[1] and cursor.line.count(here, cursor.first) >= 3:
            self.close_to(matched)
            self.begin(_NOTHING)
            return True
        return False

    def open_marked(self, cursor: Cursor, matched: int, in_paragraph: bool) -> bool:
        """Open the heading, fence or HTML block whose mark is here; say whether it is one."""
        here, rest = cursor.here, cursor.line[cursor.first :]
        heading = _heading(rest, self.number) if here == "#" else None
        if here != "#" and self.number in self.strays:
            return False
        size = fence_start(rest) if here in "`~" else 0
        kind = html_start(rest) if here == "<" else NO_BLOCK
        if (kind == COMPLETE and in_paragraph) or not (heading or size or kind):
            return False
        self.close_to(matched)
        self.begin(_FENCE if size else _HTML if kind else _NOTHING)
        if heading and not self.stack:
            self.headings.append(heading)
        self.fence = (here, size)
        self.html = kind
        self.opened = self.number
        if kind not in (NO_BLOCK, NAMED, COMPLETE) and html_ends(kind, rest):
            self.closed.append((self.number, self.number))
            self.leaf = _NOTHING
        return True

    def underline(self, level: int) -> None:
        """Turn the open paragraph into a heading; a box in it is not one."""
        self.pending = None
        if not self.stack:
            start, end = self.paragraph
            self.headings.append(Heading(level, " ".join(self.text[start:end].split()), self.number - 1))
        self.begin(_NOTHING)

    def go_on(self, cursor: Cursor, number: int, start: int, end: int) -> None:
        """Add a line to the open paragraph."""
        self.paragraph = (self.paragraph[0], end)
        if self.seeking:
            self.seek_mark(cursor, number, start, end)
        elif self.needs_more and cursor.line[cursor.first :].strip():
            self.needs_more = False

    def begin_paragraph(self, cursor: Cursor, number: int, start: int, end: int) -> None:
        """Begin a paragraph with the rest of the line, and see whether it has a box."""
        if cursor.here == "[" and definition(cursor.line[cursor.first :]):
            self.bare = False
            return
        fresh = self.fresh
        self.begin(_PARAGRAPH)
        self.paragraph = (start + cursor.first, end)
        if fresh:
            self.seek_mark(cursor, number, start, end)

    def seek_mark(self, cursor: Cursor, number: int, start: int, end: int) -> None:
        """Look for a box on a line; one of nothing but form feeds leaves it to the next line."""
        rest = cursor.line[cursor.first :]
        self.seeking = not rest.strip()
        mark, offset, alone = mark_at(rest)
        if mark:
            at = cursor.first + offset
            self.pending = Box(mark, number, at + 1, start + at, end, len(self.headings) - 1)
            self.needs_more = alone


def _enter_quote(cursor: Cursor) -> None:
    """Move behind ``>`` and the one column of space that may follow it."""
    cursor.take(1)
    if cursor.indent:
        cursor.columns(1)


def _heading(rest: str, line: int) -> Heading | None:
    """Return the heading that a line with ``#`` at its start is, or None."""
    level = len(rest) - len(rest.lstrip("#"))
    if level > 6 or (rest[level:] and rest[level] not in " \t"):
        return None
    text = rest[level:].strip()
    bare = text.rstrip("#")
    if bare != text and (not bare or bare[-1] in " \t"):
        text = bare.strip()
    return Heading(level, text, line)
