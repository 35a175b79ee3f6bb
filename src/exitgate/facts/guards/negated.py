"""`negated`: the sentence denies what the match says."""

from __future__ import annotations

from exitgate.facts.scan_sentences import COMMA, JOINED, STRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.guards.seen import GuardWords, Seen
    from exitgate.facts.scan_sentences import Token


def holds(seen: Seen, words: GuardWords) -> bool:
    """
    Return whether a negation reaches the match.

    Groups: `words` reach `reach` words (7) through the clause, also when they stand inside the
    match's gaps; `near` only `near_reach` (3) and never past `joins`; `exceptions` are no
    negations. `breaks` end a clause. `after` denies directly behind the match, `answers` behind a
    colon, dash or equals sign at the end of a clause.
    """
    return _before(seen, words) or _inside(seen, words) or _after(seen, words)


def _before(seen: Seen, words: GuardWords) -> bool:
    before = seen.around.before
    row = [token.word for token in reversed(before)]
    full, near = words.limit("reach", 7), words.limit("near_reach", 3)
    crossed = False
    joined = False
    for distance, token in enumerate(before):
        index = len(row) - 1 - distance
        if token.level >= STRONG or distance >= full + 4:
            return False
        bare = not crossed and not joined
        if token.level == COMMA:
            if crossed:
                return _ends_at(words, "words", row, index)
            if not _parenthesis(before, distance):
                return False
            crossed = True
            bare = False
        if words.cues("exceptions").at(row, index):
            continue
        if _taken(row, index, words):
            continue
        if _ends_at(words, "words", row, index) and distance < full:
            return True
        if bare and distance < near and _ends_at(words, "near", row, index):
            return True
        if words.cues("breaks").at(row, index):
            return False
        if words.cues("joins").at(row, index):
            if len(seen.match.parts) > 1 and distance <= 1:
                return False
            joined = True
    return False


def _ends_at(words: GuardWords, group: str, row: Sequence[str], index: int) -> bool:
    """Return whether a cue of one to four words ends with the word at `index`."""
    cues = words.cues(group)
    return any(cues.at(row, first) == index - first + 1 for first in range(max(0, index - 3), index + 1))


def _taken(row: Sequence[str], index: int, words: GuardWords) -> bool:
    """Return whether the word at `index` is part of an exception that starts before it."""
    exceptions = words.cues("exceptions")
    return any(exceptions.at(row, first) > index - first for first in range(max(0, index - 3), index))


def _parenthesis(before: Sequence[Token], distance: int) -> bool:
    """
    Return whether the comma behind the word at `distance` closes an aside begun by another comma.

    ``not, as far as I know, complete``: the negation before the aside still reaches behind it.
    """
    further = before[distance : distance + 8]
    return any(token.level == COMMA for token in further[1:])


def _inside(seen: Seen, words: GuardWords) -> bool:
    row = [token.word for token in seen.around.inside]
    for index in range(len(row)):
        if words.cues("exceptions").at(row, index) or _taken(row, index, words):
            continue
        if words.cues("words").at(row, index) or words.cues("near").at(row, index):
            return True
    return False


def _after(seen: Seen, words: GuardWords) -> bool:
    after = seen.around.after
    row = [token.word for token in after]
    if not row:
        following = seen.around.following
        answer = [token.word for token in following]
        return bool(
            answer and seen.around.ends_with in ("?", "\uff1f") and words.cues("answers").at(answer, 0)
        )
    first = after[0]
    if first.level == JOINED and words.cues("after").at(row, 0):
        return True
    taken = words.cues("answers").at(row, 0) if first.level >= STRONG else 0
    return bool(taken) and (len(after) == taken or after[taken].level > JOINED)
