"""Where the name of a status block is in a text, and whether a block starts or ends there."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.status_fields import at_line
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.facts.scan import Text
    from exitgate.facts.status_fields import Keys

#: At most so many of the last occurrences of a name are looked at: a later block counts more.
NAME_LIMIT = 1_000
#: So many characters before and behind a name are looked at.
REACH = 80
#: So many places of a key are looked at, the last first; what may be before one on its line.
LOOSE = 5
_AROUND = structural.KEY_MARKS + structural.BULLETS + ">" + structural.FIELD_MARKS
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
        ends = ends or tail[: len(structural.END_MARK)].lower() == structural.END_MARK
        if tail[:1].isalnum() and not ends:
            return None
    starts_line = cut == left and not any(letter.isalnum() or letter == "(" for letter in before)
    rule = _rule(after if not ends else after.lstrip("_" + structural.END_LETTERS))
    ruled = rule > 0 and _ruled(before)
    if ends or (before.endswith("/") and before[-2:-1] == "<"):
        if not (ruled or starts_line):
            return None
        bare = before.rstrip(structural.KEY_MARKS + structural.RULES)
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
        lead = before.rstrip(structural.RULES + " ")
        if inline and lead.endswith((*structural.SENTENCE_ENDS, *structural.WRITTEN_LINE_ENDS)):
            return Mark(start, content, False, True, True)
        return None
    if not starts_line:
        return None
    while content < right and text.original[content] in structural.KEY_MARKS + "]>":
        content += 1
    if content < right and text.original[content] in structural.COLONS + "=":
        content += 1
    elif any(letter.isalnum() for letter in text.original[content : min(right, content + REACH)]):
        return None
    rest = text.original[content:right]
    if not any(letter.isalnum() for letter in rest[:REACH]):
        return Mark(mark.start, content, False, False, False)
    if _has_field(text, content, right, known):
        return Mark(mark.start, content, False, False, True)
    remark = rest.strip(structural.KEY_MARKS)
    if remark[:1] in structural.REMARK_OPENS and remark[-1:] in structural.REMARK_CLOSES:
        return Mark(mark.start, right, False, False, False)
    return None


def _without_end(before: str) -> tuple[str, bool]:
    """Return what is before the name without the word that makes it an end, and whether it is there."""
    bare = before.rstrip("_- ")
    size = len(structural.END_MARK)
    if bare[-size:].lower() == structural.END_MARK and not bare[-size - 1 : -size].isalnum():
        return bare[:-size], True
    return before, False


def _rule(after: str) -> int:
    """Return the length of the rule, with blanks before it, that `after` starts with, or 0."""
    blanks = len(after) - len(after.lstrip(structural.KEY_MARKS))
    width = len(after) - blanks - len(after[blanks:].lstrip(structural.RULES))
    return blanks + width if width >= RULE_WIDTH else 0


def _ruled(before: str) -> bool:
    bare = before.rstrip(structural.KEY_MARKS)
    return len(bare) - len(bare.rstrip(structural.RULES)) >= RULE_WIDTH


def _has_field(text: Text, start: int, end: int, known: Keys) -> bool:
    """Return whether a known field follows directly."""
    piece = text.original[start : min(end, start + REACH)].lstrip(structural.KEY_MARKS + "{(")
    for mark in structural.WRITTEN_LINE_ENDS:
        piece = piece.removeprefix(mark)
    return at_line(piece, start, known) is not None
