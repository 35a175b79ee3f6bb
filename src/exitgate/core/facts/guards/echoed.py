"""`echoed`: the match is in a sentence copied from the task."""

from __future__ import annotations

from exitgate.core.facts.text.sentences import STRONG
from exitgate.core.facts.text.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext


#: Words of context beside the match that make agreement with the task no accident.
CONTEXT = 2
#: Share of the sentence that must be the task's, as a fraction.
SHARE = (3, 4)


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether the sentence around the match is the task's.

    Three ways: it is a whole sentence or line of the task; or it agrees with the task in at least
    two words beside the match and three quarters of its words; or it says whose words these are
    (`attributions`: ``you asked``) and the match is in the task.
    """
    if seen.task is None:
        return False
    around, folded = seen.around, seen.text.folded
    own = [folded[a:b] for a, b in tokens(folded, seen.match.start, seen.match.end)]
    if not own:
        return False
    before = []
    for token in around.before:
        if token.level >= STRONG:
            break
        before.append(token.word)
    row = [*reversed(before), *own]
    start, end = len(before), len(row)
    for token in around.after:
        if token.level >= STRONG:
            break
        row.append(token.word)
    left, right, whole = seen.task.copied(row, start, end)
    if right - left == 0:
        return False
    if right - left == len(row) and whole:
        return True
    if right - left >= len(own) + CONTEXT and (right - left) * SHARE[1] >= len(row) * SHARE[0]:
        return True
    everything = [token.word for token in reversed(around.before)]
    return words.cues("attributions").within(everything)
