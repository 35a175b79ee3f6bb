"""Where the patterns of a lexicon match, before any guard is asked: guards cost more than patterns."""

from __future__ import annotations

from exitgate.facts.lines import sentence_of
from exitgate.facts.runner_lines import candidates
from exitgate.facts.scan import MATCH_LIMIT, Match
from exitgate.facts.scan_lexicon import Hit
from exitgate.facts.scan_patterns import PIECE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.facts.lexicon import Entry, Lexicon
    from exitgate.facts.scan import Text
    from exitgate.facts.scan_task import Task

#: So many matches are judged by guards in one text.
JUDGED_LIMIT = 500


def matches(text: Text, lexicon: Lexicon) -> Iterator[tuple[int, Match, Entry]]:
    """Yield line number, match and entry of every match, line by line, at most `MATCH_LIMIT`."""
    patterns, refusals = lexicon.patterns, lexicon.refusals
    if patterns is None or refusals is None:
        return
    entries = lexicon.patterned()
    budget = MATCH_LIMIT
    narrowed = patterns.among(text)
    for number in candidates(text, patterns, narrowed):
        start, end = text.lines.span(number)
        for at in range(start, end, PIECE):
            piece = text.original[at : min(end, at + PIECE)]
            for index in narrowed.which(piece):
                refused = entries[index].unless and refusals.occurs(index, piece)
                for first, last in patterns.spans(index, piece):
                    budget -= 1
                    if budget < 0:
                        return
                    if refused:
                        left, right = sentence_of(piece, first, last)
                        if refusals.occurs(index, piece[left:right]):
                            continue
                    yield number, Match(entries[index].id, at + first, at + last), entries[index]


def judged(text: Text, lexicon: Lexicon, match: Match, entry: Entry, task: Task | None) -> Hit:
    """Return the match with the guard that refuses it, if any."""
    return Hit(entry, match, lexicon.guards.refusing(entry.guards, text, match, task))
