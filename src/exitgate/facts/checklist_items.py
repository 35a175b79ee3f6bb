"""Task items of a plan: boxes with their state, in their order."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.checklist_scan import scan
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.facts.checklist_scan import Scan
    from exitgate.facts.checklist_values import Heading

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


def within(headings: Sequence[Heading], names: Sequence[str]) -> tuple[bool, ...]:
    """Return for each heading whether it is in a section that `names` means."""
    if not names or not headings:
        return (False,) * len(headings)
    from exitgate.facts import checklist_sections

    return checklist_sections.within(headings, names)


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
    return items_of(scan(text), marks, optional, wanted)


def items_of(
    found: Scan, marks: Mapping[str, str], optional: Sequence[str], wanted: Sequence[str]
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return what `markdown_items` does, of a plan that was scanned."""
    in_optional, in_wanted = within(found.headings, optional), within(found.headings, wanted)
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
        here = not wanted or (under >= 0 and in_wanted[under])
        (counted if here else outside).append(item)
    return tuple(counted), tuple(outside)


def _state(mark: str, marks: Mapping[str, str]) -> str | None:
    """Return the state a mark stands for, or None when the brackets are not a box."""
    named = marks.get(mark) or marks.get(mark[:1])
    if named is not None:
        return named if named in STATES else OPEN
    if mark.isspace():
        return OPEN
    if mark in ("x", "X") or mark[0] in structural.MET:
        return DONE
    return None if mark[0].isalnum() else OPEN
