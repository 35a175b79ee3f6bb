"""
What changes in a message from one time to the next and says nothing about the error.

Positions, times and addresses are noise; counts are not. Which is which is in a lexicon: its entries
with `noise` hold a pattern and what takes its place.
"""

from __future__ import annotations

from exitgate.facts.scan_patterns import PIECE, Patterns
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.facts.lexicon import Entry


class Noise(Value):
    """
    The noise of a lexicon.

    Args:
        entries: Entries with a pattern and, among their options, `noise`: what replaces each match,
            in which ``\\1`` is the pattern's first group. They are taken in order.
    """

    __slots__ = ("_patterns", "_replacements")

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._patterns = Patterns([e.pattern for e in entries])
        self._replacements = tuple(str(e.options["noise"]) for e in entries)

    def without(self, line: str) -> str:
        """
        Return a folded line without its noise, runs of blanks as one.

        Only the line's first `PIECE` characters are looked at. An entry is tried where its pattern occurs
        in the line as it was written.
        """
        line = line[:PIECE]
        for index in self._patterns.which(line):
            line = self._patterns.replaced(index, line, self._replacements[index])
        return " ".join(line.split())


def is_noise(entry: Entry) -> bool:
    """Return whether an entry says what is noise, not what is an error."""
    return "noise" in entry.options and bool(entry.pattern)
