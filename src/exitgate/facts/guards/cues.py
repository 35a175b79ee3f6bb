"""Words and short word sequences that a guard looks for in a row of words."""

from __future__ import annotations

from exitgate.facts import words
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Leads a cue that stands for every word with that end: ``*n't``.
ANY_START = "*"


class Cues(Value):
    """
    Cues made ready.

    Args:
        written: Each a word, several words in a row, or ``*`` and the end of a word.
    """

    __slots__ = ("_ends", "_firsts", "_longer", "_single", "written")

    def __init__(self, written: Sequence[str]) -> None:
        self.written = tuple(written)
        folded = [words.fold(cue).split() for cue in written]
        self._ends = tuple(c[0][1:] for c in folded if len(c) == 1 and c[0].startswith(ANY_START))
        self._single = frozenset(c[0] for c in folded if len(c) == 1)
        longer: dict[str, list[list[str]]] = {}
        for cue in folded:
            if len(cue) > 1:
                longer.setdefault(cue[0], []).append(cue)
        self._longer = {first: sorted(cues, key=len, reverse=True) for first, cues in longer.items()}
        self._firsts = self._single | longer.keys()

    def at(self, row: Sequence[str], index: int) -> int:
        """Return how many words of `row` the longest cue that starts at `index` takes, or 0."""
        word = row[index]
        for cue in self._longer.get(word, ()):
            if list(row[index : index + len(cue)]) == cue:
                return len(cue)
        return 1 if word in self._single or (self._ends and word.endswith(self._ends)) else 0

    def within(self, row: Sequence[str]) -> bool:
        """Return whether a cue is anywhere in `row`."""
        if not self._ends and self._firsts.isdisjoint(row):
            return False
        return any(self.at(row, index) for index in range(len(row)))


NO_CUES = Cues(())
