"""
Which words are where in a text, by stretches: most phrases are passed over without a look.

The words are ASCII runs of letters and digits in lower case, as bytes: what is cheap to take out of a
text of any length. A word of a phrase is looked up by its runs; one that holds other letters is not
looked up, and counts as present. The stretches in which a word is are the bits of a number.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: Characters of a stretch.
STRETCH = 1_024
#: Characters by which a stretch reaches into the next, so that no word is cut in two.
OVERLAP = 64
#: Characters that may be between two words of a phrase.
APART = 12
#: Texts longer than this many characters keep no words by stretch: words are searched in them.
KEPT = 4_000_000

_PLAIN = bytes(
    code + 32 if 65 <= code <= 90 else code if 97 <= code <= 122 or 48 <= code <= 57 else 32
    for code in range(256)
)


def runs(word: str) -> tuple[bytes, ...]:
    """Return the ASCII runs of a folded word, or none when it holds a letter outside ASCII."""
    return tuple(word.encode().translate(_PLAIN).split()) if word.isascii() else ()


class Wanted:
    """
    What must be in a stretch, or it and the next, for a phrase to occur.

    Args:
        slots: For each word of the phrase its alternatives, folded.
        gaps: For each word how many others may be before it.

    `sets` has, for each word of the phrase that can be looked up, one run of each alternative; `pairs`
    has, for two words that follow one another, what may be there: one run of each, and both in full;
    `key` is the number of the word that is likely the rarest.
    """

    __slots__ = ("key", "pairs", "sets")

    def __init__(self, slots: Sequence[Sequence[str]], gaps: Sequence[int]) -> None:
        each = [[runs(word) for word in slot] for slot in slots]
        longest = [[max(one, key=len) for one in slot] if all(slot) else [] for slot in each]
        sets = [frozenset(slot) for slot in longest if slot]
        self.sets = tuple(sorted(sets, key=lambda one: (-min(map(len, one)), len(one))))
        self.key = max(range(len(slots)), key=lambda n: (min(map(len, slots[n])), -len(slots[n])))
        pairs = []
        for n in range(1, len(slots)):
            widest = max(map(len, slots[n - 1])) + max(map(len, slots[n]))
            if gaps[n] or not longest[n - 1] or not longest[n] or widest + APART > OVERLAP:
                continue
            pairs.append(
                tuple(
                    (one, other, b" %b %b " % (b" ".join(runs_), b" ".join(others)))
                    for one, runs_ in zip(longest[n - 1], each[n - 1], strict=True)
                    for other, others in zip(longest[n], each[n], strict=True)
                )
            )
        self.pairs = tuple(pairs)


class Stretches:
    """
    The words of a text, stretch by stretch.

    Args:
        folded: The folded text.
    """

    __slots__ = ("_all", "_folded", "_lines", "_places", "_sets")

    def __init__(self, folded: str) -> None:
        self._folded = folded
        #: Of each stretch its words in a row, between blanks, and which they are.
        self._lines: list[bytes] = []
        self._sets: list[set[bytes]] = []
        self._all: set[bytes] | None = None
        self._places: dict[bytes, int] = {}

    def words(self) -> set[bytes]:
        """Return all words of the text."""
        if self._all is None:
            self._keep()
            self._all = set().union(*(self._sets or map(set, self._each())))
        return self._all

    def holding(self, wanted: Wanted) -> Iterator[tuple[int, int]]:
        """Yield start and end of the stretches in which a phrase may begin, neighbours made one."""
        length = len(self._folded)
        if not wanted.sets:
            yield 0, length
            return
        there = -1
        for one in wanted.sets:
            places = 0
            for word in one:
                places |= self._of(word)
            there &= places | (places >> 1)
            if not there:
                return
        for pair in wanted.pairs if self._lines else ():
            places = 0
            for one_, other, both in pair:
                places |= self._beside(one_, other, both)
            there &= places | (places >> 1)
            if not there:
                return
        yield from spans_of(there, length)

    def _of(self, word: bytes) -> int:
        """Return the stretches that hold `word`, as bits."""
        places = self._places.get(word)
        if places is None:
            self._keep()
            here = [word in words for words in self._sets] if self._sets else self._found(word.decode())
            here.reverse()
            places = self._places[word] = int(bytes(here).translate(_DIGITS), 2)
        return places

    def _beside(self, one: bytes, other: bytes, both: bytes) -> int:
        """Return the stretches that hold two words in a row, as bits."""
        places = self._places.get(both)
        if places is None:
            left = self._of(one) & self._of(other)
            places = 0
            while left:
                bit = left & -left
                if both in self._lines[bit.bit_length() - 1]:
                    places |= bit
                left ^= bit
            self._places[both] = places
        return places

    def _keep(self) -> None:
        if not self._sets and len(self._folded) <= KEPT:
            each = list(self._each())
            self._sets = [set(words) for words in each]
            self._lines = [b" %b " % b" ".join(words) for words in each]

    def _each(self) -> Iterator[list[bytes]]:
        """Yield the words of each stretch, in order."""
        folded = self._folded
        for at in range(0, max(1, len(folded)), STRETCH):
            piece = folded[at : at + STRETCH + OVERLAP]
            yield piece.encode("utf-8", "replace").translate(_PLAIN).split()

    def _found(self, word: str) -> list[bool]:
        """Return for each stretch whether `word` begins in it, also inside another word."""
        here = [False] * (len(self._folded) // STRETCH + 1)
        at = self._folded.find(word)
        while at >= 0:
            number = at // STRETCH
            here[number] = True
            at = self._folded.find(word, (number + 1) * STRETCH)
        return here


def spans_of(there: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the stretches that are bits of `there`, neighbours made one; -1 is all."""
    if there < 0:
        yield 0, length
        return
    number = 0
    while there:
        # the lowest bits that are not set, then those that are
        skipped = (there & -there).bit_length() - 1
        number, there = number + skipped, there >> skipped
        run = (~there & (there + 1)).bit_length() - 1
        yield number * STRETCH, min(length, (number + run) * STRETCH)
        number, there = number + run, there >> run


#: False and True -> digits.
_DIGITS = bytes([48, 49, *range(2, 256)])
