"""`qualified`: the match holds only in part (``tests done but build failing``)."""

from __future__ import annotations

from exitgate.core.facts.text.sentences import COMMA, JOINED, STRONG
from exitgate.core.facts.text.words import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext
    from exitgate.core.facts.text.sentences import Token


FULL = 100
#: Words before a match in which a share is looked for.
SHARE_REACH = 6


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether the sentence, or a contrast that opens the next one, limits the match.

    Groups: `limits` within `limit_reach` (3) words before the match or inside it, unless one of
    `no_limits`; `inside` only there (``everything but the parser``); `pending` as near behind it;
    `exceptions` anywhere behind it or at the head of a clause before it (also behind one of `heads`),
    `openers` at the head of its sentence, in languages that write no comma behind them, and `postposed`
    anywhere before it, in languages where they follow what they except,
    and `failings` without `relief` or `past` before them; `contrasts` with one of `troubles` behind
    them, `concessions` before the match with one of `troubles`. `relief` makes a trouble none (``no
    issues remain``). Shares below all (``3 of 5``, `shares` being the words between; ``60%``) limit it
    too, and a number behind one of `numbered` in the match (``task 3 is done``), or right before it
    unless it begins with one of `totals`. Limits and shares reach no further than the match's own clause.
    """
    around = seen.around
    reach = words.limit("limit_reach", 3)
    near = list(_joined(around.before[: min(reach + 1, seen.own)]))
    inside = [t.word for t in around.inside]
    row = [t.word for t in reversed(near)]
    if _limited(row, words) or words.cues("limits").within(inside):
        return True
    if words.cues("inside").within(inside):
        return True
    if _share(seen, words) or _numbered(seen, words) or _excepted(seen, words):
        return True
    after = [t.word for t in around.after]
    close = [t.word for t in around.after[:reach] if t.level < STRONG]
    if words.cues("pending").within(close) or words.cues("exceptions").within(after):
        return True
    return _fails(after, words) or _contrast(seen, after, words) or _conceded(seen, words)


def _joined(before: Sequence[Token]) -> Iterator[Token]:
    """Yield the words before the match up to the first comma."""
    for token in before:
        if token.level > JOINED:
            return
        yield token


def _limited(row: Sequence[str], words: GuardWords) -> bool:
    """Return whether a limit is in `row`, its first word there only to see ``not only``."""
    if any(words.cues("no_limits").at(row, index) for index in range(len(row))):
        return False
    return words.cues("limits").within(row[-words.limit("limit_reach", 3) :])


def _share(seen: MatchContext, words: GuardWords) -> bool:
    """Return whether a share of less than all (``3 of 5``, ``3/5``, ``60%``) is just before the match."""
    folded = seen.text.folded
    row = (*reversed(seen.around.inside), *seen.around.before[: min(seen.own, SHARE_REACH)])
    for index, token in enumerate(row):
        if token.level >= STRONG:
            return False
        if not _is_number(token):
            continue
        if folded[token.end : token.end + 1] == "%":
            return int(token.word) < FULL
        of = index + 1 < len(row) and words.cues("shares").at([row[index + 1].word], 0) > 0
        part = row[index + 1 + of : index + 2 + of]
        if part and _is_number(part[0]) and (of or folded[part[0].end : token.start].strip() == "/"):
            return int(part[0].word) < int(token.word)
    return False


def _numbered(seen: MatchContext, words: GuardWords) -> bool:
    """Return whether the match speaks of one numbered part."""
    folded, match = seen.text.folded, seen.match
    spans = tokens(folded, match.start, match.end)
    row = [folded[a:b] for a, b in spans]
    before = seen.around.before
    if len(before) > 1 and before[0].level == JOINED and row and not words.cues("totals").at(row, 0):
        spans = [(before[1].start, before[1].end), (before[0].start, before[0].end), *spans]
        row = [before[1].word, before[0].word, *row]
    for index in range(len(row) - 1):
        between = folded[spans[index][1] : spans[index + 1][0]].strip(" \u00a0#")
        if row[index + 1].isdecimal() and not between and words.cues("numbered").at(row, index) == 1:
            return True
    return False


def _excepted(seen: MatchContext, words: GuardWords) -> bool:
    """Return whether an exception heads a clause before the match (``apart from the docs, all ...``)."""
    before = seen.around.before[::-1]
    row = [token.word for token in before]
    if row and (words.cues("openers").at(row, 0) or words.cues("postposed").within(row)):
        return True
    for index in range(len(row)):
        if index == 0 or before[index - 1].level >= COMMA or words.cues("heads").at(row, index - 1):
            taken = words.cues("exceptions").at(row, index)
            if taken and any(token.level == COMMA for token in before[index + taken - 1 :]):
                return True
    return False


def _is_number(token: Token) -> bool:
    return token.word.isdecimal() and len(token.word) < 9


def _fails(after: Sequence[str], words: GuardWords) -> bool:
    """Return whether the rest of the sentence says that something fails now."""
    failings, relief, past = words.cues("failings"), words.cues("relief"), words.cues("past")
    for index in range(len(after)):
        if failings.at(after, index):
            lead = range(max(0, index - 3), index)
            if not any(relief.at(after, near) or past.at(after, near) for near in lead):
                return True
    return False


def _contrast(seen: MatchContext, after: Sequence[str], words: GuardWords) -> bool:
    contrasts = words.cues("contrasts")
    for index in range(len(after)):
        taken = contrasts.at(after, index)
        if taken:
            return troubled(after[index + taken :], words)
    following = [token.word for token in seen.around.following]
    if not following:
        return False
    taken = contrasts.at(following, 0)
    if taken:
        return troubled(following[taken:], words)
    return contrasts.at(following, len(following) - 1) == 1 and troubled(following[:-1], words)


def _conceded(seen: MatchContext, words: GuardWords) -> bool:
    row = [token.word for token in reversed(seen.around.before)]
    for index in range(len(row)):
        taken = words.cues("concessions").at(row, index)
        if taken:
            return troubled(row[index + taken :], words)
    return False


def troubled(row: Sequence[str], words: GuardWords) -> bool:
    """
    Return whether `row` shows trouble.

    Relief within three words before a trouble cancels it (``no issues``); a word that is both, as a
    negation, is a trouble where it relieves none (``could not verify``).
    """
    troubles, relief = words.cues("troubles"), words.cues("relief")
    for index in range(len(row)):
        if not troubles.at(row, index):
            continue
        if relief.at(row, index):
            if not any(troubles.at(row, near) for near in range(index + 1, min(len(row), index + 3))):
                return True
        elif not any(relief.at(row, near) for near in range(max(0, index - 3), index)):
            return True
    return False
