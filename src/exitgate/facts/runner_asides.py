"""What a sentence on tests tells beside its figures: what failed once, and trouble without a number."""

from __future__ import annotations

from exitgate.facts.scan_patterns import Patterns
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: What an entry may report, as a lexicon writes it: these are asked of sentences found by others.
PAST = "past"
DOUBT = "doubt"
RELIEF = "relief"


class Asides(Value):
    """
    Patterns that are asked of sentences on tests.

    Args:
        past: Where one matches what a sentence says of failing tests, they failed once and no more.
        doubts: Trouble; a number of passing tests in the same sentence does not say that none failed.
        reliefs: Trouble that is none: denied, repaired, or only spoken of.
    """

    __slots__ = ("_doubts", "_past", "_reliefs")

    def __init__(
        self, past: Sequence[str] = (), doubts: Sequence[str] = (), reliefs: Sequence[str] = ()
    ) -> None:
        self._past = Patterns(past)
        self._doubts = Patterns(doubts)
        self._reliefs = Patterns(reliefs)

    def past(self, sentence: str, start: int, end: int) -> list[tuple[int, int]]:
        """Return the matches by which the tests of ``sentence[start:end]`` failed once and no more."""
        return [(a, b) for a, b in _spans(self._past, sentence) if a < end and start < b]

    def doubtful(self, sentence: str) -> bool:
        """Return whether a sentence tells of trouble that nothing in it takes back."""
        doubts = _spans(self._doubts, sentence)
        if not doubts:
            return False
        calm = [*_spans(self._reliefs, sentence), *_spans(self._past, sentence)]
        return any(not any(a < last and first < b for a, b in calm) for first, last in doubts)


def _spans(patterns: Patterns, sentence: str) -> list[tuple[int, int]]:
    return [span for index in range(len(patterns.written)) for span in patterns.spans(index, sentence)]


NONE = Asides()
