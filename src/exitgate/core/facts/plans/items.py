"""Task items of a plan: boxes with their state, in their order."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.plans.blocks import blocks
from exitgate.core.facts.plans.marks import Box, Heading, spans
from exitgate.core.facts.plans.sections import Sections
from exitgate.core.facts.text import structure
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from exitgate.core.facts.plans.marks import Blocks
    from exitgate.core.facts.text.text import Text


DONE = "done"
OPEN = "open"
IN_PROGRESS = "in_progress"
BLOCKED = "blocked"
DEFERRED = "deferred"
CANCELLED = "cancelled"

#: State -> whether the item is open, and whether it keeps the plan from being complete.
STATES: dict[str, tuple[bool, bool]] = {
    DONE: (False, False),
    OPEN: (True, True),
    IN_PROGRESS: (True, True),
    BLOCKED: (True, True),
    DEFERRED: (True, False),
    CANCELLED: (False, False),
}


class Item(Value):
    """
    One task item.

    `state` is a key of `STATES`; `mark` the text between the brackets; `optional` says it is in
    an optional section; `line` and `column` are 1-based, `start` and `end` are offsets of its first
    line from the bracket on, in the text as given; `heading` is the index of the heading it is
    under, or -1.
    """

    __slots__ = ("column", "end", "heading", "line", "mark", "optional", "start", "state")

    def __init__(
        self,
        state: str,
        mark: str,
        optional: bool,
        line: int,
        column: int,
        start: int,
        end: int,
        heading: int = -1,
    ) -> None:
        self.state = state
        self.mark = mark
        self.optional = optional
        self.line = line
        self.column = column
        self.start = start
        self.end = end
        self.heading = heading

    @property
    def open(self) -> bool:
        """Neither done nor given up."""
        return STATES[self.state][0]

    @property
    def blocking(self) -> bool:
        """Open, not put off, and outside the optional sections."""
        return STATES[self.state][1] and not self.optional


def markdown_items(
    text: str, marks: Mapping[str, str], optional: Sequence[str], wanted: Sequence[str]
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """
    Return the task items that count, and those that are outside the wanted sections.

    Args:
        text: The plan, Markdown.
        marks: State of marks beyond ``x``, ``X`` and the blank; a mark that is neither a letter nor
            a digit counts without being named, as an open item. These may name those too.
        optional: Names of sections whose open items do not keep a plan from being complete.
        wanted: Names of the only sections whose items count; empty for all.
    """
    found = scan(text)
    return items_of(found, marks, Sections(optional).within(found.headings), Sections(wanted))


def items_of(
    found: Scan, marks: Mapping[str, str], in_optional: Sequence[bool], wanted: Sections
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return what `markdown_items` does, of a plan that was scanned; which headings are optional is known."""
    in_wanted = wanted.within(found.headings)
    counted: list[Item] = []
    outside: list[Item] = []
    for box in found.boxes:
        state = _state(box.mark, marks)
        if state is None:
            continue
        under = box.heading
        item = Item(
            state,
            box.mark,
            under >= 0 and in_optional[under],
            box.line,
            box.column,
            box.start,
            box.end,
            under,
        )
        here = not wanted.named or (under >= 0 and in_wanted[under])
        (counted if here else outside).append(item)
    return tuple(counted), tuple(outside)


def _state(mark: str, marks: Mapping[str, str]) -> str | None:
    """Return the state a mark stands for, or None when the brackets are not a box."""
    named = marks.get(mark) or marks.get(mark[:1])
    if named is not None:
        return named if named in STATES else OPEN
    if mark.isspace():
        return OPEN
    if mark in ("x", "X") or mark[0] in structure.MET:
        return DONE
    return None if mark[0].isalnum() else OPEN


# The boxes of a plan, wherever they are.
#
# A plan is not prose: an open task must not vanish because a fence or a comment above it is never closed,
# or because it is where CommonMark sees no list item. What is in a closed fence or comment does not count.

#: So often a stray mark is looked for, among so many at a time; after that no fence hides anything.
ROUNDS, CANDIDATES = 6, 12
#: So many characters are between the brackets of a box at most.
INSIDE = 4
_EVERY_LINE = range(1 << 62)
_OPEN, _DONE, _EMPTY = " ", "xX", "[]"


class Scan(Value):
    """
    Boxes and headings of a plan.

    Args:
        boxes, headings: In order.
        closed: First and last line of what is hidden: fences, comments, raw HTML.
        unclosed: Lines that open a fence or comment that is never closed; they hide nothing.
    """

    __slots__ = ("boxes", "closed", "headings", "unclosed")

    def __init__(
        self,
        boxes: tuple[Box, ...],
        headings: tuple[Heading, ...],
        closed: tuple[tuple[int, int], ...] = (),
        unclosed: tuple[int, ...] = (),
    ) -> None:
        self.boxes = boxes
        self.headings = headings
        self.closed = closed
        self.unclosed = unclosed

    def hides(self, line: int) -> bool:
        """Return whether a line is in a closed fence or comment."""
        return bool(self.closed) and _inside(self.closed, line)


def scan(text: str) -> Scan:
    """Return the boxes and headings of a plan. Total and linear."""
    found = blocks(text)
    if not found.unclosed:
        loose = _loose(text, {box.start for box in found.boxes})
        return Scan(_all_boxes(found, loose), found.headings, found.closed)
    loose = _loose(text, ())
    strays: frozenset[int] = frozenset()
    for _ in range(ROUNDS):
        if not found.unclosed:
            break
        strays, found = _nearer(text, strays, found, loose)
    if found.unclosed or _hidden(found, loose, CANDIDATES):
        strays, found = strays | found.unclosed, blocks(text, _EVERY_LINE)
    return Scan(_all_boxes(found, loose), found.headings, found.closed, tuple(sorted(strays)))


def scan_prose(text: Text) -> Scan:
    """
    Return the boxes and headings of a response outside its code, by the blocks that are known of it.

    A response is prose: what is in a fence that is never closed is code here.
    """
    kinds, lines = text.blocks.of_line, text.lines
    boxes = tuple(box for box in _loose(text.original, ()) if not kinds(lines.number(box.start)))
    headings = []
    at = text.original.find("#")
    while at >= 0:
        number = lines.number(at)
        start, end = lines.span(number)
        line = text.original[start:end].strip()
        if structure.is_heading(line) and not kinds(number):
            headings.append(Heading(structure.heading_level(line), line.strip("# "), number + 1))
        at = text.original.find("#", max(end, at + 1))
    under = [heading.line for heading in headings]
    placed = (Box(b.mark, b.line, b.column, b.start, b.end, bisect_right(under, b.line) - 1) for b in boxes)
    code = [number for number in range(len(lines.starts)) if kinds(number)]
    return Scan(tuple(placed), tuple(headings), tuple((n + 1, n + 1) for n in code))


def _nearer(
    text: str, strays: frozenset[int], found: Blocks, loose: Sequence[Box]
) -> tuple[frozenset[int], Blocks]:
    """
    Return the strays with those that show the most, and the scan without them.

    Of three marks of a fence any may be the stray one. The open boxes that it hides decide; where that
    says nothing it is the last.
    """
    last = strays | found.unclosed
    best = blocks(text, last)
    hidden = _hidden(best, loose)
    if hidden:
        first = [opened for opened, end in found.closed if end > opened]
        for line in first[:CANDIDATES]:
            other = blocks(text, strays | {line})
            if _hidden(other, loose) < hidden:
                last, best, hidden = strays | {line}, other, _hidden(other, loose)
    return last, best


def _hidden(found: Blocks, loose: Sequence[Box], beyond: int = 0) -> int:
    """Return how many open boxes are in closed fences and comments, behind the first `beyond` of these."""
    if len(found.closed) <= beyond:
        return 0
    return sum(box.mark == _OPEN and _inside(found.closed, box.line) for box in loose)


def _inside(closed: Sequence[tuple[int, int]], line: int) -> bool:
    at = bisect_right(closed, (line, 1 << 62)) - 1
    return at >= 0 and closed[at][0] <= line <= closed[at][1]


def _all_boxes(found: Blocks, loose: Sequence[Box]) -> tuple[Box, ...]:
    """Return the boxes of a scan with the loose ones outside its closed fences, in order."""
    if not loose:
        return found.boxes
    strict = {box.start for box in found.boxes}
    lines = [heading.line for heading in found.headings]
    more = [
        Box(box.mark, box.line, box.column, box.start, box.end, bisect_right(lines, box.line) - 1)
        for box in loose
        if box.start not in strict and not _inside(found.closed, box.line)
    ]
    return tuple(sorted((*found.boxes, *more), key=lambda box: box.start)) if more else found.boxes


def _loose(text: str, strict: Collection[int]) -> list[Box]:
    """
    Return the boxes at which lines begin, no matter what Markdown says of them, those at `strict` left out.

    Before one are marks and numbers at most, or the cells of a table; words follow it. No blank need
    follow it.
    """
    found: list[Box] = []
    lines: list[tuple[int, int]] = []
    line: _Line | None = None
    at = text.find("[")
    while at >= 0:
        mark, close = (_OPEN, at) if at in strict else _mark(text, at)
        if close > at:
            lines = lines or list(spans(text))
            if line is None or at >= line.end:
                number = bisect_right(lines, (at, len(text))) - 1
                line = _Line(text, number, *lines[max(number, 0)])
            if line.start <= at and line.begins(at, mark) and close < line.last:
                found.append(Box(mark, line.number + 1, at - line.start + 1, at, line.end, -1))
        at = text.find("[", at + 1)
    return sorted((*found, *_empties(text)), key=lambda box: box.start) if _EMPTY in text else found


class _Line:
    """
    A line on which there is a box.

    Args:
        text: The text.
        number: Of the line, from 0.
        start, end: Where it is.
    """

    __slots__ = ("_near", "_row", "_text", "end", "last", "number", "start")

    def __init__(self, text: str, number: int, start: int, end: int) -> None:
        self.number = number
        self.start = start
        self.end = end
        self._text = text
        line = text[start:end]
        #: Where its last letter or digit is; -1 without one.
        self.last = next((at for at in range(end - 1, start - 1, -1) if text[at].isalnum()), -1)
        marks = len(line) - len(line.lstrip(structure.BOX_LEAD))
        label = len(line) - len(line.lstrip(structure.BEFORE_A_LABEL)) + structure.LABEL_LIMIT
        behind = line[label:]
        #: Beyond this no box is behind marks or a label alone.
        self._near = start + max(marks, label + len(behind) - len(behind.lstrip(structure.BEHIND_A_LABEL)))
        self._row = line.lstrip(structure.QUOTED_LINE)[:1] == "|"

    def begins(self, at: int, mark: str) -> bool:
        """Return whether the line begins with the box at `at`, or a cell does."""
        if at <= self._near:
            return _begins(self._text[self.start : at].removesuffix(structure.ESCAPING), mark, self._row)
        if not self._row:
            return False
        if self._text[at - 1] == structure.ESCAPING:
            at -= 1
        while self._text[at - 1].isspace():
            at -= 1
        return self._text[at - 1] == "|"


def _empties(text: str) -> list[Box]:
    """
    Return the empty brackets at which list items begin, as open boxes.

    Not where items of the plan begin with brackets that are not boxes: empty ones are then tags, too.
    """
    found: list[Box] = []
    for number, (start, end) in enumerate(spans(text), 1):
        line = text[start:end]
        said = line.lstrip(structure.BOX_LEAD)
        if said[:1] != "[" or said == line.lstrip():
            continue
        at = end - len(said)
        if said.startswith(_EMPTY):
            if said[2:3].isspace() and any(map(str.isalnum, said)):
                found.append(Box(_OPEN, number, at - start + 1, at, end, -1))
        elif _mark(text, at)[1] == at and "](" not in said:
            return []
    return found


def _mark(text: str, at: int) -> tuple[str, int]:
    """Return the mark of the box whose bracket is at `at`, and where it closes; `at` where it is not one."""
    close = text.find("]", at + 1, at + 2 + INSIDE)
    inside = text[at + 1 : close].strip() if close > 0 else None
    if inside is not None and (close > at + 2 or text[at - 1 : at] == structure.ESCAPING):
        inside = inside.removesuffix(structure.ESCAPING).rstrip()
    if (
        inside is None
        or (not inside and (close == at + 1 or "\n" in text[at:close]))
        or text[close + 1 : close + 2] in tuple("([:")
    ):
        return "", at
    other = len(inside.rstrip(structure.INVISIBLE)) > 1 or inside.isalnum() or inside == "\\"
    return ("", at) if inside and inside not in _DONE and other else (inside or _OPEN, close)


def _begins(before: str, mark: str, row: bool) -> bool:
    """
    Return whether what is before a box leaves it at its line's beginning, or its cell's in a row of a table.

    Marks other than the usual ones need a list.
    """
    if not before.strip(structure.BOX_LEAD):
        return mark in _OPEN + _DONE or bool(before.strip())
    if mark in _OPEN + _DONE and structure.is_item_label(before):
        return True
    return row and before.rstrip()[-1:] == "|"


# Boxes of a plan in other dress: of HTML, round, wide, in marks of code; titles that are struck.


def html_boxes(line: str) -> list[str]:
    """Return the states of the boxes of HTML of a line that begins with one, other tags aside."""
    low = line.lower()
    at = low.find(structure.INPUT)
    states: list[str] = []
    if at < 0 or not _only_tags(line[:at]):
        return states
    while at >= 0:
        close = low.find(">", at)
        inside = low[at : close if close >= 0 else len(low)]
        if structure.INPUT_BOX in inside:
            states.append(DONE if structure.INPUT_TICKED in inside.replace(structure.INPUT_BOX, "") else OPEN)
        at = low.find(structure.INPUT, close) if close >= 0 else -1
    return states


def _only_tags(before: str) -> bool:
    """Return whether nothing but tags, marks of lists and numbers is in a text."""
    outside = "".join(part.rpartition(">")[2] for part in before.split("<")) if "<" in before else before
    return not outside.strip(structure.BOX_LEAD)


def odd_box(said: str, leads: bool) -> str:
    """Return the state of a box in other dress at the start of an item (`leads`), or at a line's end."""
    closing = structure.ROUND_BOXES.get(said[:1])
    if closing:
        inside, closed, rest = said[1:].partition(closing)
        if closed and rest[:1].isspace() and any(map(str.isalnum, rest)):
            ticked = inside.strip().lower()
            if inside and not ticked:
                return OPEN
            if ticked in structure.TICKS[:1] or (ticked and ticked in structure.MET):
                return DONE
    if "]" not in said and structure.WIDE_CLOSE not in said:
        return ""
    plain = said.translate(structure.BOX_DRESS).strip()
    for state, boxes in ((OPEN, ("[ ]",)), (DONE, structure.TICKED_BOXES)):
        if (leads and plain != said and plain.startswith(boxes)) or (
            plain.endswith(boxes) and len(plain) > len("[ ]")
        ):
            return state
    return ""


def struck(said: str) -> bool:
    """Return whether an item is struck as a whole."""
    bare = said.strip(" *_.")
    ends = bare.startswith(structure.STRIKE) and bare.endswith(structure.STRIKE)
    return ends and len(bare) > 2 * len(structure.STRIKE)
