"""`scoped`: the match is said of a part (``nothing is left to do in this file``)."""

from __future__ import annotations

from exitgate.core.facts.text import structure
from exitgate.core.facts.text.sentences import COMMA, JOINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext
    from exitgate.core.facts.text.sentences import Token


#: Words behind a preposition in which a part is looked for.
SCOPE = 5
#: Before the number of a task, within its id, around an id.
_NUMBER, _DASH, _BRACKETS = "#", "-", ("(", "[")
#: Between the name of a part and what is said of it.
_TITLED = ("", ":", "\uff1a")


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether the sentence speaks of a part.

    Groups: one of `scopes` and then, within five words, one of `parts`, the id of a task (``US-02``, ``#7``),
    one of `numbered` and its number or letter, or something written as code, unless one of `wholes` is
    there; behind the match, or at the head of its sentence up to a comma (there one of `leads`, where a
    lexicon names them), or within it. Right behind it, or behind its `tails` (``to do``), one of `leads`, one
    of `articles` and something unknown are enough; so is one of `limits`, or an id in brackets. Or an id or
    one of `numbered` and its number begin the sentence, and none of `heads` parts them from the match; or
    they are right before it or within it (``all steps of task 4 were done``), or there one of `leads` or
    `owners` and something unknown.
    """
    inside = seen.around.inside
    if any(_is_id(seen, token) for token in inside):
        return True
    for at in range(1, len(inside)):
        if inside[at].word.isdecimal() and words.cues("numbered").at([inside[at - 1].word], 0):
            return True
    scopes, after = words.cues("scopes"), seen.around.after
    after = after[words.cues("tails").at([token.word for token in after], 0) if after else 0 :]
    for at, token in enumerate(inside):
        row = inside[at:]
        if scopes.at([token.word], 0) and (_is_part(seen, row[1:], words) or _is_unnamed(seen, row, words)):
            return True
    if after and after[0].level == JOINED and scopes.at([after[0].word], 0):
        cut = next((n for n in range(1, len(after)) if after[n].level >= COMMA), len(after))
        return _is_part(seen, after[1:cut], words) or _is_unknown(after[:cut], words)
    if after and _is_limit(seen, after, words):
        return True
    before = seen.around.before[::-1]
    if before and _is_named(seen, before, words):
        return True
    if not before or seen.own < len(before):
        return False
    leads = words.cues("leads")
    if (leads if leads.written else scopes).at([before[0].word], 0):
        # `open_scope` 1: the language writes no comma behind a part at the head of a sentence
        unparted = len(before) if words.limit("open_scope", 0) else 0
        comma = next((n for n in range(1, len(before)) if before[n].level >= COMMA), unparted)
        return _is_part(seen, before[1 : comma + 1], words)
    return _numbered_subject(seen, before, words)


def _is_named(seen: MatchContext, before: Sequence[Token], words: GuardWords) -> bool:
    """Return whether the words right before the match name a part (``US-02: all done``, ``epic A: …``)."""
    last = max(0, len(before) - 2)
    if seen.text.original[before[-1].end : seen.match.start].strip() not in _TITLED:
        return False
    return any(_is_id(seen, token) for token in before[last:]) or _is_numbered(before, last, words)


def _numbered_subject(seen: MatchContext, before: Sequence[Token], words: GuardWords) -> bool:
    """Return whether the sentence speaks of a numbered part (``phase 2 is 100% complete``)."""
    if not (_is_id(seen, before[0]) or _is_numbered(before, 0, words)):
        return False
    between = seen.text.folded[before[0].start : seen.match.start]
    return not any(mark in between for mark in structure.COMMAS + ";") and not any(
        words.cues("heads").at([token.word], 0) for token in before
    )


def _is_unknown(row: Sequence[Token], words: GuardWords) -> bool:
    """Return whether `row` is one of `leads`, one of `articles` and something that is not the whole."""
    if len(row) < 3 or not words.cues("leads").at([row[0].word], 0):
        return False
    near = row[2 : SCOPE + 1]
    known = any(words.cues("wholes").at([token.word], 0) for token in near)
    return bool(words.cues("articles").at([row[1].word], 0)) and not known


def _is_limit(seen: MatchContext, after: Sequence[Token], words: GuardWords) -> bool:
    """Return whether what follows limits the match (``as far as masts go``) or names a task in brackets."""
    if words.cues("limits").at([token.word for token in after], 0):
        return True
    between = seen.text.original[seen.match.end : after[0].start]
    return between.strip() in _BRACKETS and _is_id(seen, after[0])


def _is_numbered(row: Sequence[Token], at: int, words: GuardWords) -> bool:
    """Return whether one of `numbered` is there with its number or letter (``epic A``)."""
    if at + 1 >= len(row) or not words.cues("numbered").at([row[at].word], 0):
        return False
    number = row[at + 1].word
    return number.isdecimal() or (len(number) == 1 and number.isalpha() and number != row[at].word)


def _is_id(seen: MatchContext, token: Token) -> bool:
    """Return whether the id of a task begins with a word (``US-02``), or is it with a mark (``#7``)."""
    text = seen.text.original
    word = text[token.start : token.end]
    if word.isdecimal():
        return text[token.start - 1 : token.start] == _NUMBER
    return (
        word.isupper()
        and text[token.end : token.end + 1] == _DASH
        and text[token.end + 1 : token.end + 2].isdecimal()
    )


def _is_unnamed(seen: MatchContext, row: Sequence[Token], words: GuardWords) -> bool:
    """
    Return whether `row`, a preposition and what follows, limits what the match counts to something unknown.

    ``all tasks of the mailer are done``: what is none of `wholes` is a part behind one of `totals`.
    """
    start, end = seen.match.parts[0]
    total = words.cues("totals").at([seen.text.folded[start:end]], 0)
    if not total or len(row) < 2 or row[0].start < seen.match.parts[-2][1]:
        return False
    if not words.cues("leads").at([row[0].word], 0) and not words.cues("owners").at([row[0].word], 0):
        return False
    near = row[1 : SCOPE + 1]
    return not near[0].word.isdecimal() and not any(words.cues("wholes").at([t.word], 0) for t in near)


def _is_part(seen: MatchContext, row: Sequence[Token], words: GuardWords) -> bool:
    """Return whether the first words of `row` name a part, and not the whole."""
    parts, wholes, text = words.cues("parts"), words.cues("wholes"), seen.text.original
    near = row[:SCOPE]
    if any(_is_id(seen, token) or _is_numbered(near, at, words) for at, token in enumerate(near)):
        return True
    if not near or any(wholes.at([token.word], 0) for token in near):
        return False
    if any(parts.at([token.word], 0) for token in near):
        return True
    return text[near[0].start - 1 : near[0].start] == "`" or any(
        text[t.end : t.end + 1] in ("/", ".") and text[t.end + 1 : t.end + 2].isalnum() for t in near
    )
