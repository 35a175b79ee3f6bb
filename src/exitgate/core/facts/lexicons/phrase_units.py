"""
Where in a long text each phrase of a lexicon may be, by one pass of an RE2 set.

A phrase is taken apart into units: words that follow one another without a gap, or one word with letters
outside ASCII. The text goes through the set in stretches; a phrase may begin in a stretch where each of its
units begins in it or the next. To take a long text apart into words costs ten times as much.
"""

from __future__ import annotations

from exitgate.core.facts.text.word_runs import APART, STRETCH, spans_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from exitgate.core.facts.lexicons.phrases import Phrase


#: Characters by which a stretch reaches into the next: the longest unit.
REACH = 256
#: Bytes that the set may use: where they do not do it begins anew, and is slower.
MEMORY = 64 * 1024 * 1024
#: What no ASCII word of a phrase continues with.
_EDGE, _JOINT = "[^0-9a-z]", "[^0-9a-z]+"


class Units(Value):
    """
    The units of phrases.

    Args:
        phrases: The phrases.

    The set is compiled when it is first asked.
    """

    __slots__ = ("_each", "_set", "_written", "phrases")

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        numbers: dict[str, int] = {"": 0}
        self.phrases = tuple(phrases)
        self._each = tuple(
            tuple(numbers.setdefault(unit, len(numbers)) for unit in _units(phrase))
            for phrase in self.phrases
        )
        self._written = tuple(numbers)
        self._set: Any = None

    def regions(self, folded: str) -> Iterator[tuple[int, tuple[tuple[int, int], ...]]]:
        """Yield the number of each phrase that may occur in a folded text, and its possible beginning."""
        places = self._places(folded)
        for number, units in enumerate(self._each):
            there = places[0]
            for unit in units:
                here = places.get(unit, 0)
                there &= here | (here >> 1)
                if not there:
                    break
            else:
                yield number, tuple(spans_of(there, len(folded)))
                continue
            # a phrase of more than a stretch is looked for everywhere
            if self.phrases[number].extent > STRETCH and all(unit in places for unit in units):
                yield number, ((0, len(folded)),)

    def _places(self, folded: str) -> dict[int, int]:
        """Return for each unit the stretches it begins in, as bits; unit 0 begins in all of them."""
        together = self._set if self._set is not None else self._together()
        count = len(folded) // STRETCH + 1
        found: dict[int, bytearray] = {}
        for number in range(count):
            at = number * STRETCH
            piece = folded[at : at + STRETCH + REACH].encode("utf-8", "replace")
            # a set that says nothing has failed: then everything may be there
            for unit in together.Match(piece) or range(len(self._written)):
                bits = found.get(unit)
                if bits is None:
                    bits = found[unit] = bytearray(count // 8 + 1)
                bits[number >> 3] |= 1 << (number & 7)
        return {unit: int.from_bytes(bits, "little") for unit, bits in found.items()}

    def _together(self) -> Any:
        import re2

        options = re2.Options()
        options.max_mem = MEMORY
        options.log_errors = False
        self._set = re2.Set.SearchSet(options)
        for unit in self._written:
            self._set.Add(unit)
        self._set.Compile()
        return self._set


def _units(phrase: Phrase) -> Iterator[str]:
    """Yield the units of a phrase as patterns."""
    run: list[str] = []
    width = 0
    for slot, gap in zip(phrase.slots, phrase.gaps, strict=True):
        plain = all(word.isascii() and word[0].isalnum() and word[-1].isalnum() for word in slot)
        wide = max(map(len, slot)) + APART
        if run and (gap or not plain or width + wide > REACH):
            yield _edged(run)
            run, width = [], 0
        if plain and wide <= REACH:
            run.append(_either(slot))
            width += wide
        elif wide <= REACH:
            yield _either(slot)
    if run:
        yield _edged(run)


def _edged(run: Sequence[str]) -> str:
    return f"(?:^|{_EDGE}){_JOINT.join(run)}(?:{_EDGE}|$)"


def _either(slot: Sequence[str]) -> str:
    import re2

    return f"(?:{'|'.join(re2.escape(word) for word in slot)})"
