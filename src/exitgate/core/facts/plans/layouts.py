"""
Tasks of a plan that are not boxes: what is listed as remaining, headings, states in tables and before tasks.

They are looked at where no box is open, for then the plan would be complete: a plan that ticks only what
is finished has its open tasks elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left

from exitgate.core.facts.plans.items import (
    CANCELLED,
    DONE,
    OPEN,
    Item,
    html_boxes,
    odd_box,
    scan_prose,
    struck,
)
from exitgate.core.facts.plans.marks import spans
from exitgate.core.facts.plans.sections import fold
from exitgate.core.facts.plans.states import (
    MAYBE,
    NOT,
    SURE,
    TRUTH,
    Candidate,
    PlanWords,
    before_or_beside,
    beside,
    likely,
    may_state,
)
from exitgate.core.facts.text import structure
from exitgate.core.facts.text.text import ready
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.plans.items import Scan
    from exitgate.core.facts.plans.marks import Heading
    from exitgate.core.facts.text.text import Text


#: The column of states of no table, and of one that has none.
_NO_TABLE, _NO_COLUMN = -2, -1
_PERCENT, _ALL = "%", "100%"
#: With what most items of lists begin; the other marks of lists also begin outlines.
_LISTED = tuple("-0123456789")
#: Around the value of a field.
_AROUND_A_VALUE = " *_`\"',"
#: Characters of the longest label.
LABEL = 60
#: Kinds of words that head a section.
_ARCHIVE, _REMAINING = "archive", "remaining"


class _Section(Value):
    """A heading's section: its `kind` of words, whether boxes are in it, its end (a line)."""

    __slots__ = ("boxes", "end", "kind")

    def __init__(self, kind: str, boxes: bool, end: int) -> None:
        self.kind = kind
        self.boxes = boxes
        self.end = end


def archived(headings: Sequence[Heading], words: PlanWords) -> tuple[bool, ...]:
    """Return for each heading whether it is, or is below, one of finished work."""
    inside: list[bool] = []
    level = 0
    for heading in headings:
        if level and heading.level <= level:
            level = 0
        if not level and words.names(_ARCHIVE, heading.text) is not None:
            level = heading.level
        inside.append(level > 0)
    return tuple(inside)


class Others(Value):
    """
    Tasks that are not boxes.

    Args:
        items: In order.
        filed: Lines of boxes below a label of finished work.
        unsure: A line of words in a section of what remains, which may be a task or not; 0 without one.
    """

    __slots__ = ("filed", "items", "unsure")

    def __init__(self, items: tuple[Item, ...], filed: frozenset[int], unsure: int) -> None:
        self.items = items
        self.filed = filed
        self.unsure = unsure


def other_items(
    text: str, scan: Scan, words: PlanWords, optional: Sequence[bool] = (), prose: bool = False
) -> Others:
    """
    Return the tasks that are not boxes; those below headings that are `optional` are so, too.

    Those are items of lists and words behind a label of what remains; headings of a task without boxes,
    where the plan has boxes elsewhere; rows of a table with a column of states; list items that begin
    with a state or its sign. In a plan, which is not `prose`, a state may follow the title, too. What
    is in a section of finished work is left out.
    """
    reader = _Reader(text, scan, words, optional, prose)
    if prose:
        _read_prose(reader, ready(text))
    else:
        for number, (start, end) in enumerate(spans(text), 1):
            reader.line(number, start, end)
    found = sorted((*reader.items, *likely(reader.candidates, bool(scan.boxes))), key=lambda item: item.start)
    return Others(tuple(found), frozenset(reader.filed), reader.unsure)


def _read_prose(reader: _Reader, text: Text) -> None:
    """Hand the lines of a response to a reader; outside of what remains those that can say something."""
    lines, telling = text.view(_lines), text.view(_telling)
    number = at = 0
    while number < len(lines):
        if reader.label or number + 1 < reader.section.end:
            reader.line(number + 1, *lines[number])
        else:
            at = bisect_left(telling, number, at)
            if at == len(telling):
                return
            if telling[at] > number:
                reader.column = _NO_TABLE
                number = telling[at]
            reader.take(number + 1, *lines[number])
        number += 1


def _lines(text: Text) -> list[tuple[int, int]]:
    return list(spans(text.given))


def _telling(text: Text) -> list[int]:
    """Return the numbers, from 0, of the lines of a response that may be a task outside of what remains."""
    scan, given = text.view(scan_prose), text.given
    found = [heading.line - 1 for heading in scan.headings]
    hidden = {first for first, _ in scan.closed}  # each is of one line
    for number, (start, end) in enumerate(text.view(_lines)):
        if start == end or _is_plain(given, start, end):
            continue
        said = given[start:end].strip(structure.QUOTED_LINE)
        if said and (number + 1 not in hidden or said[0] == "|"):
            found.append(number)
    return sorted(set(found))


def _is_plain(text: str, start: int, end: int) -> bool:
    """Return whether a line of a response, outside of what remains, can be no task: most lines."""
    head = text[start : min(end, start + LABEL)]
    if head[0].isalpha():
        worded = ":" not in head and structure.COLONS[1] not in head
        return worded and text[max(end - 2, start) : end].strip()[-1:] != "]"
    return (
        head[0] in _LISTED
        and ":" not in head
        and structure.STRIKE not in head
        and head.isascii()
        and not head[2:5].strip().isupper()
        and text.find("]", start, end) < 0
    )


def _ends(headings: Sequence[Heading]) -> list[int]:
    """Return for each heading the line at which its section ends."""
    ends = [1 << 62] * len(headings)
    waiting: list[int] = []
    for at, heading in enumerate(headings):
        while waiting and headings[waiting[-1]].level >= heading.level:
            ends[waiting.pop()] = heading.line
        waiting.append(at)
    return ends


class _Reader:
    """Reads a plan line by line; lives for one call of `other_items`."""

    def __init__(
        self, text: str, scan: Scan, words: PlanWords, optional: Sequence[bool], prose: bool
    ) -> None:
        self.text = text
        self.prose = prose
        self.list = 0  # how many lists and other things went by
        self.candidates: list[Candidate] = []
        self.optional = optional
        self.scan = scan
        self.words = words
        self.items: list[Item] = []
        self.filed: list[int] = []
        self.unsure = 0
        self.boxes = sorted({box.line for box in scan.boxes})
        self.places = {heading.line: at for at, heading in enumerate(scan.headings)}
        self.ends = _ends(scan.headings)
        self.old = archived(scan.headings, words)
        self.heading = -1
        self.label = ""  # the kind of the label above, until something other than a list comes
        self.section = _Section("", False, 0)
        self.column = _NO_TABLE
        self.flag = False  # the column of states asks whether the task is done

    def line(self, number: int, start: int, end: int) -> None:
        """Take in a line."""
        outside = not self.label and number >= self.section.end
        if outside and number not in self.places and self._plain(start, end):
            self.column = _NO_TABLE
        else:
            self.take(number, start, end)

    def take(self, number: int, start: int, end: int) -> None:
        """Take in a line that may say something."""
        if number in self.places:
            self.at_heading(number, start, end)
            return
        line = self.text[start:end].strip(structure.QUOTED_LINE)
        if line[:1] != "|":
            self.column = _NO_TABLE
        if not line or self.in_archive or self.scan.hides(number):
            return
        mark = structure.list_mark(line)
        nested = self.text[start : start + 2].isspace()
        listed = mark or line[0] in "|" + structure.MET + structure.EMPTY_BOXES
        if self.has_box(number) or (listed and self.label == _ARCHIVE):
            self.filed += [number] if self.label == _ARCHIVE else []
        elif states := html_boxes(line[mark:]):
            for state in states:
                self.add(state, number, start, end)
        elif state := self.field(line[mark:]) or self.tag(line):
            self.add(state, number, start, end)
        elif line[0] == "|":
            self.at_row(line, number, start, end)
        elif listed:
            self.at_item(line, line[mark:].strip(), nested, number, start, end)
        elif not nested:
            self.at_text(line, number, start, end)

    def _plain(self, start: int, end: int) -> bool:
        """Return whether a line outside of what remains can be no task: most lines, seen at a glance."""
        if start == end or not _is_plain(self.text, start, end):
            return False
        if self.prose:
            return True
        if self.text[start].isalpha() and (self.boxes or end - start > LABEL):
            return True
        return (bool(self.boxes) or self.text[start].isalpha()) and not may_state(self.text[start:end])

    @property
    def in_archive(self) -> bool:
        """Whether the line is below a heading of finished work."""
        return self.heading >= 0 and self.old[self.heading]

    def has_box(self, number: int, end: int = 0) -> bool:
        """Return whether a box is on the line, or from it to before the line `end`."""
        at = bisect_left(self.boxes, number)
        return at < len(self.boxes) and self.boxes[at] < (end or number + 1)

    def remains(self, number: int) -> bool:
        """Return whether the line is in a section of what remains, of which no task has a box."""
        return bool(self.section.kind) and number < self.section.end and not self.section.boxes

    def at_heading(self, number: int, start: int, end: int) -> None:
        """Begin a section; a heading of a task without boxes below it is a task itself."""
        self.label, self.column, self.list = "", _NO_TABLE, self.list + 1
        self.heading = self.places[number]
        title, stop = self.scan.headings[self.heading].text, self.ends[self.heading]
        boxes = self.has_box(number, stop)
        if self.in_archive:
            return
        within, rest = self.remains(number), self.words.names("task", title)
        marked = structure.is_heading(self.text[start:end].strip())
        if marked and not boxes and beside(title, self.words) == (OPEN, SURE) and self.tells(title):
            self.add(OPEN, number, start, end)
        elif self.heads(title):
            self.section = _Section(_REMAINING, boxes, stop)
        elif not boxes and not self.ended(title):
            numbered = rest is not None and rest[:1].isdigit() and bool(self.boxes)
            if numbered or self.keyword(title, True) == OPEN or (within and self.tells(title)):
                self.add(OPEN, number, start, end)

    def at_text(self, said: str, number: int, start: int, end: int) -> None:
        """Take a line of words: a label of what follows, or what remains behind one."""
        self.label, self.list = "", self.list + 1
        head, colon, rest = said.replace(structure.COLONS[1], ":").partition(":")
        state = odd_box(said, False) or self.keyword(said, said.startswith("**"))
        if not state and not self.boxes and not self.prose and len(said) <= LABEL:
            named, sure = beside(said, self.words)
            state = named if sure == SURE and named != CANCELLED and not self.heads(head) else ""
        if state:
            self.add(state, number, start, end)
        elif colon or structure.heading_level(said) == structure.BOLD_LEVEL:
            self.label = _REMAINING if self.heads(head) and len(head) <= LABEL else ""
            self.label = self.label or (_ARCHIVE if self.words.is_a(_ARCHIVE, head) else "")
            if self.label == _REMAINING and self.tells(rest):
                self.add(OPEN, number, start, end)
        elif self.remains(number) and self.tells(said) and not structure.is_rule(said):
            self.unsure = number

    def at_item(self, line: str, said: str, nested: bool, number: int, start: int, end: int) -> None:
        """Take an item of a list that has no box."""
        state = odd_box(said, True) or self.keyword(said, line[0] == "*" or not self.boxes)
        if said[:1] in tuple(structure.WAITING_SIGNS):
            state = OPEN
        elif said[:1] in tuple(structure.FILLED_SIGNS) or struck(said):
            state = DONE
        sure = SURE if state else NOT
        if not state and not self.prose:
            state, sure = before_or_beside(said, self.words)
            ruled = sure == MAYBE and self.headed("forbids")
            state = state if self.tells(said) and not ruled else CANCELLED
        listed = self.label == _REMAINING or (not self.label and self.remains(number))
        if not state and listed and not nested and self.tells(said) and not self.ended(said):
            state, sure = OPEN, SURE
        if (state == OPEN and sure == SURE) or (state == DONE and sure > TRUTH):
            self.add(state, number, start, end)
        if not self.prose and state != CANCELLED and (state or not nested):
            item = self.item(OPEN, number, start, end)
            self.candidates.append(Candidate(item, self.list, state, sure, self.headed("overall")))

    def headed(self, kind: str) -> bool:
        """Return whether the section is headed by a word of `kind`."""
        return self.heading >= 0 and self.words.is_a(kind, self.scan.headings[self.heading].text)

    def at_row(self, line: str, number: int, start: int, end: int) -> None:
        """Take a row of a table; its first row names the column of states."""
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if self.column == _NO_TABLE:
            heads = [cell.rstrip(structure.QUESTIONS + " ") for cell in cells]
            flags = [self.words.is_a("flag", cell) or cell[:1] in tuple(structure.MET) for cell in heads]
            named = [self.words.is_a("column", cell) or flag for cell, flag in zip(heads, flags, strict=True)]
            self.column = named.index(True) if True in named else _NO_COLUMN
            self.flag = flags[self.column] if True in named else False
        elif 0 <= self.column < len(cells) and not structure.is_rule(line):
            state = self.state(cells[self.column]) or (self.flag and self.ticked(cells[self.column]))
            if state:
                self.add(state, number, start, end)

    def field(self, said: str) -> str:
        """Return the state in a field such as ``status: open`` of a task, in a section without boxes."""
        head = said[: 2 * LABEL]
        if ":" not in head and structure.COLONS[1] not in head:
            return ""
        key, colon, value = head.replace(structure.COLONS[1], ":").partition(":")
        key = key.strip(structure.AROUND_A_WORD)
        if not colon or not key or not (self.words.is_a("column", key) or self.words.is_a("flag", key)):
            return ""
        first, last = (
            (1, 0) if self.heading < 0 else (self.scan.headings[self.heading].line, self.ends[self.heading])
        )
        return "" if self.has_box(first, last or 1 << 62) else self.state(value.strip(_AROUND_A_VALUE))

    def tag(self, line: str) -> str:
        """Return the state that a tag of XML has at the start of a line."""
        if line[0] != "<":
            return ""
        inside, close, _ = line.partition(">")
        for part in inside.split()[1:] if close else ():
            key, equals, value = part.partition("=")
            if equals and (self.words.is_a("column", key) or self.words.is_a("flag", key)):
                return self.state(value.strip("\"'/"))
        return ""

    def state(self, cell: str) -> str:
        """Return the state that a cell names, by its words or by its sign; empty where it names none."""
        sign = cell[:1]
        if self.words.names("waiting", cell) is not None or (sign and sign in structure.UNMET):
            return OPEN
        if cell.endswith(_PERCENT) and cell[:-1].isdigit():
            return DONE if cell == _ALL else OPEN
        finished = self.words.names("finished", cell) is not None or (sign and sign in structure.MET)
        return DONE if finished else ""

    def ticked(self, cell: str) -> str:
        """Return the state that a cell shows in a column that asks whether a task is done."""
        mark = cell.strip(structure.AROUND_A_WORD + structure.DASHES)
        if not mark:
            return "" if cell[:1] in structure.DASHES and len(cell) > structure.DASH_LIMIT else OPEN
        return DONE if mark.lower() in structure.TICKS else OPEN if mark.lower() in structure.CROSSES else ""

    def keyword(self, said: str, outline: bool) -> str:
        """
        Return the state that is written before a task: ``TODO: docs``, or in an outline ``TODO docs``.

        Without a colon it counts in capitals only; finished states do so in any case.
        """
        first, _, rest = said.lstrip(structure.BOX_LEAD).partition(" ")
        name = first.rstrip(structure.COLONS)
        if not name or (name == first and not (outline and name.isupper())) or not self.tells(rest):
            return ""
        if fold(name) in self.words.kind("keyword"):
            return OPEN
        return DONE if name.isupper() and fold(name) in self.words.kind("finished") else ""

    def ended(self, said: str) -> bool:
        """Return whether a title says itself that it is finished: by a sign, struck, or by its last word."""
        tail = said.rstrip(structure.AROUND_A_WORD).rpartition(" ")[2]
        signs = not said.isascii() and any(sign in said for sign in structure.MET)
        return signs or struck(said) or self.words.is_a("finished", tail)

    def tells(self, said: str) -> bool:
        """Return whether there are words, other than that nothing remains, or that it is optional."""
        named = any(self.words.names(kind, said) is not None for kind in ("nothing", "optional"))
        return not named and any(map(str.isalnum, said))

    def heads(self, title: str) -> bool:
        """Return whether a title, or a label, names what remains: not what is optional, or nothing."""
        rest = self.words.names(_REMAINING, title)
        return rest is not None and (not any(map(str.isalnum, rest)) or self.tells(rest))

    def item(self, state: str, number: int, start: int, end: int) -> Item:
        """Return a task that is on a line."""
        at = start + len(self.text[start:end]) - len(self.text[start:end].lstrip())
        optional = self.heading >= 0 and self.optional[self.heading]
        return Item(state, "", optional, number, at - start + 1, at, end, self.heading)

    def add(self, state: str, number: int, start: int, end: int) -> None:
        """Take a task that is on a line."""
        self.items.append(self.item(state, number, start, end))
