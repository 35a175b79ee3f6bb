"""What is around a match: its sentence before and behind it, and the sentence after that."""

from __future__ import annotations

from exitgate.core.facts.text import structure, words
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.text.text import Match, Text

    #: Words behind a match, those of the next sentence, the mark between, where the first ends.
    Behind = tuple[tuple["Token", ...], tuple["Token", ...], str, int]


#: How far around a match is looked, in characters.
REACH = 320
#: At most so many words on each side.
MOST = 60
#: Marks and blanks between two words, beyond which the one opens what follows.
MARKS = 40
#: How strongly what is between two words parts them.
JOINED, COMMA, STRONG, SENTENCE = 0, 1, 2, 3


class Token(Value):
    """
    A folded word at ``start..end`` of the text.

    `level` says how strongly it is parted from its neighbour on the match's side: `JOINED`,
    `COMMA`, `STRONG` (colon, dash, bracket, semicolon) or `SENTENCE`.
    """

    __slots__ = ("end", "level", "start", "word")

    def __init__(self, word: str, start: int, end: int, level: int) -> None:
        self.word = word
        self.start = start
        self.end = end
        self.level = level


class Surroundings(Value):
    """
    The words around a match, as far as `REACH` and the paragraph go.

    Args:
        before: Words of the sentence before the match, nearest first.
        inside: Words within the match that are none of the phrase's own.
        after: Words of the sentence behind the match, nearest first.
        following: Words of the next sentence, its level relative to the word before.
        ends_with: The mark that ends the sentence, or ``""``.
        left, right: Offsets of the sentence.
    """

    __slots__ = ("after", "before", "ends_with", "following", "inside", "left", "right")

    def __init__(
        self,
        before: tuple[Token, ...],
        inside: tuple[Token, ...],
        after: tuple[Token, ...],
        following: tuple[Token, ...],
        ends_with: str,
        left: int,
        right: int,
    ) -> None:
        self.before = before
        self.inside = inside
        self.after = after
        self.following = following
        self.ends_with = ends_with
        self.left = left
        self.right = right


def surroundings(text: Text, match: Match) -> Surroundings:
    """Return what is around `match`. Costs at most a constant times `REACH`."""
    first, stop = text.lines.paragraph(match.start)
    stop = max(stop, match.end)
    first = max(first, match.start - _reach(text, match.start - 1))
    last = min(stop, match.end + _reach(text, match.end))
    before, left = _before(text, first, match.start)
    inside = _inside(text, match)
    after, following, ends_with, right = _after(text, match.end, last)
    if not following and last == stop:
        following = _next_paragraph(text, last, match.end + REACH)
    return Surroundings(before, inside, after, following, ends_with, left, right)


def _reach(text: Text, at: int) -> int:
    """Return how many characters are looked at: where each is a word, only as many as words are."""
    unspaced = 0 <= at < len(text.folded) and words.is_unspaced(text.folded[at])
    return MOST if unspaced else REACH


def opens(text: Text, start: int) -> bool:
    """Return whether what begins at `start` are the first words of a sentence, clause or paragraph."""
    first = max(text.lines.paragraph(start)[0], start - MARKS)
    at = start
    while at > first and not words.is_word(text.folded[at - 1]):
        at -= 1
    return at <= first or level_of(text.folded[at:start]) >= STRONG


def closes(text: Text, end: int) -> bool:
    """Return whether what ends at `end` are the last words of a sentence, clause or paragraph."""
    last = min(max(text.lines.paragraph(end - 1)[1], end), end + MARKS)
    at = end
    while at < last and not words.is_word(text.folded[at]):
        at += 1
    return at >= last or level_of(text.folded[end:at]) >= STRONG


def sentence_end(text: Text, end: int) -> int:
    """Return where the sentence that continues after `end` ends, at most `REACH` further."""
    last = min(max(text.lines.paragraph(max(0, end - 1))[1], end), end + REACH)
    at = end
    while at < last:
        letter = text.folded[at]
        at += 1
        if letter in structure.SENTENCE_ENDS and (
            letter in structure.FULL_WIDTH_ENDS
            or at >= last
            or not (words.is_word(text.folded[at]) or text.folded[at] in structure.SENTENCE_ENDS)
        ):
            return at
    return last


def asks(text: Text, end: int) -> bool:
    """Return whether the sentence that continues after `end` ends with a question mark."""
    stop = sentence_end(text, end)
    return any(mark in text.folded[max(end, stop - 3) : stop] for mark in structure.QUESTIONS)


def leads(text: Text, end: int) -> bool:
    """Return whether what ends at `end` is a label: a colon or dash, then more words, on its line."""
    last = min(text.lines.span(text.lines.number(max(0, end - 1)))[1], end + MARKS)
    at = end
    while at < last and not words.is_word(text.folded[at]):
        at += 1
    return at < last and level_of(text.folded[end:at]) == STRONG


def is_open(text: Text, end: int, most: int) -> bool:
    """
    Return whether at most `most` words of prose follow the sentence that continues after `end`.

    Lists, tables, code and fields are not prose.
    """
    lines = text.lines
    at = sentence_end(text, end)
    number = lines.number(at)
    left = most - len(words.tokens(text.folded, at, lines.span(number)[1]))
    for later in range(number + 1, len(lines.starts)):
        if left < 0:
            return False
        start, stop = lines.span(later)
        line = text.original[start : min(stop, start + 200)].strip()
        if not line or text.blocks.of_line(later) or structure.begins_block(line):
            continue
        left -= len(words.tokens(text.folded, start, min(stop, start + (most + 1) * 40)))
    return left >= 0


def level_of(separator: str) -> int:
    """Return how strongly `separator`, the characters between two words, parts them."""
    level = JOINED
    spaced = False
    for at in range(len(separator) - 1, -1, -1):
        letter = separator[at]
        if letter.isspace():
            spaced = True
        elif letter in structure.SENTENCE_ENDS:
            if spaced or letter in structure.FULL_WIDTH_ENDS:
                return SENTENCE
        elif letter in structure.STRONG_MARKS or _dash(separator, at):
            level = STRONG
        elif letter in structure.COMMAS:
            level = max(level, COMMA)
    return level


def _dash(separator: str, at: int) -> bool:
    """Return whether a hyphen stands for a dash: alone between blanks, doubled, or in an arrow."""
    if separator[at] not in "->":
        return False
    left, right = separator[at - 1 : at] if at else "", separator[at + 1 : at + 2]
    return left == "-" or (left.isspace() and right.isspace())


def _before(text: Text, first: int, start: int) -> tuple[tuple[Token, ...], int]:
    near = _sentence_start(text.folded, first, start)
    if near > first:
        found, edge = _before_from(text, near, start)
        if edge is not None:
            return found, edge
    found, edge = _before_from(text, first, start)
    return found, first if edge is None else edge


def _before_from(text: Text, first: int, start: int) -> tuple[tuple[Token, ...], int | None]:
    """Return the words before `start`, and where they begin: None where that is not later than `first`."""
    found: list[Token] = []
    edge = start
    folded = text.folded
    for begin, end in reversed(words.tokens(folded, first, start)):
        level = JOINED if edge - end == 1 and folded[end] == " " else level_of(folded[end:edge])
        if level == SENTENCE:
            return tuple(found), end
        found.append(Token(folded[begin:end], begin, end, level))
        if len(found) >= MOST:
            return tuple(found), begin
        edge = begin
    return tuple(found), None


def _sentence_start(folded: str, first: int, start: int) -> int:
    """Return a place just before the last sentence that certainly ends in ``first..start``, or `first`."""
    at = -1
    for mark in _STOPS:
        at = max(at, folded.rfind(mark, max(first, at), start))
    return max(first, at - MARKS) if at >= 0 else first


def _sentences_end(folded: str, end: int, last: int) -> int:
    """Return a place a little behind two sentences that certainly end in ``end..last``, or `last`."""
    for _ in range(2):
        nearest = last
        for mark in _STOPS:
            at = folded.find(mark, end, nearest)
            nearest = at if at >= 0 else nearest
        if nearest == last:
            return last
        end = nearest + 1
    return min(last, end + MARKS)


#: Stops that end a sentence for certain; others may.
_STOPS = tuple(mark + blank for blank in " \n" for mark in structure.SENTENCE_ENDS if mark.isascii())


def _inside(text: Text, match: Match) -> tuple[Token, ...]:
    found: list[Token] = []
    for (_, left), (right, _) in zip(match.parts, match.parts[1:], strict=False):
        found.extend(Token(text.folded[a:b], a, b, JOINED) for a, b in words.tokens(text.folded, left, right))
    return tuple(found)


def _after(text: Text, end: int, last: int) -> Behind:
    near = _sentences_end(text.folded, end, last)
    found, enough = _after_until(text, end, near)
    return found if enough or near == last else _after_until(text, end, last)[0]


def _after_until(text: Text, end: int, last: int) -> tuple[Behind, bool]:
    """Return what is in ``end..last``, and whether nothing behind `last` could change it."""
    after: list[Token] = []
    following: list[Token] = []
    ends_with, right = "", last
    here = after
    edge = end
    folded = text.folded
    for begin, stop in words.tokens(folded, end, last):
        separator = folded[edge:begin]
        level = JOINED if separator == " " else level_of(separator)
        if len(here) >= MOST or (level == SENTENCE and here is following):
            break
        if level == SENTENCE:
            here, ends_with, right = following, _stop(separator), edge
        here.append(Token(folded[begin:stop], begin, stop, level))
        edge = stop
    else:
        if here is after:
            ends_with, right = _stop(folded[edge:last]), edge
        return (tuple(after), tuple(following), ends_with, right), False
    return (tuple(after), tuple(following), ends_with, right), True


def _stop(separator: str) -> str:
    marks = [c for c in separator if c in structure.SENTENCE_ENDS]
    asked = [c for c in marks if c in structure.QUESTIONS]
    return (asked or marks or [""])[0]


def _next_paragraph(text: Text, start: int, limit: int) -> tuple[Token, ...]:
    """Return the first words behind a paragraph, up to the end of their sentence."""
    found: list[Token] = []
    edge = start
    limit = min(limit, len(text.folded))
    while edge < limit and text.folded[edge].isspace():
        edge += 1
    gap = text.folded.find("\n\n", edge, limit)
    edge = start
    for begin, stop in words.tokens(text.folded, start, limit if gap < 0 else gap):
        level = level_of(text.folded[edge:begin]) if found else SENTENCE
        if found and (level == SENTENCE or "\n\n" in text.folded[edge:begin]):
            break
        found.append(Token(text.folded[begin:stop], begin, stop, level))
        edge = stop
    return tuple(found)
