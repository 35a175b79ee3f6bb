"""
Phrases: literal words in order, found in time linear in the text.

A phrase is written as words: ``all tests pass|passing``. A bar separates alternatives of one word.
Between two words may be blanks, one line end and marks of emphasis; ``...`` allows up to K
further words of the same sentence (``nothing ... left``), in place of ``.*``.
"""

from __future__ import annotations

from exitgate.core.facts.text import structure, words
from exitgate.core.facts.text.text import MATCH_LIMIT, Match
from exitgate.core.facts.text.word_runs import APART as JOINT
from exitgate.core.facts.text.word_runs import STRETCH, Wanted
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.core.facts.text.text import Text

    Parts = tuple[tuple[int, int], ...]


#: Words a gap may hold unless the entry sets its own number.
WITHIN = 5
#: Characters of a longer word in a gap are taken for several words.
WORD = 64


class Phrase(Value):
    """
    A phrase taken apart: for each word its alternatives (folded) and how many words may be before.

    `entry` is the id of the lexicon entry; `wanted` says what must be there; `lead` is how far, in
    characters, its first word may be before the word `wanted.key`, `extent` how long it can be.
    """

    __slots__ = ("entry", "extent", "gaps", "lead", "slots", "wanted")

    def __init__(self, entry: str, slots: tuple[tuple[str, ...], ...], gaps: tuple[int, ...]) -> None:
        self.entry = entry
        self.slots = slots
        self.gaps = gaps
        self.wanted = Wanted(slots, gaps)
        widths = [max(map(len, slot)) + JOINT for slot in slots]
        until = [gap * (WORD + JOINT) for gap in gaps]
        self.lead = sum(widths[: self.wanted.key]) + sum(until[: self.wanted.key + 1])
        self.extent = sum(widths) + sum(until)


def phrase(entry: str, written: str, within: int = WITHIN) -> Phrase:
    """Return `written` taken apart. Raises ValueError when it holds no word."""
    slots: list[tuple[str, ...]] = []
    gaps: list[int] = []
    gap = 0
    for piece in words.fold(written).split():
        if piece in structure.GAP:
            gap = within
            continue
        alternatives = tuple(a for a in piece.split("|") if a)
        if not alternatives:
            continue
        slots.append(alternatives)
        gaps.append(gap if len(slots) > 1 else 0)
        gap = 0
    if not slots:
        raise ValueError(f"phrase `{written}` has no word")
    return Phrase(entry, tuple(slots), tuple(gaps))


def find(text: Text, wanted: Phrase, regions: Iterable[tuple[int, int]] | None = None) -> Iterator[Match]:
    """
    Yield the matches of the phrase that do not overlap, from left to right, at most `MATCH_LIMIT`.

    Args:
        text: The text.
        wanted: The phrase.
        regions: Start and end of the stretches in which it may begin, in order, where they are known.

    Work is bounded by the occurrences of its rarest word times the words its gaps may hold.
    """
    if regions is None:
        whole = ((0, len(text.folded)),)
        regions = text.stretches.holding(wanted.wanted) if wanted.extent <= STRETCH else whole
    reached = found = 0
    for low, high in regions:
        for start, end in _starts(text, wanted, low, high):
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


def _starts(text: Text, wanted: Phrase, low: int, high: int) -> Iterator[tuple[int, int]]:
    """
    Yield the spans in ``low..high`` of the phrase's first word, by offset, the longest first.

    Where another word is likely rarer, only those near enough before it.
    """
    first, key = wanted.slots[0], wanted.wanted.key
    if key == 0:
        yield from _whole_of(text, first, low, high)
        return
    begin = end = low
    for at in _anywhere(text.folded, wanted.slots[key], low, min(len(text.folded), high + wanted.lead)):
        if at - wanted.lead > end:
            yield from _whole_of(text, first, begin, end)
            begin = at - wanted.lead
        end = min(at, high)
    yield from _whole_of(text, first, begin, end)


def _anywhere(folded: str, alternatives: tuple[str, ...], low: int, high: int) -> list[int]:
    """Return, in order, where one of `alternatives` is, also inside another word."""
    found = []
    for word in alternatives:
        at = folded.find(word, low, high)
        while at >= 0:
            found.append(at)
            at = folded.find(word, at + 1, high)
    if len(alternatives) > 1:
        found.sort()
    return found


def _whole_of(text: Text, alternatives: tuple[str, ...], low: int, high: int) -> list[tuple[int, int]]:
    """Return the spans of whole words among `alternatives` that begin in ``low..high``, the longest first."""
    folded, original = text.folded, text.original
    found = []
    for word in alternatives:
        width = len(word)
        last = high + width - 1
        at = folded.find(word, low, last)
        plain = word[0].isascii()
        while at >= 0:
            # most of a short word's occurrences are inside another: seen without a call
            inside = plain and at > 0 and "a" <= folded[at - 1] <= "z"
            if not inside and words.starts_word(original, at) and words.ends_word(original, at + width):
                found.append((at, at + width))
            at = folded.find(word, at + 1, last)
    if len(alternatives) > 1:
        found.sort(key=_by_place)
    return found


def _by_place(span: tuple[int, int]) -> tuple[int, int]:
    return span[0], -span[1]


def _grow(text: Text, wanted: Phrase, start: int, end: int) -> Parts | None:
    """
    Return the spans of all words of the phrase whose first word is at ``start..end``, or None.

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
    last = len(folded)
    if gap:
        # no step is taken that cannot lead to a word of the slot
        stop = at + (gap + 1) * (WORD + JOINT) + max(map(len, slot))
        last = max(folded.rfind(word, at, stop) for word in slot)
    for skipped in range(gap + 1):
        begin = joint(folded, at, comma=gap > 0)
        if begin < 0 or begin > last:
            return
        if folded.startswith(slot, begin) and words.starts_word(original, begin):
            for word in slot:
                end = begin + len(word)
                if folded.startswith(word, begin) and words.ends_word(original, end):
                    yield begin, end
        if skipped < gap:
            at = words.word_end(folded, begin, min(len(folded), begin + WORD))


def joint(folded: str, at: int, comma: bool = False) -> int:
    """
    Return where the next word begins behind offset `at`, or -1 when the phrase cannot go on there.

    Blanks, one line end, marks of emphasis and a hyphen join words; inside a gap a comma does too, and
    what belongs to numbers (``100%``, ``5/5``, ``v3.0``).
    """
    if folded[at : at + 1] == " " and "a" <= folded[at + 1 : at + 2] <= "z":
        return at + 1
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
            or letter in structure.EMPHASIS
            or letter in words.HYPHENS
            or letter in structure.INVISIBLE
            or (comma and (letter in structure.COMMAS or _numeric(folded, at)))
        ):
            return -1
        at += 1
    return -1


def _numeric(folded: str, at: int) -> bool:
    """Return whether the mark at `at` is a percent sign behind a digit, or is between two digits."""
    if not folded[at - 1 : at].isdigit():
        return False
    return folded[at] == "%" or (folded[at] in "/." and folded[at + 1 : at + 2].isdigit())
