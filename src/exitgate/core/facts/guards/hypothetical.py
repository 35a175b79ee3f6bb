"""`hypothetical`: the match speaks of what would, should or will be, or asks."""

from __future__ import annotations

from exitgate.core.facts.text import structure
from exitgate.core.facts.text import words as words_module
from exitgate.core.facts.text.sentences import COMMA, JOINED, STRONG, Token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.guards.catalogue import GuardWords, MatchContext
    from exitgate.core.facts.text.sentences import Surroundings
    from exitgate.core.facts.text.text import Text


#: Lines looked back over for the line that introduces a list.
LIST_REACH = 60
#: Characters of that line that are read.
LABEL_REACH = 120
#: Most words of an answer to a question.
ANSWER = 4
#: Words before a label that may say it is met.
LABEL_WORDS = 6


def holds(seen: MatchContext, words: GuardWords) -> bool:
    """
    Return whether the match is conditional, future, wanted or asked.

    Groups: `conditions` reach from where they are to the end of the sentence; `times` to the
    next comma, unless it is one of `since` with one of `deeds` behind it (``after the change``);
    `intents` through `reach` (8) words of their sentence, `abilities` of their clause (``you can
    log in and all is done``), either also inside the match;
    `breaks` end a clause, `assertions` turn an intent into a statement (``should note that``);
    `after` follow the match directly; `labels` are before its colon or head its list, unless
    `labels_met` is with them (``criteria met:``). A question asks unless one of `affirmed` is its
    short answer, an open box of a checklist waits. Behind the match, what begins with one of
    `courtesies` (``let me know if``) is not looked at; `afterthoughts` end their clause (``I think.``).
    One of `targets` right before the last word names where it shall get to (``set all tasks to done``).
    """
    around = seen.around
    if around.ends_with and around.ends_with in structure.QUESTIONS and not _affirmed(around, words):
        return True
    if _behind(around.after, words):
        return True
    inside = [token.word for token in around.inside]
    if words.cues("intents").within(inside) or words.cues("abilities").within(inside):
        return True
    if words.cues("conditions").within(inside):
        return True
    if inside and words.cues("targets").at(inside, len(inside) - 1) and _leads_to_last(seen):
        return True
    return _before(seen, words) or _listed(seen, words)


def _affirmed(around: Surroundings, words: GuardWords) -> bool:
    answer = [token.word for token in around.following]
    return 0 < len(answer) <= ANSWER and words.cues("affirmed").at(answer, 0) > 0


def _leads_to_last(seen: MatchContext) -> bool:
    """Return whether the last word of the gaps is right before the last word of the phrase."""
    parts = seen.match.parts
    return len(parts) > 1 and seen.around.inside[-1].start >= parts[-2][1]


def _behind(after: Sequence[Token], words: GuardWords) -> bool:
    row = [token.word for token in after]
    courtesies, afterthoughts = words.cues("courtesies"), words.cues("afterthoughts")
    cut = next((index for index in range(len(row)) if courtesies.at(row, index)), len(row))
    row = row[:cut]
    if row and after[0].level < STRONG and words.cues("after").at(row, 0):
        return True
    for index in range(len(row)):
        if after[index].level < STRONG and words.cues("conditions").at(row, index):
            return True
        end = index + afterthoughts.at(row, index)
        if end > index and (end == len(after) or after[end].level > JOINED):
            return True
    return False


def _before(seen: MatchContext, words: GuardWords) -> bool:
    text, before = seen.text, seen.around.before
    row = [token.word for token in reversed(before)]
    reach = words.limit("reach", 8)
    clause = comma = True
    asserted = False
    for distance, token in enumerate(before):
        index = len(row) - 1 - distance
        if token.level >= STRONG:
            if clause and _colon(text, token.end) and _labels(row[: index + 1], words):
                return True
            clause = False
        comma = comma and token.level < COMMA
        if words.cues("conditions").at(row, index):
            return clause
        if comma and clause and words.cues("times").at(row, index) and not _is_since(row, index, words):
            return True
        asserted = asserted or words.cues("assertions").at(row, index) > 0
        near = clause and comma and distance < reach and not asserted
        if near and (words.cues("intents").at(row, index) or _able(seen, row, index, words)):
            return True
        if words.cues("breaks").at(row, index):
            clause = False
    return False


def _is_since(row: Sequence[str], index: int, words: GuardWords) -> bool:
    """Return whether a time is that of something done (``after fixing it``, ``after my change``)."""
    behind = index + words.cues("since").at(row, index)
    deeds = words.cues("deeds")
    return behind > index and any(deeds.at(row, at) for at in range(behind, min(behind + 2, len(row))))


def _able(seen: MatchContext, row: Sequence[str], index: int, words: GuardWords) -> bool:
    return len(row) - 1 - index < seen.own and words.cues("abilities").at(row, index) > 0


def _colon(text: Text, end: int) -> bool:
    """Return whether a colon follows the word that ends at `end`, marks of emphasis left out."""
    return text.folded[end : end + 4].lstrip(structure.EMPHASIS + " ").startswith((":", "\uff1a"))


def _labels(row: Sequence[str], words: GuardWords) -> bool:
    """
    Return whether `row`, what is before a colon, ends with a label (`next steps:`) not yet met.

    One of `lone_labels` must be all that is there (``open:``, not ``one is open:``).
    """
    if row and words.cues("lone_labels").at(row, 0) == len(row):
        return True
    for first in range(max(0, len(row) - 4), len(row)):
        if words.cues("labels").at(row, first) == len(row) - first:
            return not words.cues("labels_met").within(row[max(0, first - LABEL_WORDS) : first])
    return False


def _listed(seen: MatchContext, words: GuardWords) -> bool:
    """Return whether the match is in an open box, or in a list under a label."""
    text, lines = seen.text, seen.text.lines
    number = lines.number(lines.paragraph(seen.match.start)[0])
    start, end = lines.span(number)
    first = text.original[start : min(end, start + LABEL_REACH)].strip()
    mark = structure.list_mark(first)
    if not mark:
        return False
    if structure.is_open_box(first[mark:]):
        return True
    for above in range(number - 1, max(-1, number - LIST_REACH), -1):
        start, end = lines.span(above)
        line = text.original[start : min(end, start + LABEL_REACH)]
        if line.strip() and not structure.list_mark(line.strip()) and not line[0].isspace():
            heads = structure.is_heading(line.strip()) or line.rstrip(" *_").endswith((":", "\uff1a"))
            return heads and _labels(_words_of(text, start, start + len(line)), words)
    return False


def _words_of(text: Text, start: int, end: int) -> list[str]:
    return [text.folded[a:b] for a, b in words_module.tokens(text.folded, start, end)]
