"""
Which words stand where in a text, by stretches: most phrases are passed over without a look.

The words are ASCII runs of letters and digits in lower case, as bytes: what is cheap to take out of a
text of any length. A word of a phrase is looked up by its runs; one that holds other letters is not
looked up, and counts as there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Characters of a stretch.
STRETCH = 2_048
#: Characters by which a stretch reaches into the next, so that no word is cut in two.
OVERLAP = 64
#: Characters outside ASCII whose lower case is an ASCII letter: a text with them is looked at everywhere.
DISGUISED = "\u0130\u212a"
#: Texts longer than this many characters keep no words: they are read again for each lexicon.
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
    What must stand in a stretch, or it and the next, for a phrase to occur.

    Args:
        slots: For each word of the phrase its alternatives, folded.

    `sets` has, for each word of the phrase that can be looked up, one run of each alternative; `key`
    is the number of the word that is likely the rarest.
    """

    __slots__ = ("key", "sets")

    def __init__(self, slots: Sequence[Sequence[str]]) -> None:
        sets = []
        for slot in slots:
            each = [runs(word) for word in slot]
            if all(each):
                sets.append(frozenset(max(one, key=len) for one in each))
        self.sets = tuple(sorted(sets, key=lambda one: (-min(map(len, one)), len(one))))
        self.key = max(range(len(slots)), key=lambda n: (min(map(len, slots[n])), -len(slots[n])))


class Stretches:
    """
    The words of a text, stretch by stretch.

    Args:
        text: The text, folded or not.
    """

    __slots__ = ("_all", "_blind", "_sets", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._blind = not text.isascii() and any(mark in text for mark in DISGUISED)
        self._sets: list[set[bytes]] | None = None
        self._all: set[bytes] | None = None

    def words(self) -> set[bytes] | None:
        """Return all words of the text; None when they cannot be told."""
        if self._blind:
            return None
        if self._all is None:
            self._all = set().union(*self._each())
        return self._all

    def holding(self, wanted: Wanted) -> Iterator[tuple[int, int]]:
        """Yield start and end of the stretches in which a phrase may begin, neighbours made one."""
        if self._blind or not wanted.sets:
            yield 0, len(self._text)
            return
        sets = self._each()
        first = -1
        for number, here in enumerate(sets):
            following = sets[number + 1] if number + 1 < len(sets) else here
            there = True
            for one in wanted.sets:
                if one.isdisjoint(here) and one.isdisjoint(following):
                    there = False
                    break
            if there and first < 0:
                first = number
            elif not there and first >= 0:
                yield first * STRETCH, number * STRETCH
                first = -1
        if first >= 0:
            yield first * STRETCH, len(self._text)

    def _each(self) -> list[set[bytes]]:
        if self._sets is not None:
            return self._sets
        text = self._text
        sets = [
            set(text[at : at + STRETCH + OVERLAP].encode("utf-8", "replace").translate(_PLAIN).split())
            for at in range(0, max(1, len(text)), STRETCH)
        ]
        if len(text) <= KEPT:
            self._sets = sets
        return sets
