"""
Task items as a line-by-line text search finds them: marks on lines, no matter what Markdown says of them.
"""

from __future__ import annotations

from exitgate.core.facts.plans.items import DONE, OPEN, Item
from exitgate.core.facts.plans.marks import Heading, spans
from exitgate.core.facts.plans.sections import Sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


ANYWHERE, LINE_START, INDENTED = "anywhere", "line_start", "indented"
_BLANKS = " \t"


def literal_items(
    text: str, open_marks: Sequence[str], done_marks: Sequence[str], where: str, optional: Sequence[str] = ()
) -> tuple[Item, ...]:
    """
    Return an item for each line with a mark on it.

    Args:
        text: The plan.
        open_marks, done_marks: Texts of open and of done items. A line with one of each counts as done
            and as open, once each.
        where: Where in its line a mark must be: `ANYWHERE`, `LINE_START` or `INDENTED`.
        optional: Names of sections whose open items do not keep a plan from being complete. A heading is
            a line of ``#`` marks, a blank and a title, in code, too.
    """
    items: list[Item] = []
    headings: list[Heading] = []
    under: list[int] = []
    for number, (start, end) in enumerate(spans(text), 1):
        if optional and (heading := _heading(text, start, end)) is not None:
            headings.append(heading)
        for state, marks in ((OPEN, open_marks), (DONE, done_marks)):
            at, mark = _found(text, marks, where, start, end)
            if at >= 0:
                items.append(Item(state, mark, False, number, at - start + 1, at, end))
                under.append(len(headings) - 1)
    if not headings:
        return tuple(items)
    inside = Sections(optional).within(headings)
    return tuple(
        Item(i.state, i.mark, at >= 0 and inside[at], i.line, i.column, i.start, i.end)
        for i, at in zip(items, under, strict=True)
    )


def lines_with(text: str, mark: str, where: str) -> int:
    """Return how many lines hold `mark` where it must be."""
    return sum(_found(text, (mark,), where, start, end)[0] >= 0 for start, end in spans(text))


def _found(text: str, marks: Sequence[str], where: str, start: int, end: int) -> tuple[int, str]:
    """Return offset and text of the first of `marks` on a line that is where it must; -1 without one."""
    first = start
    if where == INDENTED:
        while first < end and text[first] in _BLANKS:
            first += 1
    for mark in marks:
        at = text.find(mark, start, end) if where == ANYWHERE else first
        if at >= 0 and text.startswith(mark, at, end):
            return at, mark
    return -1, ""


def _heading(text: str, start: int, end: int) -> Heading | None:
    line = text[start:end].strip()
    title = line.lstrip("#")
    if title == line or title[:1] not in _BLANKS or not title:
        return None
    return Heading(len(line) - len(title), title.strip())
