"""The task's text, indexed so that copies of its sentences are found."""

from __future__ import annotations

from exitgate.core.facts.text import words
from exitgate.core.facts.text.sentences import SENTENCE, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


#: At most this many places of the task are compared with one match.
PLACES = 24
#: Only so much of a task is read, in characters.
TASK_LIMIT = 400_000


class Task:
    """
    The words of the task in order.

    Args:
        text: The task as the agent was given it; read when first asked about.
    """

    __slots__ = ("_breaks", "_places", "_words", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._words: list[str] = []
        self._breaks: set[int] = set()
        self._places: dict[str, list[int]] = {}

    def _read(self) -> None:
        text = self.text
        folded = words.fold(text[:TASK_LIMIT])
        spans = words.tokens(folded, 0, len(folded))
        self._words = [folded[a:b] for a, b in spans]
        self._breaks = {0, len(spans)}
        edge = 0
        for number, (start, end) in enumerate(spans):
            separator = folded[edge:start]
            if "\n" in separator or level_of(separator) >= SENTENCE:
                self._breaks.add(number)
            edge = end
            self._places.setdefault(self._words[number], []).append(number)

    def copied(self, row: Sequence[str], start: int, end: int) -> tuple[int, int, bool]:
        """
        Return the longest stretch of `row` around ``start..end`` that is in the task.

        Returns its first and last index (exclusive) and whether it begins and ends there where a
        sentence or line of the task does; an empty stretch when ``row[start:end]`` does not occur.
        """
        if not self._breaks:
            self._read()
        best, whole = (start, start), False
        wanted = list(row[start:end])
        for place in self._places.get(row[start], ())[:PLACES]:
            if self._words[place : place + len(wanted)] != wanted:
                continue
            left, right = start, end
            while (
                left > 0
                and place - (start - left) > 0
                and self._words[place - (start - left) - 1] == row[left - 1]
            ):
                left -= 1
            last = place + (right - start)
            while right < len(row) and last < len(self._words) and self._words[last] == row[right]:
                right, last = right + 1, last + 1
            bounded = place - (start - left) in self._breaks and last in self._breaks
            if right - left > best[1] - best[0] or (bounded and right - left == best[1] - best[0]):
                best, whole = (left, right), bounded
        return *best, whole

    def has(self, row: Sequence[str]) -> bool:
        """Return whether the words of `row` are in the task in a row."""
        left, right, _ = self.copied(row, 0, len(row))
        return right - left >= len(row)
