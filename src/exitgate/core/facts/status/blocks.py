"""Status blocks in a text: where each starts and ends, and the fields in it."""

from __future__ import annotations

from exitgate.core.facts.status.fields import Field, at_line, in_row, is_labelled, without_mark
from exitgate.core.facts.text import structure
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from exitgate.core.facts.status.fields import Keys
    from exitgate.core.facts.text.text import Text


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
            if following is not None and (following.ends or _is_start_as_end(text, found, number + 1, known))
            else None
        )
        if closing is not None and _lines(text, mark.start, closing.start) > LONGEST:
            closing = None
        block = _Reader(text, known, mark, limit, closing).block()
        if block is not None:
            out.append(block)
    return tuple(out)


def _is_start_as_end(text: Text, found: Sequence[Mark], number: int, known: Keys) -> bool:
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
        stripped = line.strip(structure.QUOTED_LINE)
        if not stripped:
            self.gap = True
            return True
        if structure.fence_mark(stripped):
            # The fence that holds the block ends it; one between the header and its fields opens.
            self.gap = False
            return self.closing is not None or not self.fields
        if not any(letter.isalnum() for letter in stripped[: structure.ESCAPE_LIMIT]):
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
        between = row[0].raw.strip(structure.VALUE_ENDS + structure.ROW_MARKS)
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
        if last is not None and last.wanted.kind == "text" and not last.raw.strip(structure.VALUE_ENDS + "*"):
            body = line.rstrip()
            self.fields[-1] = Field(last.wanted, last.start, left + len(body), body, last.capitals)


# Where the name of a status block is in a text, and whether a block starts or ends there.

#: At most so many of the last occurrences of a name are looked at: a later block counts more.
NAME_LIMIT = 1_000
#: So many characters before and behind a name are looked at.
REACH = 80
#: So many places of a key are looked at, the last first; what may be before one on its line.
LOOSE = 5
_AROUND = structure.KEY_MARKS + structure.BULLETS + ">" + structure.FIELD_MARKS
#: A rule beside a name has at least so many marks.
RULE_WIDTH = 2


class Mark(Value):
    """
    A name that starts or ends a block.

    Args:
        start: Offset of the mark's first character on its line.
        content: Offset of what follows the mark.
        ends: Whether a block ends here.
        ruled: Whether the name is between rules (``---NAME---``).
        inline: Whether fields follow on the same line.
    """

    __slots__ = ("content", "ends", "inline", "ruled", "start")

    def __init__(self, start: int, content: int, ends: bool, ruled: bool, inline: bool) -> None:
        self.start = start
        self.content = content
        self.ends = ends
        self.ruled = ruled
        self.inline = inline


def marks(text: Text, names: Iterable[str], known: Keys) -> tuple[Mark, ...]:
    """Return the marks among the last `NAME_LIMIT` names in `text`, in order; one in a sentence is none."""
    found = (_mark(text, start, end, known) for start, end in _named(text, names)[-NAME_LIMIT:])
    return tuple(mark for mark in found if mark is not None)


def keys_alone(text: Text, known: Keys) -> list[tuple[int, int]]:
    """
    Return the last lines that hold the key of a flag and no more than a value beside it, as start and end.

    Where no block counts they are its remains: ``EXIT_SIGNAL`` alone, or ``EXIT_SIGNAL: true`` without one.
    """
    found: list[tuple[int, int]] = []
    for key in sorted({w.key for w in known.values() if w.kind == "bool"}):
        at = text.original.rfind(key)
        for _ in range(LOOSE):
            if at < 0:
                break
            left, right = text.lines.span(text.lines.number(at))
            rest = text.original[left:at] + text.original[at + len(key) : right]
            alone = not text.original[left:at].strip(_AROUND) and len(rest.strip(_AROUND).split()) <= 2
            if alone and right - left <= REACH:
                found.append((left, right))
                break
            at = text.original.rfind(key, 0, at)
    return found


def too_many(text: Text, names: Iterable[str]) -> bool:
    """Return whether there are names in `text` that `marks` does not look at."""
    return len(_named(text, names)) > NAME_LIMIT


def _named(text: Text, names: Iterable[str]) -> list[tuple[int, int]]:
    """Return where the names are, each spelling with a low line, a hyphen or a blank, in order."""
    found: dict[int, int] = {}
    for name in names:
        low = name.lower()
        for spelling in {low, low.replace("_", " "), low.replace("_", "-")} - {""}:
            at = text.folded.find(spelling)
            while at >= 0:
                end = at + len(spelling)
                found[at] = max(end, found.get(at, end))
                at = text.folded.find(spelling, end)
    return sorted(found.items())


def _mark(text: Text, start: int, end: int, known: Keys) -> Mark | None:
    left, right = text.lines.span(text.lines.number(start))
    cut = max(left, start - REACH)
    before = text.original[cut:start]
    after = text.original[end : min(right, end + REACH)]
    before, ends = _without_end(before)
    if after[:1].isalnum() or before[-1:].isalnum():
        return None
    if before.endswith("_") and before.rstrip("_")[-1:].isalnum():
        return None
    if after.startswith("_"):
        tail = after.lstrip("_")
        ends = ends or tail[: len(structure.END_MARK)].lower() == structure.END_MARK
        if tail[:1].isalnum() and not ends:
            return None
    starts_line = cut == left and not any(letter.isalnum() or letter == "(" for letter in before)
    rule = _rule(after if not ends else after.lstrip("_" + structure.END_LETTERS))
    ruled = rule > 0 and _ruled(before)
    if ends or (before.endswith("/") and before[-2:-1] == "<"):
        if not (ruled or starts_line):
            return None
        bare = before.rstrip(structure.KEY_MARKS + structure.RULES)
        stop = end + rule if ruled and not after.startswith("_") else right
        return Mark(left if starts_line else cut + len(bare), stop, True, ruled, False)
    return _opening(
        text, Mark(left, end + rule, False, ruled, False), before, (start, right), known, starts_line
    )


def _opening(
    text: Text, mark: Mark, before: str, place: tuple[int, int], known: Keys, starts_line: bool
) -> Mark | None:
    """Return the mark of a block that starts here, or None."""
    start, right = place
    content = mark.content
    if mark.ruled:
        inline = _has_field(text, content, right, known)
        if starts_line:
            return Mark(mark.start, content, False, True, inline)
        lead = before.rstrip(structure.RULES + " ")
        if inline and lead.endswith((*structure.SENTENCE_ENDS, *structure.WRITTEN_LINE_ENDS)):
            return Mark(start, content, False, True, True)
        return None
    if not starts_line:
        return None
    while content < right and text.original[content] in structure.KEY_MARKS + "]>":
        content += 1
    if content < right and text.original[content] in structure.COLONS + "=":
        content += 1
    elif any(letter.isalnum() for letter in text.original[content : min(right, content + REACH)]):
        return None
    rest = text.original[content:right]
    if not any(letter.isalnum() for letter in rest[:REACH]):
        return Mark(mark.start, content, False, False, False)
    if _has_field(text, content, right, known):
        return Mark(mark.start, content, False, False, True)
    remark = rest.strip(structure.KEY_MARKS)
    if remark[:1] in structure.REMARK_OPENS and remark[-1:] in structure.REMARK_CLOSES:
        return Mark(mark.start, right, False, False, False)
    return None


def _without_end(before: str) -> tuple[str, bool]:
    """Return what is before the name without the word that makes it an end, and whether it is there."""
    bare = before.rstrip("_- ")
    size = len(structure.END_MARK)
    if bare[-size:].lower() == structure.END_MARK and not bare[-size - 1 : -size].isalnum():
        return bare[:-size], True
    return before, False


def _rule(after: str) -> int:
    """Return the length of the rule, with blanks before it, that `after` starts with, or 0."""
    blanks = len(after) - len(after.lstrip(structure.KEY_MARKS))
    width = len(after) - blanks - len(after[blanks:].lstrip(structure.RULES))
    return blanks + width if width >= RULE_WIDTH else 0


def _ruled(before: str) -> bool:
    bare = before.rstrip(structure.KEY_MARKS)
    return len(bare) - len(bare.rstrip(structure.RULES)) >= RULE_WIDTH


def _has_field(text: Text, start: int, end: int, known: Keys) -> bool:
    """Return whether a known field follows directly."""
    piece = text.original[start : min(end, start + REACH)].lstrip(structure.KEY_MARKS + "{(")
    for mark in structure.WRITTEN_LINE_ENDS:
        piece = piece.removeprefix(mark)
    return at_line(piece, start, known) is not None
