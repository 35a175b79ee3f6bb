"""
Phrases: literal words in order, found in time linear in the text.

A phrase is written as words: ``all tests pass|passing``. A bar separates alternatives of one word.
Between two words may stand blanks, one line end and marks of emphasis; ``...`` allows up to K
further words of the same sentence (``nothing ... left``), in place of ``.*``.
"""

from __future__ import annotations

from exitgate.facts import structural, words
from exitgate.facts.scan import MATCH_LIMIT, Match
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.facts.scan import Text

    Parts = tuple[tuple[int, int], ...]

#: Words a gap may hold unless the entry says otherwise.
WITHIN = 5
#: Characters that may stand between two words of a phrase.
JOINT = 12
#: Characters of a longer word in a gap are taken for several words.
WORD = 64


class Phrase(Value):
    """
    A phrase taken apart: for each word its alternatives (folded) and how many words may stand before.

    `entry` is the id of the lexicon entry.
    """

    __slots__ = ("entry", "gaps", "slots")

    def __init__(self, entry: str, slots: tuple[tuple[str, ...], ...], gaps: tuple[int, ...]) -> None:
        self.entry = entry
        self.slots = slots
        self.gaps = gaps


def phrase(entry: str, written: str, within: int = WITHIN) -> Phrase:
    """Return `written` taken apart. Raises ValueError when it holds no word."""
    slots: list[tuple[str, ...]] = []
    gaps: list[int] = []
    gap = 0
    for piece in words.fold(written).split():
        if piece in structural.GAP:
            gap = within
            continue
        alternatives = tuple(a for a in piece.split("|") if a)
        if not alternatives:
            continue
        slots.append(alternatives)
        gaps.append(gap if len(slots) > 1 else 0)
        gap = 0
    if not slots:
        raise ValueError(f"phrase `{written}` holds no word")
    return Phrase(entry, tuple(slots), tuple(gaps))


def occurs(text: Text, wanted: Phrase) -> bool:
    """Return whether each word of the phrase occurs somewhere: a cheap test that most phrases fail."""
    return all(any(text.has(a) for a in slot) for slot in reversed(wanted.slots))


def find(text: Text, wanted: Phrase) -> Iterator[Match]:
    """
    Yield the matches of the phrase that do not overlap, from left to right, at most `MATCH_LIMIT`.

    Work is bounded by the occurrences of its first word times the words its gaps may hold.
    """
    if not occurs(text, wanted):
        return
    reached = 0
    found = 0
    for start, end in _starts(text, wanted.slots[0]):
        if start < reached:
            continue
        parts = _grow(text, wanted, start, end)
        if parts is None:
            continue
        reached = parts[-1][1]
        found += 1
        yield Match(wanted.entry, start, reached, parts)
        if found >= MATCH_LIMIT:
            return


def _starts(text: Text, alternatives: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield the spans of whole words among `alternatives`, by offset, the longest first."""
    if len(alternatives) == 1:
        yield from _whole(text, alternatives[0])
        return
    from heapq import merge

    each = [_whole(text, word) for word in sorted(alternatives, key=len, reverse=True)]
    yield from merge(*each, key=lambda span: (span[0], -span[1]))


def _whole(text: Text, word: str) -> Iterator[tuple[int, int]]:
    folded, original, width = text.folded, text.original, len(word)
    at = folded.find(word)
    while at >= 0:
        if words.starts_word(original, at) and words.ends_word(original, at + width):
            yield at, at + width
        at = folded.find(word, at + 1)


def _grow(text: Text, wanted: Phrase, start: int, end: int) -> Parts | None:
    """
    Return the spans of all words of the phrase whose first word stands at ``start..end``, or None.

    Keeps, for each word, every offset where it can end with the first way to get there, so trying
    all gaps costs words x gap, not gap to the power of words.
    """
    ways: dict[int, Parts] = {end: ((start, end),)}
    for slot, gap in zip(wanted.slots[1:], wanted.gaps[1:], strict=True):
        further: dict[int, Parts] = {}
        for reached, parts in ways.items():
            for span in _next(text, reached, slot, gap):
                further.setdefault(span[1], (*parts, span))
        if not further:
            return None
        ways = further
    return ways[min(ways)]


def _next(text: Text, at: int, slot: tuple[str, ...], gap: int) -> Iterator[tuple[int, int]]:
    """Yield where a word of `slot` follows the word that ends at `at`, at most `gap` words between."""
    folded, original = text.folded, text.original
    for skipped in range(gap + 1):
        begin = joint(folded, at, comma=gap > 0)
        if begin < 0:
            return
        for word in slot:
            end = begin + len(word)
            if (
                folded.startswith(word, begin)
                and words.starts_word(original, begin)
                and words.ends_word(original, end)
            ):
                yield begin, end
        if skipped < gap:
            at = words.word_end(folded, begin, min(len(folded), begin + WORD))


def joint(folded: str, at: int, comma: bool = False) -> int:
    """
    Return where the next word begins behind offset `at`, or -1 when the phrase cannot go on there.

    Blanks, one line end, marks of emphasis and a hyphen join words; inside a gap a comma does too, and
    what belongs to numbers (``100%``, ``5/5``, ``v3.0``).
    """
    stop = min(len(folded), at + JOINT)
    lines = 0
    while at < stop:
        letter = folded[at]
        if letter != "_" and words.is_word(letter):
            return at
        if letter == "\n":
            lines += 1
            if lines > 1:
                return -1
        elif not (
            letter.isspace()
            or letter in structural.EMPHASIS
            or letter in words.HYPHENS
            or letter in structural.INVISIBLE
            or (comma and (letter in structural.COMMAS or _numeric(folded, at)))
        ):
            return -1
        at += 1
    return -1


def _numeric(folded: str, at: int) -> bool:
    """Return whether the mark at `at` is a percent sign behind a digit, or stands between two digits."""
    if not folded[at - 1 : at].isdigit():
        return False
    return folded[at] == "%" or (folded[at] in "/." and folded[at + 1 : at + 2].isdigit())
