"""`continued`: the text continues to more work right behind the match (``done! Now to the next``)."""

from __future__ import annotations

from exitgate.core.facts.guards.qualified import troubled
from exitgate.core.facts.text import structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether the rest of the sentence, or the start of the next, announces more work.

    Groups: `words` anywhere in the rest of the sentence or within `reach` (6) words of the next;
    `openings` only as the first words of the next; `closings` there cancel them (``nothing next``).
    `detours` in either say that work went on another way (``so I took the next``).
    Behind a question one of `answers` opens its answer (``Should I? I'll take the first.``), and the rest
    of the question announces nothing.
    """
    after = [token.word for token in seen.around.after]
    following = [token.word for token in seen.around.following]
    if words.cues("detours").within(after) or words.cues("detours").within(following):
        return True
    start = following[: words.limit("reach", 6)]
    asks = bool(seen.around.ends_with) and seen.around.ends_with in structure.QUESTIONS
    for row in (start,) if asks else (after, start):
        if words.cues("words").within(row) and not words.cues("closings").within(row):
            return True
    if asks:
        answered = bool(following) and words.cues("answers").at(following, 0) > 0
        return answered and not words.cues("closings").within(start)
    opens = bool(following) and words.cues("openings").at(following, 0) > 0
    return opens and not words.cues("closings").within(start) and not troubled((), words)
