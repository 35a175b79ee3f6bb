"""Status blocks in a text: where each starts and ends, and the fields in it."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.status_fields import Field, at_line, in_row, is_labelled, without_mark
from exitgate.facts.status_marks import Mark, marks
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.scan import Text
    from exitgate.facts.status_fields import Keys

#: An end mark further away, in lines, belongs to something else.
LONGEST = 200
#: Lines without a field that may be between a ruled start and the first field.
LEADING = 3


class Block(Value):
    """
    A status block at ``start..end`` of a text.

    Args:
        start, end: Offsets of its first and behind its last character, marks included.
        fields: Its known fields, in order.
        closed: Whether its end mark is there.
    """

    __slots__ = ("closed", "end", "fields", "start")

    def __init__(self, start: int, end: int, fields: tuple[Field, ...], closed: bool) -> None:
        self.start = start
        self.end = end
        self.fields = fields
        self.closed = closed


def blocks(text: Text, names: Sequence[str], known: Keys) -> tuple[Block, ...]:
    """
    Return the blocks in `text`, in order, examples and templates too.

    A block has a start mark or header with one of the `names` and at least one known field, or start
    and end mark with nothing between.
    """
    found = marks(text, names, known)
    out: list[Block] = []
    for number, mark in enumerate(found):
        if mark.ends or (out and mark.start < out[-1].end):
            continue
        following = found[number + 1] if number + 1 < len(found) else None
        limit = len(text.original) if following is None else following.start
        closing = (
            following
            if following is not None and (following.ends or _again(text, found, number + 1, known))
            else None
        )
        if closing is not None and _lines(text, mark.start, closing.start) > LONGEST:
            closing = None
        block = _Reader(text, known, mark, limit, closing).block()
        if block is not None:
            out.append(block)
    return tuple(out)


def _again(text: Text, found: Sequence[Mark], number: int, known: Keys) -> bool:
    """Return whether a start mark is where the end mark should: no field follows it."""
    mark = found[number]
    limit = found[number + 1].start if number + 1 < len(found) else len(text.original)
    return mark.ruled and not mark.inline and _Reader(text, known, mark, limit, None).block() is None


def _lines(text: Text, start: int, end: int) -> int:
    return text.lines.number(end) - text.lines.number(start)


class _Reader:
    """Reads the lines of one block from its start mark on."""

    __slots__ = ("closing", "end", "fields", "gap", "indent", "known", "limit", "mark", "misses", "text")

    def __init__(self, text: Text, known: Keys, mark: Mark, limit: int, closing: Mark | None) -> None:
        self.text = text
        self.known = known
        self.mark = mark
        self.limit = limit
        self.closing = closing
        self.fields: list[Field] = []
        self.gap = False
        self.end = 0
        self.misses = 0
        self.indent = 0

    def block(self) -> Block | None:
        lines = self.text.lines
        number = lines.number(self.mark.start)
        left, right = lines.span(number)
        if self.mark.inline:
            self.fields += in_row(self.text.original, self.mark.content, min(right, self.limit), self.known)
        number += 1
        while number < len(lines.starts) and lines.starts[number] < self.limit:
            left, right = lines.span(number)
            right = min(right, self.limit)
            if not self._goes_on(self.text.original[left:right], left):
                break
            number += 1
        return self._made()

    def _made(self) -> Block | None:
        end = max(self.end, self.fields[-1].end) if self.fields else self.mark.content
        if self.closing is not None:
            end = self.closing.content
        elif not self.fields:
            return None
        elif self.mark.inline:
            end = max(end, self.mark.content)
        if not self.fields and not self.mark.ruled:
            return None
        return Block(
            self.mark.start, max(end, self.mark.start + 1), tuple(self.fields), self.closing is not None
        )

    def _goes_on(self, line: str, left: int) -> bool:
        """Take a line into the block; return whether the block may go on behind it."""
        stripped = line.strip(structural.QUOTED_LINE)
        if not stripped:
            self.gap = True
            return True
        if structural.fence_mark(stripped):
            # The fence that holds the block ends it; one between the header and its fields opens.
            self.gap = False
            return self.closing is not None or not self.fields
        if not any(letter.isalnum() for letter in stripped[: structural.ESCAPE_LIMIT]):
            table = "|" in stripped or stripped in "{}[]"
            return table or self.closing is not None or not self.fields
        field = at_line(line, left, self.known)
        if field is None and (self.mark.ruled or self.closing is not None):
            field = without_mark(line, left, self.known, self.closing is not None)
        indent = len(line) - len(line.lstrip())
        if field is not None:
            if self._apart() and not self._new(field):
                return False
            self.fields += self._row(line, left, stripped[0] == "{") or [field]
            self.gap, self.indent = False, indent
            return True
        if self.closing is not None:
            self._continue(line, left)
            return True
        if not self.fields:
            self.misses += 1
            ruled = self.mark.ruled and self.misses <= LEADING
            return ruled or stripped.startswith("|") or is_labelled(line)
        if self._apart():
            return False
        if indent > self.indent:
            self._continue(line, left)
            return True
        if stripped.startswith("|") or is_labelled(line):
            self.end = left + len(line.rstrip())
            return True
        return False

    def _row(self, line: str, left: int, json: bool) -> list[Field]:
        """
        Return the fields of a line that holds several one behind the other, none for any other line.

        That is a JSON object on one line, or a line where nothing but one word and marks is
        between the first key and the second; more words are a remark that mentions a key.
        """
        row = in_row(self.text.original, left, left + len(line), self.known)
        if len(row) < 2 or (row[0].wanted.kind == "text" and not json):
            return []
        between = row[0].raw.strip(structural.VALUE_ENDS + structural.ROW_MARKS)
        return row if json or not any(letter.isspace() for letter in between) else []

    def _apart(self) -> bool:
        """Return whether an empty line parts this line from the fields, and no end mark is to come."""
        return self.gap and bool(self.fields) and self.closing is None

    def _new(self, field: Field) -> bool:
        """Behind an empty line only a key in capitals that was missing yet belongs to the block."""
        return field.capitals and all(f.wanted.fact != field.wanted.fact for f in self.fields)

    def _continue(self, line: str, left: int) -> None:
        """A text that begins on the line below its key."""
        last = self.fields[-1] if self.fields else None
        if (
            last is not None
            and last.wanted.kind == "text"
            and not last.raw.strip(structural.VALUE_ENDS + "*")
        ):
            body = line.rstrip()
            self.fields[-1] = Field(last.wanted, last.start, left + len(body), body, last.capitals)
