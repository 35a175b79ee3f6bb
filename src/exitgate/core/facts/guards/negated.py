"""`negated`: the sentence denies what the match says."""

from __future__ import annotations

from exitgate.core.facts.text import structure
from exitgate.core.facts.text.sentences import COMMA, JOINED, STRONG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext
    from exitgate.core.facts.text.sentences import Token


#: Characters between a match and a mark that says it is not so.
MARK_REACH = 24
_UNMET = tuple(structure.UNMET)


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether a negation reaches the match.

    Groups: `words` reach `reach` words (7) through the clause, also when they are inside the
    match's gaps; `near` only `near_reach` (3) and never past `joins`; `exceptions` are not
    negations. `breaks` end a clause, and so does one of `joins` behind which another clause begins (``none
    is there and I am sure``), with one of `subjects` or the match (see `Seen.own`), unless one of `doubts`
    speaks of both (``I doubt the lights are on and all is done``). `after` denies directly behind the match,
    but not a match that is one of `undeniable`; `answers` behind a colon, dash or equals sign at the end of
    a clause.
    `doubts` reach from anywhere in the sentence to one of `complements` (``that``) before the match. A
    number is not an amount behind one of `numbered` (``phase 0``) nor within a version. A mark that says no
    denies what it is with.
    """
    if _before(seen, words) or _inside(seen, words) or _after(seen, words):
        return True
    return _doubted(seen, words) or _crossed(seen)


def _before(seen: MatchContext, words: GuardWords) -> bool:
    before = seen.around.before
    row = [token.word for token in reversed(before)]
    full, near = words.limit("reach", 7), words.limit("near_reach", 3)
    crossed = False
    joined = False
    for distance, token in enumerate(before):
        index = len(row) - 1 - distance
        if token.level >= STRONG or distance >= full + 4:
            return False
        if distance == seen.own:
            return not words.cues("breaks").at(row, index) and _governed(row[:index], words)
        bare = not crossed and not joined
        if token.level == COMMA:
            if crossed:
                return _ends_at(words, "words", row, index) and not _taken(row, index, words)
            if _own_subject(row, index, words) or not _parenthesis(before, distance):
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
            labelled = index > 0 and words.cues("numbered").at(row, index - 1) > 0
            return not (labelled and token.word.isdecimal()) and _is_whole(seen, token)
        if words.cues("breaks").at(row, index):
            return False
        joined = joined or words.cues("joins").at(row, index) > 0
    return False


def _governed(row: Sequence[str], words: GuardWords) -> bool:
    """Return whether `row`, the clauses before the match's own, doubts all that follows, not only a thing."""
    doubts, breaks, joins = words.cues("doubts"), words.cues("breaks"), words.cues("joins")
    for index in range(len(row)):
        behind = index + doubts.at(row, index)
        if index < behind < len(row) and not joins.at(row, behind) and not breaks.within(row[behind:]):
            return not (words.cues("exceptions").at(row, index) or _taken(row, index, words))
    return False


def _ends_at(words: GuardWords, group: str, row: Sequence[str], index: int) -> bool:
    """Return whether a cue of one to four words ends with the word at `index`."""
    cues = words.cues(group)
    return any(cues.at(row, first) == index - first + 1 for first in range(max(0, index - 3), index + 1))


def _taken(row: Sequence[str], index: int, words: GuardWords) -> bool:
    """Return whether the word at `index` is part of an exception that starts before it."""
    exceptions = words.cues("exceptions")
    return any(exceptions.at(row, first) > index - first for first in range(max(0, index - 3), index))


def _own_subject(row: Sequence[str], index: int, words: GuardWords) -> bool:
    """Return whether a clause with a subject of its own is joined behind the word at `index`."""
    if index + 2 >= len(row):
        return False
    joined = words.cues("joins").at(row, index + 1)
    following = index + 1 + joined
    return bool(joined) and following < len(row) and bool(words.cues("subjects").at(row, following))


def _parenthesis(before: Sequence[Token], distance: int) -> bool:
    """
    Return whether the comma behind the word at `distance` closes an aside begun by another comma.

    ``not, as far as I know, complete``: the negation before the aside still reaches behind it.
    """
    further = before[distance : distance + 8]
    return any(token.level == COMMA for token in further[1:])


def _inside(seen: MatchContext, words: GuardWords) -> bool:
    row = [token.word for token in seen.around.inside]
    for index in range(len(row)):
        if words.cues("exceptions").at(row, index) or _taken(row, index, words):
            continue
        if words.cues("words").at(row, index):
            return True
        token = seen.around.inside[index]
        if words.cues("near").at(row, index) and _is_whole(seen, token):
            # a number is an amount only before what it counts: ``all 0 tasks``, not ``tasks 0 to 9``
            return not token.word.isdecimal() or token.end <= seen.match.parts[1][0]
    return False


def _is_whole(seen: MatchContext, token: Token) -> bool:
    """Return whether the word is none, or no part of a number written with marks (``2.0``, ``0-15``)."""
    if not token.word.isdecimal():
        return True
    folded = seen.text.folded
    left, right = folded[max(0, token.start - 2) : token.start], folded[token.end : token.end + 2]
    return not (left[-1:] in (".", "-") and left[:1].isdigit()) and not (
        right[:1] in (".", "-", "/") and right[1:].isdigit()
    )


def _doubted(seen: MatchContext, words: GuardWords) -> bool:
    row = [token.word for token in reversed(seen.around.before)]
    if not row or not words.cues("complements").at(row, len(row) - 1):
        return False
    doubts, breaks = words.cues("doubts"), words.cues("breaks")
    for index in range(len(row) - 1):
        taken = doubts.at(row, index)
        spared = words.cues("exceptions").at(row, index) or _taken(row, index, words)
        if taken and not spared and not breaks.within(row[index + taken :]):
            return True
    return False


def _crossed(seen: MatchContext) -> bool:
    """Return whether a mark that says no leads the match on its line, or follows it as its value."""
    text, match = seen.text, seen.match
    blank = structure.EMPHASIS + structure.INVISIBLE + " \t"
    first, _ = text.lines.span(text.lines.number(match.start))
    if text.original[max(first, match.start - MARK_REACH) : match.start].rstrip(blank).endswith(_UNMET):
        return True
    _, last = text.lines.span(text.lines.number(match.end))
    behind = text.original[match.end : min(last, match.end + MARK_REACH)]
    bare = behind.lstrip(blank + structure.MARKED_BY)
    if not bare.startswith(_UNMET):
        return False
    parted = any(mark in behind[: len(behind) - len(bare)] for mark in structure.MARKED_BY)
    return parted or (not bare[1:].strip(blank) and match.end + MARK_REACH >= last)


def _after(seen: MatchContext, words: GuardWords) -> bool:
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
        # ``might not`` is as much of a doubt as ``might``
        own = seen.text.folded[seen.match.start : seen.match.end].split()
        return words.cues("undeniable").at(own, 0) != len(own)
    taken = words.cues("answers").at(row, 0) if first.level >= STRONG else 0
    return bool(taken) and (len(after) == taken or after[taken].level > JOINED)
