"""`quoted`: the match is in inline code, quotation marks or a block quotation, or is struck out."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.text.blocks import QUOTATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext


def holds(seen: MatchContext, _words: GuardWords) -> bool:
    """Return whether the whole match is someone else's words, or taken back; marks inside it do neither."""
    if seen.text.blocks.kind(seen.match.start) == QUOTATION:
        return True
    spans, offset = seen.text.quoted(seen.match.start)
    start, end = seen.match.start - offset, seen.match.end - offset
    at = bisect_right(spans, (start, start)) - 1
    return at >= 0 and spans[at][0] < start and end < spans[at][1]
