"""`hypothetical`: the match speaks of what would, should or will be, or asks."""

from __future__ import annotations

from exitgate.facts.scan_sentences import COMMA, STRONG
from exitgate.facts.structural import QUESTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.guards.seen import GuardWords, Seen


def holds(seen: Seen, words: GuardWords) -> bool:
    """
    Return whether the match is conditional, future, wanted or asked.

    Groups: `conditions` reach from where they stand to the end of the sentence; `times` to the
    next comma; `intents` through `reach` (8) words of their clause, also inside the match;
    `breaks` end a clause, `assertions` turn an intent into a statement (``should note that``);
    `after` follow the match directly. A question asks, it does not say.
    """
    around = seen.around
    if around.ends_with in QUESTIONS and around.ends_with:
        return True
    row = [token.word for token in around.after]
    if row and around.after[0].level < STRONG and words.cues("after").at(row, 0):
        return True
    if any(words.cues("conditions").at(row, i) for i in range(len(row)) if around.after[i].level < STRONG):
        return True
    inside = [token.word for token in around.inside]
    return (
        words.cues("intents").within(inside)
        or words.cues("conditions").within(inside)
        or _before(seen, words)
    )


def _before(seen: Seen, words: GuardWords) -> bool:
    before = seen.around.before
    row = [token.word for token in reversed(before)]
    reach = words.limit("reach", 8)
    clause = comma = asserted = True
    asserted = False
    for distance, token in enumerate(before):
        index = len(row) - 1 - distance
        if token.level >= STRONG:
            clause = False
        if token.level >= COMMA:
            comma = False
        if words.cues("conditions").at(row, index):
            return token.level < STRONG or clause
        if comma and clause and words.cues("times").at(row, index):
            return True
        if words.cues("assertions").at(row, index):
            asserted = True
        if clause and comma and distance < reach and not asserted and words.cues("intents").at(row, index):
            return True
        if words.cues("breaks").at(row, index):
            clause = False
    return False
