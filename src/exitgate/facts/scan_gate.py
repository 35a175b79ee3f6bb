"""
Which words of lexicons a text has at all, by one pass of an RE2 set of all their words.

Most phrases are in no text, and taking a text apart into words costs five times as much as such a pass. So
the small lexicons that are asked again and again share a set: where it has none of the words of which a
lexicon's phrases need one, none of them is there. The set is made once a few texts were asked about; a
single check asks about fewer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from exitgate.facts.scan import Text

#: Texts that are asked about before a set is worth its making.
ASKED = 6
#: Words of one lexicon, and of all in the set: a set of many words that are in every text is slow.
OWN, TOGETHER = 64, 256
#: Bytes that the set may use.
MEMORY = 16 * 1024 * 1024
_EDGE = "[^0-9a-z]"


class Gate:
    """
    A set of words, each a run of ASCII letters and digits in lower case.

    What a text has of them is kept at the text, with the number of words that were in the set then.
    """

    __slots__ = ("_asked", "_numbers", "_set")

    def __init__(self) -> None:
        #: The empty word is in every text: a set that says nothing has failed.
        self._numbers: dict[bytes, int] = {b"": 0}
        self._set: Any = None
        self._asked = 0

    def numbers(self, words: Collection[bytes]) -> frozenset[int] | None:
        """Have the words in the set and return their numbers in it; None where they are too many."""
        new = [word for word in words if word not in self._numbers]
        if len(words) > OWN or len(self._numbers) + len(new) > TOGETHER:
            return None
        for word in new:
            self._numbers[word] = len(self._numbers)
            self._set = None
        return frozenset(map(self._numbers.__getitem__, words))

    def without(self, numbers: frozenset[int], text: Text) -> bool:
        """
        Return True when none of the words is in the folded text as a whole run of letters and digits.

        False says nothing.
        """
        known = text.gate
        if known is None or known[0] != len(self._numbers):
            if known is None:
                self._asked += 1
            found = self._found(text.folded) if self._asked >= ASKED else frozenset()
            known = text.gate = (len(self._numbers), found)
        return bool(known[1]) and numbers.isdisjoint(known[1])

    def _found(self, folded: str) -> frozenset[int]:
        """Return the numbers of the words that a text has, none where the set has run out of memory."""
        import re2

        if self._set is None:
            options = re2.Options()
            options.max_mem = MEMORY
            options.log_errors = False
            self._set = re2.Set.SearchSet(options)
            for word in self._numbers:
                self._set.Add(f"(?:^|{_EDGE}){word.decode()}(?:{_EDGE}|$)" if word else "^")
            self._set.Compile()
        return frozenset(self._set.Match(folded.encode("utf-8", "replace")) or ())


#: One for all lexicons of a process.
GATE = Gate()
