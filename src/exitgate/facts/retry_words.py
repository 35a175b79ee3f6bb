"""Names of units, months, halves of the day and time zones, as a lexicon has them."""

from __future__ import annotations

from exitgate.facts.record_values import amount
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.facts.lexicon import Entry

_UNIT, _MONTH, _HALF, _ZONE = "seconds", "month", "half_day", "utc_offset"


class RetryWords(Value):
    """
    What words about times mean; keys are lower case and without stops at the end.

    Args:
        units: Name of a unit -> its length in seconds.
        months: Name of a month -> 1 to 12.
        halves: What follows an hour from 1 to 12 -> 0 or 12.
        zones: Name of a zone -> seconds ahead of UTC.
    """

    __slots__ = ("halves", "months", "units", "zones")

    def __init__(
        self,
        units: Mapping[str, float],
        months: Mapping[str, float],
        halves: Mapping[str, float],
        zones: Mapping[str, float],
    ) -> None:
        self.units = units
        self.months = months
        self.halves = halves
        self.zones = zones


def retry_words(entries: Iterable[Entry]) -> RetryWords:
    """Return the meanings that the entries with `seconds`, `month`, `half_day` or `utc_offset` give."""
    found: dict[str, dict[str, float]] = {name: {} for name in (_UNIT, _MONTH, _HALF, _ZONE)}
    for entry in entries:
        words = entry.options.get("words")
        for name, meanings in found.items():
            value = amount(entry.options.get(name))
            if value is not None and isinstance(words, list | tuple):
                meanings.update((word_of(str(w)), value) for w in words)
    return RetryWords(found[_UNIT], found[_MONTH], found[_HALF], found[_ZONE])


def word_of(text: str) -> str:
    """Return a word as it is looked up."""
    return text.strip().lower().rstrip(".")
