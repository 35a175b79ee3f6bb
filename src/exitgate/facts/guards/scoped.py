"""`scoped`: the match is said of a part (``nothing is left to do in this file``)."""

from __future__ import annotations

from exitgate.facts import structural
from exitgate.facts.scan_sentences import COMMA, JOINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.guards.seen import GuardWords, Seen
    from exitgate.facts.scan_sentences import Token

#: Words behind a preposition in which a part is looked for.
SCOPE = 5


def holds(seen: Seen, words: GuardWords) -> bool:
    """
    Return whether the sentence speaks of a part.

    Groups: one of `scopes` and then, within five words, one of `parts` or something written as code,
    unless one of `wholes` stands there; behind the match, or at the head of its sentence up to a comma
    (there one of `leads`, where a lexicon names them), or within it. Or the sentence begins with one of
    `numbered` and its number, and none of `heads` parts it from the match; or those stand within the
    match (``all steps of task 4 were done``), or there one of `leads` or `owners` and something unknown.
    """
    inside = seen.around.inside
    for at in range(1, len(inside)):
        if inside[at].word.isdecimal() and words.cues("numbered").at([inside[at - 1].word], 0):
            return True
    scopes, after = words.cues("scopes"), seen.around.after
    for at, token in enumerate(inside):
        row = inside[at:]
        if scopes.at([token.word], 0) and (_is_part(seen, row[1:], words) or _is_unnamed(seen, row, words)):
            return True
    if after and after[0].level == JOINED and scopes.at([after[0].word], 0):
        cut = next((n for n in range(1, len(after)) if after[n].level >= COMMA), len(after))
        return _is_part(seen, after[1:cut], words)
    before = seen.around.before[::-1]
    if not before or seen.own < len(before):
        return False
    leads = words.cues("leads")
    if (leads if leads.written else scopes).at([before[0].word], 0):
        # `open_scope` 1: the language writes no comma behind a part at the head of a sentence
        unparted = len(before) if words.limit("open_scope", 0) else 0
        comma = next((n for n in range(1, len(before)) if before[n].level >= COMMA), unparted)
        return _is_part(seen, before[1 : comma + 1], words)
    return _numbered_subject(seen, before, words)


def _numbered_subject(seen: Seen, before: Sequence[Token], words: GuardWords) -> bool:
    """Return whether the sentence speaks of a numbered part (``phase 2 is 100% complete``)."""
    if len(before) < 2 or not (words.cues("numbered").at([before[0].word], 0) and before[1].word.isdecimal()):
        return False
    between = seen.text.folded[before[0].start : seen.match.start]
    return not any(mark in between for mark in structural.COMMAS + ";") and not any(
        words.cues("heads").at([token.word], 0) for token in before
    )


def _is_unnamed(seen: Seen, row: Sequence[Token], words: GuardWords) -> bool:
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


def _is_part(seen: Seen, row: Sequence[Token], words: GuardWords) -> bool:
    """Return whether the first words of `row` name a part, and not the whole."""
    parts, wholes, text = words.cues("parts"), words.cues("wholes"), seen.text.original
    near = row[:SCOPE]
    if not near or any(wholes.at([token.word], 0) for token in near):
        return False
    if any(parts.at([token.word], 0) for token in near):
        return True
    return text[near[0].start - 1 : near[0].start] == "`" or any(
        text[t.end : t.end + 1] in ("/", ".") and text[t.end + 1 : t.end + 2].isalnum() for t in near
    )
