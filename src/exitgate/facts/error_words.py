"""Counts words the way ``grep`` does: in any case, wherever they are."""

from __future__ import annotations

from exitgate.facts import words as word_marks
from exitgate.facts.reported import Reported
from exitgate.facts.scan import MATCH_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.scan import Text

LINES, PRESENT = "lines", "present"


def search(text: Text, wanted: Sequence[str], whole: bool) -> tuple[Reported, ...]:
    """
    Return the occurrences of the words, by place, at most `MATCH_LIMIT` of each.

    Args:
        text: The text.
        wanted: The words; each becomes the `kind` of what it finds.
        whole: Leave out occurrences inside longer words.
    """
    found = []
    for word in wanted:
        folded = word_marks.fold(word)
        at = text.folded.find(folded) if folded else -1
        left = MATCH_LIMIT
        while at >= 0 and left > 0:
            end = at + len(folded)
            if not whole or (
                word_marks.starts_word(text.original, at) and word_marks.ends_word(text.original, end)
            ):
                found.append(Reported(word, at, end))
                left -= 1
            at = text.folded.find(folded, end)
    return tuple(sorted(found, key=lambda r: (r.start, -r.end)))


def count(text: Text, found: Sequence[Reported], how: str) -> int:
    """Return the number of lines, of different words, or of occurrences that do not overlap."""
    if how == LINES:
        return len({text.lines.number(r.start) for r in found})
    if how == PRESENT:
        return len({r.kind for r in found})
    reached = total = 0
    for reported in found:
        if reported.start >= reached:
            total += 1
            reached = reported.end
    return total
