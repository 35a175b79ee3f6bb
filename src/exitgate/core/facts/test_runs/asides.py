"""What a sentence on tests tells beside its figures: what failed once, and trouble without a number."""

from __future__ import annotations

from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.text import structure
from exitgate.core.facts.text.text import PIECE, unlike_folded
from exitgate.core.facts.text.words import fold
from exitgate.core.model.value import Value

_AROUND = structure.EMPHASIS + " \t"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: What an entry may report, as a lexicon writes it: these are asked of sentences found by others.
PAST = "past"
DOUBT = "doubt"
RELIEF = "relief"
EARLIER = "earlier"
#: What is between the cells of a table.
BAR = "|"
NO_PATTERNS = Patterns(())


class Asides(Value):
    """
    Patterns that are asked of sentences on tests.

    Args:
        past: Where one matches what a sentence says of failing tests, they failed once and no more.
        doubts: Trouble; a number of passing tests in the same sentence does not say that none failed.
        reliefs: Trouble that is not one: denied, repaired, or only spoken of.
        earlier: Heads of columns that tell how things were before.
        refusals: For each of `past`, what a sentence must not say where it counts; all count without.
    """

    __slots__ = ("_doubts", "_earlier", "_past", "_refusals", "_reliefs")

    def __init__(
        self,
        past: Patterns = NO_PATTERNS,
        doubts: Patterns = NO_PATTERNS,
        reliefs: Patterns = NO_PATTERNS,
        earlier: Patterns = NO_PATTERNS,
        refusals: Patterns = NO_PATTERNS,
    ) -> None:
        self._past = past
        self._refusals = refusals
        self._doubts = doubts
        self._reliefs = reliefs
        self._earlier = earlier

    def past(self, sentence: str, start: int, end: int) -> list[tuple[int, int]]:
        """Return the matches by which the tests of ``sentence[start:end]`` failed once and no more."""
        return [(a, b) for a, b in self._spans_of_past(sentence) if a < end and start < b]

    def doubtful(self, sentence: str) -> bool:
        """Return whether a sentence shows trouble that nothing in it takes back."""
        doubts = _spans(self._doubts, sentence)
        if not doubts:
            return False
        calm = [*_spans(self._reliefs, sentence), *self._spans_of_past(sentence)]
        return any(not any(a < last and first < b for a, b in calm) for first, last in doubts)

    def _spans_of_past(self, sentence: str) -> Iterator[tuple[int, int]]:
        for index in _likely(self._past, sentence):
            for span in self._past.spans(index, sentence):
                if not (self._refusals.written and self._refusals.occurs(index, sentence)):
                    yield span

    def without_earlier(self, text: str) -> str:
        """
        Return `text` with blanks for the cells of tables that tell how things were before.

        The text keeps its length. A column counts as one of these where another one follows it.
        """
        if not self._earlier.written or BAR not in text:
            return text
        lines = text.split("\n")
        columns: list[int] = []
        is_changed = False
        for number, line in enumerate(lines):
            if BAR not in line:
                columns = []
            elif number and structure.is_rule(line.strip()):
                columns = self._columns_before(lines[number - 1])
            elif columns:
                lines[number] = _blanked(line, columns)
                is_changed = True
        return "\n".join(lines) if is_changed else text

    def _columns_before(self, head: str) -> list[int]:
        cells = head[:PIECE].strip().rstrip(BAR).split(BAR)
        return [n for n, cell in enumerate(cells[:-1]) if self._earlier.which(cell.strip(_AROUND))]


def _blanked(row: str, columns: Sequence[int]) -> str:
    """Return a row of a table with blanks for some of its cells, and for the bars behind them."""
    indent = len(row) - len(row.lstrip())
    cells = row[indent:].split(BAR)
    kept = (" " * (len(c) + 1) if n in columns else c + BAR for n, c in enumerate(cells[:-1]))
    return row[:indent] + "".join(kept) + cells[-1]


def _spans(patterns: Patterns, sentence: str) -> list[tuple[int, int]]:
    return [span for index in _likely(patterns, sentence) for span in patterns.spans(index, sentence)]


def _likely(patterns: Patterns, sentence: str) -> Iterator[int]:
    """Yield the patterns of which a sentence holds what they need: most of them are never made."""
    folded = fold(sentence)
    every = unlike_folded(sentence)
    return (n for n in range(len(patterns.written)) if every or patterns.may_occur(n, folded))


NONE = Asides()
